/*
 * Views: one class, seen by the mesh that moves.
 *
 * An item is a shard with only the pieces of those dims that matter: where two
 * dims' pieces share equally much whichever they are, they don't.
 */
#ifndef DTX_PLAN_MAP_HOSTING_VIEW_H
#define DTX_PLAN_MAP_HOSTING_VIEW_H

#include "plan/map/hosting.h"

/* That the processes of a column have an item; count times, in different
 * shards. */
struct dtx_stock {
    int column;
    int count;
};

struct dtx_hosting_view {
    const struct dtx_class *c;
    const struct dtx_side *moving;
    const struct dtx_side *fixed;
    bool moves_target;
    int dim_count;
    int dims[DTX_NDIM_MAX]; /* [dim_count] that matter, ascending */
    bool is_exact;          /* all dims that don't matter are uniform */
    int64_t bytes;          /* that one element of all other dims stands for */
    int item_count;         /* of the fixed side */
    int *items;             /* [positions] the moving side's; -1: not held */
    int *stock_first;       /* [item_count + 1] into stocks */
    struct dtx_stock *stocks; /* item by item */
};

/*
 * Makes the view of a class; items are set, stocks are not.
 *
 * approximately  dims whose pieces all meet don't matter, even if some pairs
 *                share a little more than others
 *
 * Returns -1 when out of memory; finish it then too.
 */
int dtx_hosting_view_init(struct dtx_hosting_view *view,
                          const struct dtx_class *c, bool moves_target,
                          bool approximately);
void dtx_hosting_view_finish(struct dtx_hosting_view *view);

/*
 * False where a position is worth the same on every process.
 *
 * proc_index  [processes] -1: may have none
 */
bool dtx_hosting_view_decides(const struct dtx_hosting_view *view,
                              const int *proc_index, int proc_count);

/* The item of a shard of a side of the view. */
int dtx_hosting_view_item(const struct dtx_hosting_view *view,
                          const struct dtx_side *side, int shard);

/* Called for each item of the fixed side that one of the moving side meets. */
typedef void dtx_hosting_view_visit(const struct dtx_hosting_view *view,
                                    int item, int64_t bytes, void *context);
void dtx_hosting_view_walk(const struct dtx_hosting_view *view, int item,
                           dtx_hosting_view_visit *visit, void *context);

#endif
