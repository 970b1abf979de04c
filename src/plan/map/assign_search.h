/*
 * Searches for augmenting paths: how a unit of a row is placed at the least
 * cost while units of other rows may move.
 *
 * Prices keep the cost of each edge that has room, row price + column price -
 * weight, at 0 or more, and of each edge with units on it at 0 or less. A unit
 * can also be left out, at the price of its row; a path may end by leaving out
 * another row's.
 */
#ifndef DTX_PLAN_MAP_ASSIGN_SEARCH_H
#define DTX_PLAN_MAP_ASSIGN_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "plan/map/assign.h"

/* An edge with units on it, in the list of its column. */
struct dtx_assign_arc {
    int64_t edge;
    int row;
    int next; /* of the column, or of the free arcs; -1: the last */
};

/* How a search reached a node: row i is node i, column j row_count + j. */
struct dtx_assign_node {
    int64_t distance;
    int64_t edge; /* by which it was reached */
    int row;      /* a column: from which row */
    int seen;     /* the round in which it was reached last */
    int done;     /* the round in which its distance was final last */
};

struct dtx_assign_entry {
    int64_t distance;
    int node;
};

struct dtx_assign_search {
    const struct dtx_assign_problem *problem;
    struct dtx_assignment *assignment;
    int *row_left;    /* [rows] units not placed */
    int *column_left; /* [columns] room */
    int *column_arcs; /* [columns] first arc, or -1 */
    struct dtx_assign_arc *arcs;
    int free_arc;
    int64_t work; /* edges looked at */
    /* Of the search under way. */
    int round;
    int64_t level; /* the distance that is worked on */
    int64_t best;  /* the least cost of a path's end so far */
    int end;       /* its node */
    struct dtx_assign_node *nodes;
    int touched_count;
    int *touched; /* [nodes] */
    size_t ready_count, ready_capacity;
    int *ready; /* nodes at the level */
    size_t heap_count, heap_capacity;
    struct dtx_assign_entry *heap; /* nodes beyond it, the nearest first */
};

/* Starts with nothing placed, and the prices as they are. Returns -1 when out
 * of memory; finish it then too. */
int dtx_assign_search_init(struct dtx_assign_search *search,
                           const struct dtx_assign_problem *problem,
                           struct dtx_assignment *assignment);
void dtx_assign_search_finish(struct dtx_assign_search *search);

/* Puts units of a row on an edge, or takes them off where units < 0. */
void dtx_assign_move(struct dtx_assign_search *search, int row, int64_t edge,
                     int units);

/*
 * Places units of a row along one cheapest path, or lowers its price to 0
 * where leaving them out costs least. Returns -1 when out of memory.
 */
int dtx_assign_augment(struct dtx_assign_search *search, int row);

#endif
