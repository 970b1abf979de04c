#include "plan/map/assign.h"

#include <stdbool.h>

#include "plan/map/assign_search.h"
#include "util/alloc.h"
#include "util/math.h"

/* Bids per row, on average, before paths are searched instead. */
enum { BIDS_PER_ROW = 4 };

/* ----------------------------------------------------------------- greedily */

/* A row's price is its heaviest edge; what such edges have room for is placed.
 */
static void
place_row(struct dtx_assign_search *s, int row)
{
    const struct dtx_assign_problem *p = s->problem;
    int64_t heaviest = 0, e;

    for (e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
        heaviest = dtx_max(heaviest, p->edges[e].weight);
    }
    s->assignment->row_prices[row] = heaviest;
    for (e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
        const struct dtx_assign_edge *edge = &p->edges[e];
        int64_t units = dtx_min(edge->limit, s->row_left[row]);

        units = dtx_min(units, s->column_left[edge->column]);
        if (edge->weight == heaviest && units > 0) {
            dtx_assign_move(s, row, e, (int)units);
        }
    }
}

/* -------------------------------------------------------------------- bids */

/* A row's two best edges at the prices of columns; -1 and 0: leave it out. */
struct bid {
    int64_t edge;
    int64_t value;
    int64_t second;
};

static struct bid
find_bid(struct dtx_assign_search *s, int row)
{
    const struct dtx_assign_problem *p = s->problem;
    struct bid bid = {-1, 0, 0};
    int64_t e;

    for (e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
        int64_t value = p->edges[e].weight -
                        s->assignment->column_prices[p->edges[e].column];

        if (value > bid.value) {
            bid.second = bid.value;
            bid.value = value;
            bid.edge = e;
        } else if (value > bid.second) {
            bid.second = value;
        }
    }
    s->work += p->edge_first[row + 1] - p->edge_first[row];
    return bid;
}

/*
 * Lets a row of one unit bid for its best column. Where that is taken, and has
 * room for one only, the price goes up by what the row can pay before it would
 * rather have its second best, and who had it must go.
 *
 * Returns the row that lost its unit, or -1.
 */
static int
make_bid(struct dtx_assign_search *s, int row)
{
    const struct dtx_assign_problem *p = s->problem;
    struct dtx_assignment *a = s->assignment;
    struct bid bid = find_bid(s, row);
    const struct dtx_assign_arc *arc;
    int column, loser;
    int64_t lost;

    a->row_prices[row] = bid.value;
    if (bid.edge < 0) {
        return -1;
    }
    column = p->edges[bid.edge].column;
    if (s->column_left[column] > 0) {
        dtx_assign_move(s, row, bid.edge, 1);
        return -1;
    }
    if (p->capacities[column] != 1 || bid.value == bid.second) {
        return -1; /* a path will find how to share it */
    }
    arc = &s->arcs[s->column_arcs[column]];
    loser = arc->row;
    lost = arc->edge;
    dtx_assign_move(s, loser, lost, -1);
    dtx_assign_move(s, row, bid.edge, 1);
    a->column_prices[column] += bid.value - bid.second;
    a->row_prices[row] = bid.second;
    return loser;
}

static void
make_bids(struct dtx_assign_search *s)
{
    const struct dtx_assign_problem *p = s->problem;
    int64_t bids = (int64_t)p->row_count * BIDS_PER_ROW;
    int first, row;

    for (first = 0; first < p->row_count && bids > 0; first++) {
        for (row = first; row >= 0 && bids > 0; bids--) {
            if (p->supplies[row] != 1 || s->row_left[row] == 0) {
                break;
            }
            row = make_bid(s, row);
        }
    }
}

/* ------------------------------------------------------------------- paths */

static bool
has_time(const struct dtx_assign_search *s)
{
    return s->work < s->problem->work_limit;
}

static int
search_paths(struct dtx_assign_search *s)
{
    int row;

    for (row = 0; row < s->problem->row_count; row++) {
        while (s->row_left[row] > 0 && s->assignment->row_prices[row] > 0 &&
               has_time(s)) {
            if (dtx_assign_augment(s, row) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* Places what time didn't suffice for where it is worth most. */
static void
place_rest(struct dtx_assign_search *s, int row)
{
    const struct dtx_assign_problem *p = s->problem;

    while (s->row_left[row] > 0) {
        int64_t best = -1, weight = 0, units, e;

        for (e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
            if (p->edges[e].weight > weight &&
                s->assignment->flows[e] < p->edges[e].limit &&
                s->column_left[p->edges[e].column] > 0) {
                weight = p->edges[e].weight;
                best = e;
            }
        }
        if (best < 0) {
            return;
        }
        units =
            dtx_min(s->row_left[row], s->column_left[p->edges[best].column]);
        units =
            dtx_min(units, p->edges[best].limit - s->assignment->flows[best]);
        dtx_assign_move(s, row, best, (int)units);
    }
}

/* ------------------------------------------------------------------- proof */

/* Sums up what the units weigh, and what the prices allow at most. */
static void
set_proof(const struct dtx_assign_problem *p, struct dtx_assignment *a)
{
    int64_t e;
    int row, column;

    for (column = 0; column < p->column_count; column++) {
        a->bound += a->column_prices[column] * p->capacities[column];
    }
    for (row = 0; row < p->row_count; row++) {
        a->bound += a->row_prices[row] * p->supplies[row];
        for (e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
            const struct dtx_assign_edge *edge = &p->edges[e];
            int64_t over = edge->weight - a->row_prices[row] -
                           a->column_prices[edge->column];

            a->weight += edge->weight * a->flows[e];
            a->bound += dtx_max(over, 0) * edge->limit;
        }
    }
}

static int
solve(struct dtx_assign_search *s)
{
    int row;

    for (row = 0; row < s->problem->row_count; row++) {
        place_row(s, row);
    }
    make_bids(s);
    if (search_paths(s) != 0) {
        return -1;
    }
    for (row = 0; row < s->problem->row_count && !has_time(s); row++) {
        place_rest(s, row);
    }
    set_proof(s->problem, s->assignment);
    return 0;
}

int
dtx_assign(const struct dtx_assign_problem *p,
           struct dtx_assignment *assignment_out)
{
    size_t edges = (size_t)p->edge_first[p->row_count];
    struct dtx_assignment a = {0};
    struct dtx_assign_search search = {0};
    int failed;

    a.flows = dtx_alloc(edges, sizeof *a.flows);
    a.row_prices = dtx_alloc((size_t)p->row_count, sizeof *a.row_prices);
    a.column_prices =
        dtx_alloc((size_t)p->column_count, sizeof *a.column_prices);
    failed = a.flows == NULL || a.row_prices == NULL ||
             a.column_prices == NULL ||
             dtx_assign_search_init(&search, p, &a) != 0 || solve(&search) != 0;
    dtx_assign_search_finish(&search);
    if (failed) {
        dtx_assignment_finish(&a);
        return -1;
    }
    *assignment_out = a;
    return 0;
}

void
dtx_assignment_finish(struct dtx_assignment *a)
{
    dtx_free(a->flows);
    dtx_free(a->row_prices);
    dtx_free(a->column_prices);
    *a = (struct dtx_assignment){0};
}
