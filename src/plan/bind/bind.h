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

/* "cannot open …" for the file of a position that isn't there, with a hint on
 * how many of the layout's files are. */
enum dtx_status dtx_refuse_file(const struct dtx_binding *binding, int position,
                                struct dtx_error *err);

/*
 * Refuses what can't be: an axis that both limits who holds the tensor and
 * shards it, shards of several ranks in one dataset, pending reductions in a
 * global view. Returns DTX_ERR_INVALID after a diagnostic.
 */
enum dtx_status dtx_check_holders(const struct dtx_layout *layout,
                                  const struct dtx_rule *rule, const char *name,
                                  const struct dtx_tiling *tiling,
                                  const struct dtx_presence *presence,
                                  struct dtx_diagnostics *list,
                                  struct dtx_error *err);

/* Where a layout begins to rename; nowhere if it doesn't. */
static inline struct dtx_mark
dtx_rename_mark(const struct dtx_layout *layout)
{
    return layout->rename_count > 0 ? layout->renames->mark
                                    : (struct dtx_mark){0, 0, 0};
}

/* Adds a diagnostic at a place of the layout's file, and sets err to the same
 * message with DTX_ERR_INVALID. */
enum dtx_status dtx_refuse(const struct dtx_layout *layout,
                           struct dtx_mark mark, const char *code,
                           struct dtx_diagnostics *list, struct dtx_error *err,
                           const char *format, ...) DTX_PRINTF(6, 7);

/* The same for a tensor with a number that nobody holds, as err says. */
enum dtx_status dtx_refuse_number(const struct dtx_layout *layout,
                                  const char *name,
                                  struct dtx_diagnostics *list,
                                  struct dtx_error *err);

#endif
