/*
 * Drawing who holds what of a tensor.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shard_list.h"
#include "table.h"
#include "util/alloc.h"

enum { ROWS_MAX = 32, COLUMNS_MAX = 6, RANKS_MAX = 64 };

/* The stretches into which all shards together cut a dim. */
struct cuts {
    int dim;
    int64_t *at; /* [count + 1] ascending */
    int count;
};

/* True where some shard doesn't hold all of a dim. */
static bool
is_split(const struct shard_list *list, int dim, int64_t extent)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct dtx_shard *shard = &list->shards[i];

        if (shard->run_counts[dim] != 1 || shard->runs[dim][0].begin != 0 ||
            shard->runs[dim][0].end != extent) {
            return extent > 0;
        }
    }
    return false;
}

static int
compare_cuts(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

/* Finds where a dim is cut; count 0 when out of memory. */
static void
find_cuts(const struct shard_list *list, int dim, struct cuts *cuts)
{
    size_t room = 0;
    int used = 0;
    int kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        room += 2 * (size_t)list->shards[i].run_counts[dim];
    }
    *cuts =
        (struct cuts){.dim = dim, .at = dtx_alloc(room + 1, sizeof(int64_t))};
    if (cuts->at == NULL) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct dtx_shard *shard = &list->shards[i];

        for (int r = 0; r < shard->run_counts[dim]; r++) {
            cuts->at[used++] = shard->runs[dim][r].begin;
            cuts->at[used++] = shard->runs[dim][r].end;
        }
    }
    if (used > 1) {
        qsort(cuts->at, (size_t)used, sizeof(*cuts->at), compare_cuts);
    }
    for (int i = 0; i < used; i++) {
        if (kept == 0 || cuts->at[kept - 1] != cuts->at[i]) {
            cuts->at[kept++] = cuts->at[i];
        }
    }
    cuts->count = kept > 0 ? kept - 1 : 0;
}

static bool
holds(const struct dtx_shard *shard, int dim, int64_t index)
{
    for (int r = 0; r < shard->run_counts[dim]; r++) {
        if (index >= shard->runs[dim][r].begin &&
            index < shard->runs[dim][r].end) {
            return true;
        }
    }
    return false;
}

/* Adds "0-3, 8" to a text: the ranks that hold a place. */
static void
add_ranks(const struct shard_list *list, const struct cuts *rows, int row,
          const struct cuts *columns, int column, struct dtx_text *text)
{
    int64_t first = -1;
    int64_t last = -2;

    for (size_t i = 0; i <= list->count; i++) {
        const struct dtx_shard *shard =
            i < list->count ? &list->shards[i] : NULL;

        if (shard != NULL &&
            ((rows != NULL && !holds(shard, rows->dim, rows->at[row])) ||
             (columns != NULL &&
              !holds(shard, columns->dim, columns->at[column])))) {
            continue;
        }
        if (shard != NULL && shard->rank == last + 1) {
            last++;
            continue;
        }
        if (first >= 0) {
            dtx_text_format(text, "%s%" PRId64, text->length > 0 ? ", " : "",
                            first);
        }
        if (last > first) {
            dtx_text_format(text, "%s%" PRId64, last == first + 1 ? ", " : "-",
                            last);
        }
        first = last = shard != NULL ? shard->rank : -1;
    }
}

static void
add_cell(struct table *table, const struct shard_list *list,
         const struct cuts *rows, int row, const struct cuts *columns,
         int column)
{
    struct dtx_text ranks = {0};

    add_ranks(list, rows, row, columns, column, &ranks);
    table_add(table, ranks.length > 0 ? ranks.data : "nobody");
    table->has_failed |= ranks.failed;
    dtx_text_finish(&ranks);
}

static void
add_interval(struct table *table, const struct cuts *cuts, int i)
{
    table_format(table, "%" PRId64 ":%" PRId64, cuts->at[i], cuts->at[i + 1]);
}

/* The grid of one or two dims; columns NULL: one. */
static void
draw_grid(const struct shard_list *list, const struct cuts *rows,
          const struct cuts *columns, struct dtx_text *text)
{
    static const char alignment[] = "llllllll";
    int count = columns != NULL ? columns->count : 1;
    int shown = count < COLUMNS_MAX ? count : COLUMNS_MAX;
    struct table table;

    table_begin(&table, alignment + (TABLE_COLUMN_MAX - 1 - shown));
    table_format(&table, "dim %d", rows->dim);
    for (int c = 0; c < shown; c++) {
        if (columns == NULL) {
            table_add(&table, "ranks");
        } else {
            add_interval(&table, columns, c);
        }
    }
    for (int r = 0; r < rows->count && r < ROWS_MAX; r++) {
        add_interval(&table, rows, r);
        for (int c = 0; c < shown; c++) {
            add_cell(&table, list, rows, r, columns, c);
        }
    }
    if (columns != NULL) {
        dtx_text_format(text, "  dim %d across\n", columns->dim);
    }
    table_draw(&table, 0, text);
    if (rows->count > ROWS_MAX || count > shown) {
        dtx_text_format(text, "  ... %d x %d in all; --json has them\n",
                        rows->count, count);
    }
}

void
shard_list_draw(const struct shard_list *list, int ndim, const int64_t *shape,
                struct dtx_text *text)
{
    struct cuts cuts[2] = {{0}};
    struct dtx_text ranks = {0};
    int found = 0;

    for (int d = 0; d < ndim && found < 2; d++) {
        if (is_split(list, d, shape[d])) {
            find_cuts(list, d, &cuts[found++]);
        }
    }
    if (found == 0) {
        add_ranks(list, NULL, 0, NULL, 0, &ranks);
        dtx_text_format(text, "  whole on rank%s %s\n",
                        list->count == 1 ? "" : "s",
                        ranks.length > 0 ? ranks.data : "none");
    } else {
        draw_grid(list, &cuts[0], found > 1 ? &cuts[1] : NULL, text);
    }
    text->failed |= ranks.failed || list->has_failed;
    dtx_text_finish(&ranks);
    dtx_free(cuts[0].at);
    dtx_free(cuts[1].at);
}

/* "[0:4+8:12, 0:16]" */
static void
add_box(struct table *table, const struct dtx_shard *shard)
{
    struct dtx_text box = {0};

    dtx_text_add(&box, "[");
    for (int d = 0; d < shard->ndim; d++) {
        dtx_text_add(&box, d > 0 ? ", " : "");
        for (int r = 0; r < shard->run_counts[d]; r++) {
            dtx_text_format(&box, "%s%" PRId64 ":%" PRId64, r > 0 ? "+" : "",
                            shard->runs[d][r].begin, shard->runs[d][r].end);
        }
        dtx_text_add(&box, shard->run_counts[d] == 0 ? "nothing" : "");
    }
    dtx_text_add(&box, "]");
    table_add(table, box.failed ? "" : box.data);
    table->has_failed |= box.failed;
    dtx_text_finish(&box);
}

void
shard_list_table(const struct shard_list *list, struct dtx_text *text)
{
    static const char *const heads[] = {"rank", "place", "holds",
                                        "size", "file",  "offset"};
    struct table table;

    table_begin(&table, "lllrlr");
    for (int i = 0; i < 6; i++) {
        table_add(&table, heads[i]);
    }
    for (size_t i = 0; i < list->count && i < RANKS_MAX; i++) {
        const struct dtx_shard *shard = &list->shards[i];

        table_add_count(&table, shard->rank);
        table_add(&table, shard->place);
        add_box(&table, shard);
        table_add_bytes(&table, shard->bytes);
        table_add(&table, shard->file);
        if (shard->has_offset) {
            table_format(&table, "%" PRIu64, shard->offset);
        } else {
            table_add(&table, "");
        }
    }
    table_draw(&table, 0, text);
    if (list->count > RANKS_MAX) {
        dtx_text_format(text, "  ... %zu ranks in all; --json has them\n",
                        list->count);
    }
}
