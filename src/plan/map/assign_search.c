#include "plan/map/assign_search.h"

#include <stdbool.h>

#include "util/alloc.h"
#include "util/math.h"

/* ------------------------------------------------------------------- units */

/* Arcs for as many edges as can have units. */
static int
make_arcs(struct dtx_assign_search *s)
{
    const struct dtx_assign_problem *p = s->problem;
    int64_t count = 1, most = p->edge_first[p->row_count];
    int64_t i;

    for (i = 0; i < p->row_count && count < most; i++) {
        count += p->supplies[i];
    }
    count = dtx_min(count, most) + 1;
    s->arcs = dtx_alloc((size_t)count, sizeof *s->arcs);
    if (s->arcs == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        s->arcs[i].next = i + 1 < count ? (int)i + 1 : -1;
    }
    return 0;
}

int
dtx_assign_search_init(struct dtx_assign_search *s,
                       const struct dtx_assign_problem *p,
                       struct dtx_assignment *assignment)
{
    size_t rows = (size_t)p->row_count, columns = (size_t)p->column_count;
    size_t i;

    *s = (struct dtx_assign_search){.problem = p, .assignment = assignment};
    s->row_left = dtx_alloc(rows, sizeof *s->row_left);
    s->column_left = dtx_alloc(columns, sizeof *s->column_left);
    s->column_arcs = dtx_alloc(columns, sizeof *s->column_arcs);
    s->nodes = dtx_alloc(rows + columns, sizeof *s->nodes);
    s->touched = dtx_alloc(rows + columns, sizeof *s->touched);
    if (s->row_left == NULL || s->column_left == NULL ||
        s->column_arcs == NULL || s->nodes == NULL || s->touched == NULL) {
        return -1;
    }
    for (i = 0; i < rows; i++) {
        s->row_left[i] = p->supplies[i];
    }
    for (i = 0; i < columns; i++) {
        s->column_left[i] = p->capacities[i];
        s->column_arcs[i] = -1;
    }
    return make_arcs(s);
}

void
dtx_assign_search_finish(struct dtx_assign_search *s)
{
    dtx_free(s->row_left);
    dtx_free(s->column_left);
    dtx_free(s->column_arcs);
    dtx_free(s->arcs);
    dtx_free(s->nodes);
    dtx_free(s->touched);
    dtx_free(s->ready);
    dtx_free(s->heap);
}

static void
add_arc(struct dtx_assign_search *s, int row, int64_t edge)
{
    int column = s->problem->edges[edge].column;
    int arc = s->free_arc;

    s->free_arc = s->arcs[arc].next;
    s->arcs[arc] = (struct dtx_assign_arc){edge, row, s->column_arcs[column]};
    s->column_arcs[column] = arc;
}

static void
remove_arc(struct dtx_assign_search *s, int64_t edge)
{
    int *link = &s->column_arcs[s->problem->edges[edge].column];
    int arc;

    while (s->arcs[*link].edge != edge) {
        link = &s->arcs[*link].next;
    }
    arc = *link;
    *link = s->arcs[arc].next;
    s->arcs[arc].next = s->free_arc;
    s->free_arc = arc;
}

void
dtx_assign_move(struct dtx_assign_search *s, int row, int64_t edge, int units)
{
    int *flow = &s->assignment->flows[edge];
    bool had = *flow > 0;

    *flow += units;
    s->row_left[row] -= units;
    s->column_left[s->problem->edges[edge].column] -= units;
    if (!had && *flow > 0) {
        add_arc(s, row, edge);
    } else if (had && *flow == 0) {
        remove_arc(s, edge);
    }
}

/* -------------------------------------------------------------------- heap */

static bool
is_nearer(const struct dtx_assign_entry *a, const struct dtx_assign_entry *b)
{
    return a->distance != b->distance ? a->distance < b->distance
                                      : a->node < b->node;
}

static int
heap_push(struct dtx_assign_search *s, int node, int64_t distance)
{
    struct dtx_assign_entry entry = {distance, node};
    size_t at = s->heap_count;

    if (dtx_grow(&s->heap, s->heap_count, &s->heap_capacity, sizeof *s->heap) !=
        0) {
        return -1;
    }
    s->heap_count++;
    while (at > 0 && is_nearer(&entry, &s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = entry;
    return 0;
}

/* Takes the nearest node off; there is one. */
static int
heap_pop(struct dtx_assign_search *s)
{
    int node = s->heap[0].node;
    struct dtx_assign_entry last = s->heap[--s->heap_count];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < s->heap_count) {
        if (child + 1 < s->heap_count &&
            is_nearer(&s->heap[child + 1], &s->heap[child])) {
            child++;
        }
        if (!is_nearer(&s->heap[child], &last)) {
            break;
        }
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return node;
}

/* ------------------------------------------------------------------ search */

static int
put_off(struct dtx_assign_search *s, int node, int64_t distance)
{
    if (distance > s->level) {
        return heap_push(s, node, distance);
    }
    if (dtx_grow(&s->ready, s->ready_count, &s->ready_capacity,
                 sizeof *s->ready) != 0) {
        return -1;
    }
    s->ready[s->ready_count++] = node;
    return 0;
}

/* Takes note of a way to a node that is shorter than `best`. */
static int
reach(struct dtx_assign_search *s, int node, int row, int64_t edge,
      int64_t distance)
{
    struct dtx_assign_node *n = &s->nodes[node];
    int64_t end = INT64_MAX;

    if (n->seen == s->round) {
        if (n->distance <= distance) {
            return 0;
        }
    } else {
        n->seen = s->round;
        s->touched[s->touched_count++] = node;
    }
    n->distance = distance;
    n->edge = edge;
    n->row = row;
    if (node < s->problem->row_count) {
        end = distance + s->assignment->row_prices[node];
    } else if (s->column_left[node - s->problem->row_count] > 0) {
        end = distance;
    }
    if (end < s->best) {
        s->best = end;
        s->end = node;
    }
    return distance < s->best ? put_off(s, node, distance) : 0;
}

/* Goes on to the columns in which a row's unit could be. */
static int
scan_row(struct dtx_assign_search *s, int row)
{
    const struct dtx_assign_problem *p = s->problem;
    const struct dtx_assignment *a = s->assignment;
    int64_t base = s->nodes[row].distance + a->row_prices[row];
    int64_t e;

    for (e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
        const struct dtx_assign_edge *edge = &p->edges[e];
        int64_t distance = base + a->column_prices[edge->column] - edge->weight;

        if (distance < s->best && a->flows[e] < edge->limit &&
            reach(s, p->row_count + edge->column, row, e, distance) != 0) {
            return -1;
        }
    }
    s->work += p->edge_first[row + 1] - p->edge_first[row];
    return 0;
}

/* Goes on to the rows whose units could leave a column. */
static int
scan_column(struct dtx_assign_search *s, int column)
{
    const struct dtx_assign_problem *p = s->problem;
    const struct dtx_assignment *a = s->assignment;
    int64_t base = s->nodes[p->row_count + column].distance;
    int arc;

    for (arc = s->column_arcs[column]; arc >= 0; arc = s->arcs[arc].next) {
        int row = s->arcs[arc].row;
        int64_t edge = s->arcs[arc].edge;
        int64_t distance = base + p->edges[edge].weight - a->row_prices[row] -
                           a->column_prices[column];

        s->work++;
        if (distance < s->best && reach(s, row, row, edge, distance) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The next node whose distance is final and below `best`, or -1. */
static int
next_node(struct dtx_assign_search *s)
{
    for (;;) {
        int node;

        if (s->level >= s->best) {
            return -1;
        }
        if (s->ready_count > 0) {
            node = s->ready[--s->ready_count];
        } else if (s->heap_count > 0 && s->heap[0].distance < s->best) {
            s->level = s->heap[0].distance;
            node = heap_pop(s);
        } else {
            return -1;
        }
        if (s->nodes[node].done != s->round) {
            s->nodes[node].done = s->round;
            return node;
        }
    }
}

static int
find_path(struct dtx_assign_search *s, int root)
{
    int rows = s->problem->row_count, node, failed;

    s->round++;
    s->level = 0;
    s->touched_count = 0;
    s->ready_count = s->heap_count = 0;
    s->best = s->assignment->row_prices[root];
    s->end = root;
    failed = s->best > 0 ? reach(s, root, root, -1, 0) : 0;
    while (!failed && (node = next_node(s)) >= 0) {
        failed = node < rows ? scan_row(s, node) : scan_column(s, node - rows);
    }
    return failed;
}

/* Makes every edge of the path cost nothing. */
static void
change_prices(struct dtx_assign_search *s)
{
    int rows = s->problem->row_count, i;

    for (i = 0; i < s->touched_count; i++) {
        int node = s->touched[i];
        int64_t by = s->best - s->nodes[node].distance;

        if (by > 0 && node < rows) {
            s->assignment->row_prices[node] -= by;
        } else if (by > 0) {
            s->assignment->column_prices[node - rows] += by;
        }
    }
}

/* The units that fit along the path to its end. */
static int
path_units(const struct dtx_assign_search *s, int root)
{
    const struct dtx_assign_problem *p = s->problem;
    int units = s->row_left[root], node = s->end;

    if (node >= p->row_count) {
        units = (int)dtx_min(units, s->column_left[node - p->row_count]);
    }
    while (node != root) {
        int64_t edge = s->nodes[node].edge;

        if (node >= p->row_count) {
            units = (int)dtx_min(units, p->edges[edge].limit -
                                            s->assignment->flows[edge]);
            node = s->nodes[node].row;
        } else {
            units = (int)dtx_min(units, s->assignment->flows[edge]);
            node = p->row_count + p->edges[edge].column;
        }
    }
    return units;
}

static void
move_along(struct dtx_assign_search *s, int root, int units)
{
    const struct dtx_assign_problem *p = s->problem;
    int node = s->end;

    while (node != root) {
        int64_t edge = s->nodes[node].edge;
        int row = s->nodes[node].row;

        if (node >= p->row_count) {
            dtx_assign_move(s, row, edge, units);
            node = row;
        } else {
            dtx_assign_move(s, row, edge, -units);
            node = p->row_count + p->edges[edge].column;
        }
    }
}

int
dtx_assign_augment(struct dtx_assign_search *s, int row)
{
    if (find_path(s, row) != 0) {
        return -1;
    }
    change_prices(s);
    move_along(s, row, path_units(s, row));
    return 0;
}
