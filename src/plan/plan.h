/*
 * The inside of a plan. See <dtx/plan.h> for the idea.
 *
 * A plan holds classes and instances: what tensors of one class cost is found
 * once. Everything is in one arena and immutable after dtx_plan_create().
 */
#ifndef DTX_PLAN_PLAN_H
#define DTX_PLAN_PLAN_H

#include <stdint.h>

#include <dtx/plan.h>

#include "layout/catalog.h"
#include "layout/layout.h"
#include "plan/class/class.h"
#include "plan/map/map.h"
#include "plan/step/schedule.h"
#include "util/arena.h"

/* One tensor, bound to a rule on both sides. */
struct dtx_tensor {
    const char *src_name; /* global name in the source */
    const char *dst_name; /* after rename */
    struct dtx_type src_type;
    struct dtx_type dst_type;
    int ndim;
    const int64_t *shape; /* logical */
    int src_rule;
    int dst_rule;
    int class_index;
    int first_dataset; /* in the catalog: of the lowest rank; -1: table */
    const char *from;  /* the placements in words */
    const char *to;
};

/* A dataset that is no tensor, carried whole. */
struct dtx_object {
    const char *dst_name;
    int dst_rule;
    int dataset; /* in the catalog, of the lowest rank that has it */
};

struct dtx_plan {
    struct dtx_arena arena;
    const struct dtx_layout *source;
    const struct dtx_layout *target;
    const struct dtx_catalog *catalog;
    struct dtx_plan_options options;
    bool is_memory; /* both ends are in memory */
    int tensor_count;
    struct dtx_tensor *tensors;
    int object_count;
    struct dtx_object *objects;
    int class_count;
    struct dtx_class **classes;
    int side_count;
    struct dtx_side **sides;    /* all that classes have */
    struct dtx_whole *wholes;   /* [side_count] route.c's own, or NULL */
    struct dtx_procs src_procs; /* who may read */
    struct dtx_procs dst_procs; /* who may write */
    struct dtx_map_gain gain;
    int *src_process; /* [source positions] */
    int *dst_process; /* [target positions] */
    struct dtx_plan_totals totals;
    struct dtx_process_cost *processes; /* [process_count] */
    struct dtx_strategy_cost costs[DTX_STRATEGY_COUNT];
    /* [DTX_STRATEGY_COUNT][class_count] of each class alone; AUTO: NULL */
    const struct dtx_tensor_cost *class_costs[DTX_STRATEGY_COUNT];
    struct dtx_plan_certificate certificate;
    int change_count;
    struct dtx_plan_change *changes; /* largest first */
    struct dtx_schedule *schedule;
    const int *nodes; /* [process_count]; NULL: all on one */
};

/* Tells who asked for the plan how many classes have been weighed: under each
 * strategy, and in the ways that suit them. */
void dtx_plan_show_progress(const struct dtx_plan *plan, uint64_t weighed);

/* In place of a dataset's index. */
enum {
    DTX_DATASET_NONE = -1,  /* there is none */
    DTX_DATASET_MEMORY = -2 /* it can't be told: out of memory */
};

/* The dataset of a tensor, by its global name, in a position's file. scratch
 * is reset. */
int dtx_source_dataset(const struct dtx_layout *layout,
                       const struct dtx_catalog *catalog, const char *name,
                       int position, struct dtx_arena *scratch);

/* The dataset with a tensor's shard of a source position; DTX_DATASET_NONE
 * only for an empty shard, left out. */
int dtx_plan_source_dataset(const struct dtx_plan *plan, int tensor,
                            int position);

/* True where a position's dataset of a tensor isn't that of a lower one too. */
bool dtx_side_is_first(const struct dtx_side *side,
                       const struct dtx_layout *layout, int position);

/* True where this target position's dataset is written by its process, and
 * not by that of a lower position that shares the dataset. */
bool dtx_plan_writes(const struct dtx_plan *plan, const struct dtx_side *dst,
                     int position);

#endif
