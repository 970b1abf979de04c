#include "inspect_output.h"

#include <inttypes.h>
#include <string.h>

#include <dtx/dtype.h>

#include "json.h"
#include "output.h"
#include "plan_output.h"
#include "table.h"
#include "util/alloc.h"
#include "util/glob.h"
#include "util/names.h"
#include "util/size.h"

/* The sums of an inspection, in bytes. */
struct totals {
    uint64_t logical; /* of all tensors, each element once */
    uint64_t stored;  /* of all ranks */
    uint64_t largest; /* of one rank */
    double imbalance; /* the largest by the mean; 1 where nothing is stored */
};

static uint64_t
tensor_bytes(const struct dtx_plan_tensor *tensor)
{
    uint64_t bytes = tensor->source_type.size_bytes;

    for (int d = 0; d < tensor->ndim; d++) {
        bytes *= (uint64_t)tensor->shape[d];
    }
    return bytes;
}

static struct totals
sum_of(const struct dtx_inspection *inspection)
{
    struct totals totals = {.imbalance = 1};
    int tensor_count = dtx_inspection_tensor_count(inspection);
    int rank_count = dtx_inspection_rank_count(inspection);

    for (int i = 0; i < tensor_count; i++) {
        struct dtx_plan_tensor tensor;

        dtx_inspection_tensor(inspection, i, &tensor);
        totals.logical += tensor_bytes(&tensor);
    }
    for (int i = 0; i < rank_count; i++) {
        uint64_t bytes = dtx_inspection_rank(inspection, i)->bytes;

        totals.stored += bytes;
        totals.largest = bytes > totals.largest ? bytes : totals.largest;
    }
    if (totals.stored > 0) {
        totals.imbalance =
            (double)totals.largest * rank_count / (double)totals.stored;
    }
    return totals;
}

static void
add_shape(struct table *table, const struct dtx_plan_tensor *tensor)
{
    struct dtx_text shape = {0};

    for (int d = 0; d < tensor->ndim; d++) {
        dtx_text_format(&shape, "%s%" PRId64, d > 0 ? ", " : "",
                        tensor->shape[d]);
    }
    table_format(table, "[%s]",
                 shape.failed || shape.data == NULL ? "" : shape.data);
    table->has_failed |= shape.failed;
    dtx_text_finish(&shape);
}

/* Tensors whose names differ only in numbers, and that are else alike. */
struct kind {
    struct dtx_plan_tensor first;
    const char *pattern;
    int64_t count;
    uint64_t bytes;
};

struct kinds {
    struct dtx_names keys; /* pattern, type, shape, placements */
    struct kind *kinds;    /* [keys.count] */
    struct dtx_arena arena;
};

/* Makes the key of a tensor, its pattern first. */
static void
make_key(struct dtx_text *key, const struct dtx_plan_tensor *tensor)
{
    key->length = 0;
    dtx_glob_pattern(key, tensor->name, -1);
    dtx_text_format(key, "\n%d %zu %s", (int)tensor->source_type.dtype,
                    tensor->source_type.size_bytes, tensor->from);
    for (int d = 0; d < tensor->ndim; d++) {
        dtx_text_format(key, " %" PRId64, tensor->shape[d]);
    }
}

/* False when out of memory. */
static bool
find_kinds(const struct dtx_inspection *inspection, struct kinds *kinds)
{
    int count = dtx_inspection_tensor_count(inspection);
    struct dtx_text key = {0};
    bool works = true;

    kinds->kinds = dtx_alloc((size_t)count + 1, sizeof(*kinds->kinds));
    for (int i = 0; i < count && works && kinds->kinds != NULL; i++) {
        struct dtx_plan_tensor tensor;
        struct kind *kind;
        int number;

        dtx_inspection_tensor(inspection, i, &tensor);
        make_key(&key, &tensor);
        number = key.failed ? -1 : dtx_names_add(&kinds->keys, key.data);
        works = number >= 0;
        kind = &kinds->kinds[works ? number : 0];
        if (works && kind->count++ == 0) {
            kind->first = tensor;
            *strchr(key.data, '\n') = '\0';
            kind->pattern = dtx_arena_string(&kinds->arena, key.data);
            works = kind->pattern != NULL;
        }
        kind->bytes += tensor_bytes(&tensor);
    }
    dtx_text_finish(&key);
    return works && kinds->kinds != NULL;
}

static void
finish_kinds(struct kinds *kinds)
{
    dtx_free(kinds->kinds);
    dtx_names_finish(&kinds->keys);
    dtx_arena_finish(&kinds->arena);
}

/* A line for all tensors that differ only in numbers. */
static void
add_kinds(struct dtx_text *text, const struct dtx_inspection *inspection)
{
    static const char *const heads[] = {"tensor", "",     "dtype",
                                        "shape",  "size", "placements"};
    struct kinds kinds = {0};
    struct table table;

    table_begin(&table, "lrllrl");
    for (int i = 0; i < 6; i++) {
        table_add(&table, heads[i]);
    }
    table.has_failed |= !find_kinds(inspection, &kinds);
    for (int i = 0; i < kinds.keys.count && !table.has_failed; i++) {
        const struct kind *kind = &kinds.kinds[i];

        table_add(&table, kind->count > 1 ? kind->pattern : kind->first.name);
        table_format(&table, kind->count > 1 ? "x%" PRId64 : "", kind->count);
        table_add(&table, dtx_dtype_name(kind->first.source_type.dtype));
        add_shape(&table, &kind->first);
        table_add_bytes(&table, kind->bytes);
        table_add(&table, kind->first.from);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
    finish_kinds(&kinds);
}

/* A line for each tensor. */
static void
add_tensors(struct dtx_text *text, const struct dtx_inspection *inspection)
{
    static const char *const heads[] = {"tensor", "dtype", "shape", "size",
                                        "placements"};
    int count = dtx_inspection_tensor_count(inspection);
    struct table table;

    table_begin(&table, "lllrl");
    for (int i = 0; i < 5; i++) {
        table_add(&table, heads[i]);
    }
    for (int i = 0; i < count; i++) {
        struct dtx_plan_tensor tensor;

        dtx_inspection_tensor(inspection, i, &tensor);
        table_add(&table, tensor.name);
        table_add(&table, dtx_dtype_name(tensor.source_type.dtype));
        add_shape(&table, &tensor);
        table_add_bytes(&table, tensor_bytes(&tensor));
        table_add(&table, tensor.from);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
}

/* The end of the run of neighbours that hold as much as the first. */
static int
find_alike(const struct dtx_inspection *inspection, int first)
{
    const struct dtx_rank_share *share = dtx_inspection_rank(inspection, first);
    int count = dtx_inspection_rank_count(inspection);
    int end = first + 1;

    while (end < count) {
        const struct dtx_rank_share *next =
            dtx_inspection_rank(inspection, end);

        if (next->bytes != share->bytes ||
            next->tensor_count != share->tensor_count ||
            next->rank != share->rank + (end - first)) {
            break;
        }
        end++;
    }
    return end;
}

/* Ranks, neighbours that hold the same in one line. */
static void
add_ranks(struct dtx_text *text, const struct dtx_inspection *inspection)
{
    int count = dtx_inspection_rank_count(inspection);
    struct table table;

    table_begin(&table, "llrr");
    table_add(&table, "rank");
    table_add(&table, "place");
    table_add(&table, "tensors");
    table_add(&table, "size");
    for (int first = 0, end; first < count; first = end) {
        const struct dtx_rank_share *share =
            dtx_inspection_rank(inspection, first);

        end = find_alike(inspection, first);
        if (end == first + 1) {
            table_add_count(&table, share->rank);
            table_add(&table, share->place);
        } else {
            table_format(&table, "%" PRId64 "-%" PRId64, share->rank,
                         share->rank + (end - first - 1));
            table_format(&table, "%s ... %s", share->place,
                         dtx_inspection_rank(inspection, end - 1)->place);
        }
        table_add_count(&table, share->tensor_count);
        table_add_bytes(&table, share->bytes);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
}

enum dtx_status
inspect_print_text(const struct dtx_inspection *inspection,
                   const struct dtx_layout *layout, bool is_verbose,
                   struct dtx_error *err)
{
    struct totals totals = sum_of(inspection);
    int tensor_count = dtx_inspection_tensor_count(inspection);
    int rank_count = dtx_inspection_rank_count(inspection);
    char logical[DTX_SIZE_TEXT];
    char stored[DTX_SIZE_TEXT];
    char largest[DTX_SIZE_TEXT];
    struct dtx_text text = {0};

    dtx_text_format(&text, "dtx inspect   %d tensor%s, %s\n  ", tensor_count,
                    tensor_count == 1 ? "" : "s",
                    dtx_size_format(totals.logical, logical));
    plan_add_mesh(&text, layout);
    dtx_text_format(&text, "  %d rank%s  %s\n", rank_count,
                    rank_count == 1 ? "" : "s", dtx_layout_path(layout));
    if (is_verbose) {
        add_tensors(&text, inspection);
    } else {
        add_kinds(&text, inspection);
    }
    add_ranks(&text, inspection);
    dtx_text_format(&text,
                    "\n  stored %s, the largest rank %s, imbalance %.3f\n",
                    dtx_size_format(totals.stored, stored),
                    dtx_size_format(totals.largest, largest), totals.imbalance);
    return output_text(&text, err);
}

static void
add_json_tensors(struct json *json, const struct dtx_inspection *inspection)
{
    int count = dtx_inspection_tensor_count(inspection);

    json_array(json, "tensors");
    for (int i = 0; i < count; i++) {
        struct dtx_plan_tensor tensor;

        dtx_inspection_tensor(inspection, i, &tensor);
        json_object(json, NULL);
        json_string(json, "name", tensor.name);
        json_string(json, "dtype", dtx_dtype_name(tensor.source_type.dtype));
        json_shape(json, "shape", tensor.ndim, tensor.shape);
        json_uint(json, "bytes", tensor_bytes(&tensor));
        json_string(json, "placements", tensor.from);
        json_object_end(json);
    }
    json_array_end(json);
}

static void
add_json_ranks(struct json *json, const struct dtx_inspection *inspection)
{
    int count = dtx_inspection_rank_count(inspection);

    json_array(json, "ranks");
    for (int i = 0; i < count; i++) {
        const struct dtx_rank_share *share = dtx_inspection_rank(inspection, i);

        json_object(json, NULL);
        json_int(json, "rank", share->rank);
        json_string(json, "place", share->place);
        json_int(json, "tensors", share->tensor_count);
        json_uint(json, "bytes", share->bytes);
        json_object_end(json);
    }
    json_array_end(json);
}

enum dtx_status
inspect_print_json(const struct dtx_inspection *inspection,
                   const struct dtx_layout *layout, struct dtx_error *err)
{
    struct totals totals = sum_of(inspection);
    int axis_count = dtx_layout_axis_count(layout);
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    json_string(&json, "dtx", "1");
    json_object(&json, "mesh");
    for (int a = 0; a < axis_count; a++) {
        json_int(&json, dtx_layout_axis_name(layout, a),
                 dtx_layout_axis_size(layout, a));
    }
    json_object_end(&json);
    json_string(&json, "path", dtx_layout_path(layout));
    json_object(&json, "bytes");
    json_uint(&json, "logical", totals.logical);
    json_uint(&json, "stored", totals.stored);
    json_uint(&json, "largest", totals.largest);
    json_object_end(&json);
    json_real(&json, "imbalance", totals.imbalance);
    add_json_tensors(&json, inspection);
    add_json_ranks(&json, inspection);
    return json_end(&json, err);
}
