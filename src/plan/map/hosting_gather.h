/*
 * On the way from a hosting to an assignment: kinds of positions and of
 * processes, and what one is worth on the other.
 */
#ifndef DTX_PLAN_MAP_HOSTING_GATHER_H
#define DTX_PLAN_MAP_HOSTING_GATHER_H

#include <stddef.h>

#include "plan/map/assign.h"
#include "plan/map/hosting_view.h"
#include "plan/map/kinds.h"

enum {
    DTX_HOSTING_EXACT_MOST = 2048, /* positions; up to here nothing is left
                                      out */
};

/* `= {0}` is empty. */
struct dtx_gather {
    const struct dtx_hosting *h;
    int position_count;
    int *proc_index; /* [processes] into those that may, or -1 */
    int view_count;
    struct dtx_hosting_view *views; /* [classes] on which something depends */
    struct dtx_kinds rows;          /* of positions */
    struct dtx_kinds columns;       /* of processes */
    int bundle;                     /* positions in a unit of a row */
    int *supplies;                  /* [rows] units */
    int *capacities;                /* [columns] units */
    /* While a row's edges are made. */
    int64_t *worths; /* [columns] bytes */
    int *at_home;    /* [columns] units that `block` puts there */
    int *touched;    /* [columns] those that have either */
    int touched_count;
    size_t edge_count, edge_capacity;
    struct dtx_assign_edge *edges;
    int64_t *edge_first; /* [rows + 1] */
    int64_t *dropped;    /* [rows] bytes of the best edge that was left out */
    bool is_exact;       /* the weights are the bytes; none is rounded */
    /* The weights are bytes / unit * scale, and 1 more at home. */
    int64_t unit;
    int64_t scale;
};

/* Makes views and kinds. Returns -1 when out of memory. */
int dtx_gather_kinds(struct dtx_gather *gather);

/* Makes supplies, capacities and edges. Returns -1 when out of memory. */
int dtx_gather_edges(struct dtx_gather *gather);

void dtx_gather_finish(struct dtx_gather *gather);

#endif
