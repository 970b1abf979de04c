/*
 * Assignments: units of rows to columns, so that the most weight comes
 * together.
 *
 * A row has a supply of units, a column room for some; an edge says what one
 * unit of a row is worth in a column, and how many units it takes at most.
 * Columns without an edge to a row are worth 0 to it: units that stay
 * unplaced may go anywhere that has room left. Rows of supply 1 and columns of
 * capacity 1 are the linear assignment problem.
 *
 * Prices prove how good an assignment is: where each edge is worth no more
 * than its row's and its column's price together, no assignment is worth more
 * than all supplies and capacities at their prices. dtx_assign() returns both
 * numbers; they are equal unless it had to stop at its limit of work.
 *
 * Rows bid for columns first, then what is left is placed by shortest
 * augmenting paths (Jonker and Volgenant 1987), on sparse edges and with
 * several units a row or column.
 *
 * Cost: O(units * edges) at worst; near O(edges) where few rows compete.
 */
#ifndef DTX_PLAN_MAP_ASSIGN_H
#define DTX_PLAN_MAP_ASSIGN_H

#include <stdint.h>

struct dtx_assign_edge {
    int column;
    int limit;      /* units it takes; >= 1 */
    int64_t weight; /* of a unit; >= 0 */
};

/*
 * The sum, over the rows, of supply times heaviest edge is below 2^62; then so
 * is every number here.
 */
struct dtx_assign_problem {
    int row_count;
    int column_count;
    const int *supplies;                 /* [row_count] >= 1 */
    const int *capacities;               /* [column_count] >= 0 */
    const int64_t *edge_first;           /* [row_count + 1] into edges */
    const struct dtx_assign_edge *edges; /* row by row */
    int64_t work_limit;                  /* edges looked at; then it stops */
};

/* All owned. */
struct dtx_assignment {
    int *flows;             /* [edges] units on each */
    int64_t *row_prices;    /* [row_count] >= 0 */
    int64_t *column_prices; /* [column_count] >= 0 */
    int64_t weight;         /* of all units on edges */
    int64_t bound;          /* no assignment has more */
};

/* Returns -1 when out of memory. The same problem gives the same assignment. */
int dtx_assign(const struct dtx_assign_problem *problem,
               struct dtx_assignment *assignment_out);
void dtx_assignment_finish(struct dtx_assignment *assignment);

#endif
