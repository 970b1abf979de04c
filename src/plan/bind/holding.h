/*
 * Holdings: a checkpoint by itself, as its layout says: its tensors, and which
 * ranks hold which shards of them in which datasets.
 *
 * What is only read, to be checked or compared, needs no plan. A holding comes
 * from a layout and the catalog of its files, or from a plan's target once its
 * files are there.
 */
#ifndef DTX_PLAN_BIND_HOLDING_H
#define DTX_PLAN_BIND_HOLDING_H

#include "plan/plan.h"

/* A tensor. */
struct dtx_held {
    const char *name; /* global */
    struct dtx_type type;
    int ndim;
    const int64_t *shape; /* logical */
    const struct dtx_rule *rule;
    const struct dtx_side *side;
    int dataset; /* in the catalog, whose attributes are the tensor's; -1: of a
                    plan's target */
};

/* A dataset that is no tensor. */
struct dtx_held_object {
    const char *name; /* global */
    int dataset;      /* in the catalog, of the lowest rank that has it */
    struct dtx_presence presence;
};

/* A group that has attributes, or holds nothing. */
struct dtx_held_group {
    const char *path; /* below the dataset template; "" is the root */
    int attribute_count;
    const struct dtx_attribute *attributes; /* each of the lowest rank that has
                                               it */
};

struct dtx_holding {
    struct dtx_arena arena;
    const struct dtx_layout *layout;
    const struct dtx_catalog *catalog;
    int tensor_count;
    struct dtx_held *tensors; /* by name, as strcmp() has it */
    int object_count;
    struct dtx_held_object *objects; /* in the same order */
    int group_count;
    struct dtx_held_group *groups; /* by path */
};

/*
 * Binds a layout to the catalog of its files.
 *
 * layout, catalog  borrowed until the holding is destroyed
 * list             receives mistakes and warnings
 *
 * Fails as dtx_inspect() does.
 */
enum dtx_status dtx_holding_create(const struct dtx_layout *layout,
                                   const struct dtx_catalog *catalog,
                                   struct dtx_diagnostics *list,
                                   struct dtx_holding **holding_out,
                                   struct dtx_error *err);

/* Sets the groups from the catalog. Returns -1 when out of memory. */
int dtx_holding_add_groups(struct dtx_holding *holding);

/*
 * The holding of a plan's target. Its tensors are the plan's, in the plan's
 * order, without objects and groups; of a pending reduction only what holds the
 * value is a shard.
 *
 * plan, catalog  borrowed until the holding is destroyed
 */
enum dtx_status dtx_holding_of_target(const struct dtx_plan *plan,
                                      const struct dtx_catalog *catalog,
                                      struct dtx_holding **holding_out,
                                      struct dtx_error *err);

void dtx_holding_destroy(struct dtx_holding *holding);

#endif
