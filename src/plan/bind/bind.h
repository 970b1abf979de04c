/*
 * Binding: from a catalog and two layouts to tensors.
 *
 * Every dataset of the source is claimed by the ranks that hold it, gets its
 * global name, its rule on both sides, its logical shape, and is checked
 * against the layout on every rank. What is left over is an error: nothing is
 * dropped silently.
 */
#ifndef DTX_PLAN_BIND_BIND_H
#define DTX_PLAN_BIND_BIND_H

#include "plan/class/intern.h"
#include "plan/plan.h"
#include "util/names.h"

/* A tensor or object of the source while it is bound. */
struct dtx_bound {
    const char *name; /* global, in the source */
    int dataset;      /* of the lowest rank that has it; -1: table */
    struct dtx_type type;
    int rule;
    bool is_object;
    struct dtx_presence presence;
    int ndim;
    const int64_t *shape; /* logical */
    const struct dtx_tiling *tiling;
};

/* One side's names, while a plan or an inspection is made. */
struct dtx_binding {
    struct dtx_arena *arena; /* of the plan */
    const struct dtx_layout *layout;
    const struct dtx_catalog *catalog;
    struct dtx_diagnostics *list;
    struct dtx_intern *intern;
    int *file_first; /* [files + 1] into the catalog's datasets */
    struct dtx_names names;
    size_t bound_count, bound_capacity;
    struct dtx_bound *bound; /* [names.count] */
    int *rule_uses;          /* [layout->rule_count] names that matched */
};

/*
 * Binds all that a source holds. The binding's strings and shapes are in the
 * arena; dtx_binding_finish() frees the rest.
 *
 * Fails as dtx_plan_create() does.
 */
enum dtx_status dtx_bind_source(struct dtx_binding *binding,
                                struct dtx_error *err);
void dtx_binding_finish(struct dtx_binding *binding);

/*
 * Finds the logical shape of a bound tensor from its shards and its rule, its
 * tiling, and checks every rank's shard against it.
 */
enum dtx_status dtx_bind_shape(struct dtx_binding *binding,
                               struct dtx_bound *bound, struct dtx_error *err);

/* Where a layout begins to rename; nowhere if it doesn't. */
static inline struct dtx_mark
dtx_rename_mark(const struct dtx_layout *layout)
{
    return layout->rename_count > 0 ? layout->renames->mark
                                    : (struct dtx_mark){0, 0, 0};
}

#endif
