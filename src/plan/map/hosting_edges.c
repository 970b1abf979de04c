#include <stdlib.h>
#include <string.h>

#include "plan/map/hosting_gather.h"
#include "util/alloc.h"
#include "util/math.h"

enum {
    EDGES_MOST = 1 << 21, /* about, where some may be left out */
    ROW_EDGES_LEAST = 16,
};

/* No worth is more, so that sums don't overflow. */
static const int64_t worth_most = (int64_t)1 << 60;

/* ------------------------------------------------------------------- units */

static int
greatest_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The most positions that can stay together: a divisor of what a process
 * has room for and of how many positions of each kind there are. */
static void
choose_bundle(struct dtx_gather *g)
{
    int i;

    g->bundle = g->h->bundles ? g->h->procs.most : 1;
    for (i = 0; i < g->rows.kind_count; i++) {
        g->bundle = greatest_divisor(g->bundle,
                                     g->rows.first[i + 1] - g->rows.first[i]);
    }
}

static void
set_units(struct dtx_gather *g)
{
    int most = g->h->procs.most / g->bundle, i;

    for (i = 0; i < g->rows.kind_count; i++) {
        g->supplies[i] = (g->rows.first[i + 1] - g->rows.first[i]) / g->bundle;
    }
    for (i = 0; i < g->columns.kind_count; i++) {
        g->capacities[i] =
            (g->columns.first[i + 1] - g->columns.first[i]) * most;
    }
}

static int
alloc_edges(struct dtx_gather *g)
{
    size_t rows = (size_t)g->rows.kind_count;
    size_t columns = (size_t)g->columns.kind_count;

    g->supplies = dtx_alloc(rows, sizeof *g->supplies);
    g->capacities = dtx_alloc(columns, sizeof *g->capacities);
    g->worths = dtx_alloc(columns, sizeof *g->worths);
    g->at_home = dtx_alloc(columns, sizeof *g->at_home);
    g->touched = dtx_alloc(columns, sizeof *g->touched);
    g->edge_first = dtx_alloc(rows + 1, sizeof *g->edge_first);
    g->dropped = dtx_alloc(rows, sizeof *g->dropped);
    return g->supplies == NULL || g->capacities == NULL || g->worths == NULL ||
                   g->at_home == NULL || g->touched == NULL ||
                   g->edge_first == NULL || g->dropped == NULL
               ? -1
               : 0;
}

void
dtx_gather_finish(struct dtx_gather *g)
{
    int i;

    for (i = 0; i < g->view_count; i++) {
        dtx_hosting_view_finish(&g->views[i]);
    }
    dtx_free(g->views);
    dtx_free(g->proc_index);
    dtx_kinds_finish(&g->rows);
    dtx_kinds_finish(&g->columns);
    dtx_free(g->supplies);
    dtx_free(g->capacities);
    dtx_free(g->worths);
    dtx_free(g->at_home);
    dtx_free(g->touched);
    dtx_free(g->edges);
    dtx_free(g->edge_first);
    dtx_free(g->dropped);
}

/* ------------------------------------------------------------------ worths */

static void
touch(struct dtx_gather *g, int column)
{
    if (g->worths[column] == 0 && g->at_home[column] == 0) {
        g->touched[g->touched_count++] = column;
    }
}

/* Adds what an item of the row shares with each column that has another. */
static void
add_worth(const struct dtx_hosting_view *view, int item, int64_t bytes,
          void *context)
{
    struct dtx_gather *g = context;
    int i;

    for (i = view->stock_first[item]; i < view->stock_first[item + 1]; i++) {
        const struct dtx_stock *stock = &view->stocks[i];
        int64_t *worth = &g->worths[stock->column];

        touch(g, stock->column);
        *worth = dtx_min(*worth + bytes * stock->count, worth_most);
    }
}

/* Counts where `block` has the positions of a row. */
static void
add_homes(struct dtx_gather *g, int row)
{
    int i;

    for (i = g->rows.first[row]; i < g->rows.first[row + 1]; i++) {
        int proc = g->proc_index[g->h->block[g->rows.members[i]]];
        int column = g->columns.kinds[proc];

        touch(g, column);
        g->at_home[column]++;
    }
}

/* What the row is worth everywhere decides nothing. */
static void
take_off_least(struct dtx_gather *g)
{
    int64_t least = INT64_MAX;
    int column;

    if (g->touched_count < g->columns.kind_count) {
        return;
    }
    for (column = 0; column < g->columns.kind_count; column++) {
        least = dtx_min(least, g->worths[column]);
    }
    for (column = 0; column < g->columns.kind_count; column++) {
        g->worths[column] -= least;
    }
}

/* ------------------------------------------------------------------- edges */

static int
add_edge(struct dtx_gather *g, int column, int limit, int64_t weight)
{
    if (limit == 0 || weight == 0) {
        return 0;
    }
    if (dtx_grow(&g->edges, g->edge_count, &g->edge_capacity,
                 sizeof *g->edges) != 0) {
        return -1;
    }
    g->edges[g->edge_count++] = (struct dtx_assign_edge){column, limit, weight};
    return 0;
}

/* Adds a row's edges: of twice the bytes, and 1 more for units at home. */
static int
add_row_edges(struct dtx_gather *g, int row)
{
    int i;

    for (i = 0; i < g->touched_count; i++) {
        int column = g->touched[i];
        int most = (int)dtx_min(g->supplies[row], g->capacities[column]);
        int home = (int)dtx_min(g->at_home[column] / g->bundle, most);
        int64_t weight = 2 * g->worths[column];

        if (add_edge(g, column, home, weight + 1) != 0 ||
            add_edge(g, column, home < most ? most : 0, weight) != 0) {
            return -1;
        }
    }
    return 0;
}

static bool
is_heavier(const struct dtx_assign_edge *a, const struct dtx_assign_edge *b)
{
    return a->weight != b->weight ? a->weight > b->weight
                                  : a->column < b->column;
}

static void
swap(struct dtx_assign_edge *a, struct dtx_assign_edge *b)
{
    struct dtx_assign_edge edge = *a;

    *a = *b;
    *b = edge;
}

/* Puts the heaviest `most` edges first, in any order, and the next one after
 * them (Hoare's selection). */
static void
select_heaviest(struct dtx_assign_edge *edges, size_t count, size_t most)
{
    size_t lo = 0, hi = count; /* where the one at `most` is */

    while (hi - lo > 1) {
        size_t kept = lo, i;

        swap(&edges[lo + (hi - lo) / 2], &edges[hi - 1]);
        for (i = lo; i < hi - 1; i++) {
            if (is_heavier(&edges[i], &edges[hi - 1])) {
                swap(&edges[i], &edges[kept++]);
            }
        }
        swap(&edges[kept], &edges[hi - 1]);
        if (kept == most) {
            return;
        }
        lo = kept < most ? kept + 1 : lo;
        hi = kept < most ? hi : kept;
    }
}

/* Turns the columns of a row's edges so that one of them becomes the first. */
static void
turn_columns(const struct dtx_gather *g, struct dtx_assign_edge *edges,
             size_t count, int first)
{
    size_t i;

    for (i = 0; i < count; i++) {
        edges[i].column += g->columns.kind_count - first;
        edges[i].column %= g->columns.kind_count;
    }
}

/* Keeps a row's heaviest edges where they are too many; of equal ones, those
 * next to its home, so that not all rows keep the same. */
static void
drop_lightest(struct dtx_gather *g, int row)
{
    size_t first = (size_t)g->edge_first[row];
    size_t most =
        (size_t)dtx_max(EDGES_MOST / g->rows.kind_count, ROW_EDGES_LEAST);
    struct dtx_assign_edge *edges = &g->edges[first];
    size_t count = g->edge_count - first;
    int home = g->touched[0];

    if (g->rows.kind_count <= DTX_HOSTING_EXACT_MOST || count <= most) {
        return;
    }
    turn_columns(g, edges, count, home);
    select_heaviest(edges, count, most);
    g->dropped[row] = edges[most].weight / 2;
    g->edge_count = first + most;
    turn_columns(g, edges, most, g->columns.kind_count - home);
}

static int
make_row(struct dtx_gather *g, int row)
{
    int position = g->rows.members[g->rows.first[row]];
    int i, failed;

    g->touched_count = 0;
    add_homes(g, row);
    for (i = 0; i < g->view_count; i++) {
        const struct dtx_hosting_view *view = &g->views[i];

        if (view->items[position] >= 0) {
            dtx_hosting_view_walk(view, view->items[position], add_worth, g);
        }
    }
    take_off_least(g);
    failed = add_row_edges(g, row);
    for (i = 0; i < g->touched_count; i++) {
        g->worths[g->touched[i]] = 0;
        g->at_home[g->touched[i]] = 0;
    }
    drop_lightest(g, row);
    return failed;
}

/* ------------------------------------------------------------------- scale */

static int64_t
greatest_unit(const struct dtx_gather *g)
{
    uint64_t unit = 0;
    size_t i;

    for (i = 0; i < g->edge_count && unit != 1; i++) {
        uint64_t rest = (uint64_t)g->edges[i].weight / 2;

        while (rest != 0) {
            uint64_t next = unit % rest;

            unit = rest;
            rest = next;
        }
    }
    return unit > 0 ? (int64_t)unit : 1;
}

/* All units at the heaviest edge of their row, in double: only its size
 * matters. */
static double
most_weight(const struct dtx_gather *g)
{
    double sum = 0;
    int row;

    for (row = 0; row < g->rows.kind_count; row++) {
        int64_t heaviest = 0, e;

        for (e = g->edge_first[row]; e < g->edge_first[row + 1]; e++) {
            heaviest = dtx_max(heaviest, g->edges[e].weight / 2);
        }
        sum += (double)heaviest * g->supplies[row];
    }
    return sum;
}

/*
 * Makes the weights as small as they can be, and a byte (or what all weights
 * are multiples of) worth more than that all units are at home, where that
 * fits.
 */
static void
scale_weights(struct dtx_gather *g)
{
    const double limit = (double)((int64_t)1 << 61);
    double most = most_weight(g);
    size_t i;

    g->unit = greatest_unit(g);
    while (most / (double)g->unit > limit) {
        g->unit *= 2;
        g->is_exact = false;
    }
    g->scale = (int64_t)g->position_count + 1;
    if (most / (double)g->unit * (double)g->scale > limit) {
        g->scale = 1;
    }
    for (i = 0; i < g->edge_count; i++) {
        int64_t bytes = g->edges[i].weight / 2;
        int64_t home = g->edges[i].weight % 2;

        g->edges[i].weight =
            bytes / g->unit * g->scale + (g->scale > 1 ? home : 0);
    }
}

int
dtx_gather_edges(struct dtx_gather *g)
{
    int row;

    choose_bundle(g);
    if (alloc_edges(g) != 0) {
        return -1;
    }
    set_units(g);
    for (row = 0; row < g->rows.kind_count; row++) {
        if (make_row(g, row) != 0) {
            return -1;
        }
        g->edge_first[row + 1] = (int64_t)g->edge_count;
    }
    scale_weights(g);
    return 0;
}
