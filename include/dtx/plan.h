/*
 * Plans: what must move, and what it costs.
 *
 * A plan is made from two layouts and the source's catalog, without reading
 * data and without communication: the same inputs give the same plan on every
 * process. It is immutable. `read` counts bytes in the source's element type,
 * `written` in the target's, and what is kept or moves in the narrower one.
 *
 * Functions are local unless they say that they are collective. What they
 * return of a plan or an inspection, and what they pass to visits, is borrowed:
 * until it is destroyed, or for the visit. Indices are >= 0 and below the count
 * that goes with them. Destroying takes NULL.
 */
#ifndef DTX_PLAN_H
#define DTX_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/device.h>
#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/machine.h>
#include <dtx/progress.h>
#include <dtx/status.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_plan;

enum dtx_strategy {
    DTX_STRATEGY_AUTO,
    DTX_STRATEGY_OPTIMAL,
    DTX_STRATEGY_REDISTRIBUTE,
    DTX_STRATEGY_MATERIALIZE,
    DTX_STRATEGY_DIRECT,
    DTX_STRATEGY_COUNT
};

/* "auto", "optimal", …; never NULL. */
DTX_API const char *dtx_strategy_name(enum dtx_strategy strategy);
DTX_API bool dtx_strategy_find(const char *name, enum dtx_strategy *out);

/* Which process hosts which rank; each hosts at most ceil(ranks / processes) of
 * a mesh. AUTO takes the map under which least must move, and BLOCK where that
 * is no less. */
enum dtx_map { DTX_MAP_AUTO, DTX_MAP_BLOCK, DTX_MAP_CYCLIC, DTX_MAP_COUNT };

DTX_API const char *dtx_map_name(enum dtx_map map);
DTX_API bool dtx_map_find(const char *name, enum dtx_map *out);

struct dtx_plan_options {
    enum dtx_strategy strategy;
    int process_count;     /* >= 1 */
    uint64_t memory_bytes; /* per process, for data; > 0 */
    enum dtx_map map;
    /* Of a plan for files neither is AUTO once it is made. CPU goes with MPI
     * only. Of a plan for tensors in memory the device is left alone: it is
     * where the arrays are. */
    enum dtx_device_kind device;
    enum dtx_carrier transport;
    int src_proc_count; /* processes that may read the source; 0: all */
    const int *src_procs;
    int dst_proc_count; /* processes that may write the target; 0: all */
    const int *dst_procs;
    /* [positions of the mesh] the process that hosts each, in place of `map`
     * and the lists above; NULL: as they say. Where only one side is given,
     * AUTO is BLOCK on the other. Borrowed until the plan is made. */
    const int *src_map;
    const int *dst_map;
    const int *nodes;  /* [process_count] the node of each, numbered from 0
                          without large gaps; NULL: all are on one */
    int include_count; /* globs on target names; 0: all */
    const char *const *include;
    int exclude_count;
    const char *const *exclude;
    /* For the cost model; NULL: the default. Borrowed until the plan is made.
     */
    const struct dtx_machine *machine;
    /* Called on every process, often, without the time, which a plan knows
     * nothing of; may be NULL. Counts classes of tensors. */
    dtx_progress_visit *progress;
    void *progress_context;
    /* True once the plan isn't wanted any more, and then for good. Asked often
     * while it is made, which can take minutes for thousands of ranks; may be
     * NULL. */
    bool (*must_stop)(void);
};

/*
 * Makes a plan. Local and deterministic.
 *
 * Where both layouts were parsed as DTX_MEMORY, it is a plan for tensors in
 * memory (see <dtx/channel.h>): storage costs nothing, and `direct` isn't
 * possible, since no process can read what another one has.
 *
 * source, target, catalog  borrowed until the plan is destroyed
 * list   receives the mistakes and warnings that show only with the shapes
 *
 * Fails with DTX_ERR_INVALID when the layouts don't fit (list has errors, or
 * err says it), DTX_ERR_SOURCE where the catalog isn't what the layout says,
 * DTX_ERR_LIMIT where the memory doesn't suffice (the message names the least
 * that does) or the bytes of all ranks add up to 8 EiB or more, and
 * DTX_ERR_INTERRUPTED where it isn't wanted any more.
 */
DTX_API DTX_NODISCARD enum dtx_status dtx_plan_create(
    const struct dtx_layout *source, const struct dtx_layout *target,
    const struct dtx_catalog *catalog, const struct dtx_plan_options *options,
    struct dtx_diagnostics *list, struct dtx_plan **plan_out,
    struct dtx_error *err);

DTX_API void dtx_plan_destroy(struct dtx_plan *plan);

/* The sums over all processes, in bytes. */
struct dtx_plan_totals {
    int64_t tensor_count;
    int64_t object_count;    /* carried whole; not in the bytes */
    int64_t excluded_count;  /* left out by include and exclude */
    int64_t converted_count; /* tensors that change their dtype */
    int64_t renamed_count;
    int64_t padded_count;  /* written longer than their logical shape */
    int64_t trimmed_count; /* read without padding that is stored */
    int64_t reduced_count; /* of which terms are put together */
    uint64_t logical;      /* of all tensors, each element once */
    uint64_t read;
    uint64_t kept;
    uint64_t moved;
    uint64_t written;
    uint64_t moved_at_least; /* no strategy moves less under this map */
};

/* What one process does, in bytes. */
struct dtx_process_cost {
    uint64_t read;
    uint64_t kept;
    uint64_t passed; /* from one round to the next, within the process */
    uint64_t sent;
    uint64_t received;
    uint64_t written;
    uint64_t memory; /* the most it uses for data at a time */
};

/* What the map AUTO gains, in bytes that at least must move; 0 of others. */
struct dtx_map_gain {
    uint64_t saved;         /* less than under BLOCK */
    uint64_t saved_at_most; /* no map saves more; UINT64_MAX: not proven */
};

/* The seconds that each stage takes by itself. First the files are made; then
 * the others go on at the same time, as far as the machine lets them. */
struct dtx_stage_seconds {
    double setup;
    double read;
    double travel; /* of messages */
    double write;
};

/* What a strategy would cost. Of AUTO, what its choice does. */
struct dtx_strategy_cost {
    bool is_known;        /* false: the memory doesn't suffice for it */
    int64_t tensor_count; /* that go by it in this plan */
    uint64_t read;
    uint64_t moved;
    uint64_t memory; /* of the process that uses most */
    double seconds;  /* predicted */
    struct dtx_stage_seconds stages;
};

/* What the plan does, and what no schedule could beat under its map. */
struct dtx_plan_claim {
    uint64_t bytes;
    uint64_t at_least;
};

struct dtx_plan_certificate {
    struct dtx_plan_claim read;
    struct dtx_plan_claim moved;   /* of tensors that are sent at all */
    struct dtx_plan_claim busiest; /* sent or received by one process */
    struct dtx_plan_claim written;
};

/* The tensors that change in the same way, for a table. */
struct dtx_plan_change {
    const char *from; /* "shard(0) tp/4", "replicated"; borrowed */
    const char *to;
    int64_t tensor_count;
    uint64_t logical;
    uint64_t moved;
    uint64_t kept;
};

struct dtx_plan_tensor {
    const char *name;        /* in the target */
    const char *source_name; /* in the source */
    struct dtx_type source_type;
    struct dtx_type type;
    int ndim;
    const int64_t *shape; /* logical */
    const char *from;     /* as in dtx_plan_change */
    const char *to;
    int alike; /* the first tensor that moves as this one does, the same
                  boxes between the same ranks */
};

DTX_API const struct dtx_plan_options *
dtx_plan_options(const struct dtx_plan *plan);
DTX_API const struct dtx_plan_totals *
dtx_plan_totals(const struct dtx_plan *plan);
/* [process_count] */
DTX_API const struct dtx_process_cost *
dtx_plan_processes(const struct dtx_plan *plan);
/* The process that hosts each position. [positions of the mesh] */
DTX_API const int *dtx_plan_source_processes(const struct dtx_plan *plan);
DTX_API const int *dtx_plan_target_processes(const struct dtx_plan *plan);
DTX_API const struct dtx_map_gain *
dtx_plan_map_gain(const struct dtx_plan *plan);
DTX_API const struct dtx_strategy_cost *
dtx_plan_strategy_cost(const struct dtx_plan *plan, enum dtx_strategy strategy);

DTX_API const struct dtx_plan_certificate *
dtx_plan_certificate(const struct dtx_plan *plan);

DTX_API int dtx_plan_change_count(const struct dtx_plan *plan);
/* Largest first. */
DTX_API const struct dtx_plan_change *
dtx_plan_change(const struct dtx_plan *plan, int index);

/* A number that is the same for plans that move the same in the same way, on
 * any process, and hardly ever for others. Local. */
DTX_API uint64_t dtx_plan_fingerprint(const struct dtx_plan *plan);

DTX_API int dtx_plan_tensor_count(const struct dtx_plan *plan);
/* The index of a tensor by its name in the source, or in the target (role);
 * -1 where there is none. Takes as long as there are tensors. Local. */
DTX_API int dtx_plan_find_tensor(const struct dtx_plan *plan,
                                 enum dtx_role role, const char *name);
/*
 * The shape of what a position of the source's or the target's mesh (role)
 * stores of a tensor, padding included. False where it holds nothing of it;
 * an empty shard has an extent of 0. Local.
 *
 * shape_out  [ndim of the tensor]
 */
DTX_API bool dtx_plan_shard_shape(const struct dtx_plan *plan,
                                  enum dtx_role role, int tensor, int position,
                                  int64_t *shape_out);
/* Fills *out; its pointers are borrowed until the plan is destroyed. */
DTX_API void dtx_plan_tensor(const struct dtx_plan *plan, int index,
                             struct dtx_plan_tensor *out);

/* One box of one tensor on its way from a source rank to a target rank. */
struct dtx_transfer {
    const char *tensor; /* target name */
    int64_t src_rank;
    int64_t dst_rank;
    int src_process; /* that sends it: src_rank's, or one that passes it on */
    int dst_process;
    int ndim;
    const int64_t *begin; /* [ndim] global logical indices */
    const int64_t *end;
    uint64_t bytes;
};

/* Returns false to stop. */
typedef bool dtx_transfer_visit(const struct dtx_transfer *transfer,
                                void *context);

/*
 * Visits every transfer in canonical order: tensor, target rank, source rank,
 * begin. Whole boxes, however they are cut into steps. The transfer is
 * borrowed for the call. Returns DTX_ERR_LIMIT only when out of memory.
 */
DTX_API enum dtx_status dtx_plan_each_transfer(const struct dtx_plan *plan,
                                               dtx_transfer_visit *visit,
                                               void *context,
                                               struct dtx_error *err);

/* The same for one tensor, by its index. */
DTX_API enum dtx_status dtx_plan_each_transfer_of(const struct dtx_plan *plan,
                                                  int tensor,
                                                  dtx_transfer_visit *visit,
                                                  void *context,
                                                  struct dtx_error *err);

/* What one tensor costs under a strategy, with those that are like it. */
struct dtx_tensor_cost {
    bool is_known;        /* false: the memory doesn't suffice for it */
    int64_t tensor_count; /* this one and those that go as it does */
    uint64_t moved;       /* of all these, in bytes */
    double seconds;       /* predicted for these alone */
};

/* How a tensor goes in this plan. */
DTX_API enum dtx_strategy dtx_plan_tensor_strategy(const struct dtx_plan *plan,
                                                   int tensor);
/* Fills *out for any strategy but AUTO. */
DTX_API void dtx_plan_tensor_cost(const struct dtx_plan *plan, int tensor,
                                  enum dtx_strategy strategy,
                                  struct dtx_tensor_cost *out);

/* A run of indices, half open. */
struct dtx_index_run {
    int64_t begin, end;
};

/* What a rank holds of a tensor: the product of its runs in each dim. */
struct dtx_shard {
    int64_t rank;
    const char *place; /* "dp=0 tp=3" */
    int64_t copy_of;   /* the first rank that holds the same; itself */
    int ndim;
    const int64_t *shape;  /* [ndim] as stored, with padding */
    const int *run_counts; /* [ndim] */
    const struct dtx_index_run *const *runs; /* [ndim] in the shard's order;
                                                logical indices */
    uint64_t bytes;                          /* stored */
    const char *file;
    const char *dataset;
    bool is_global;  /* the dataset holds the whole tensor */
    bool has_offset; /* false: not there yet, or not contiguous */
    uint64_t offset; /* of the dataset in the file, in bytes */
};

/* Returns false to stop. */
typedef bool dtx_shard_visit(const struct dtx_shard *shard, void *context);

/*
 * Visits the shards of a tensor in the source or in the target, in the order
 * of the mesh's positions. A shard is borrowed for the call. Returns
 * DTX_ERR_LIMIT only when out of memory.
 */
DTX_API enum dtx_status dtx_plan_each_shard(const struct dtx_plan *plan,
                                            enum dtx_role role, int tensor,
                                            dtx_shard_visit *visit,
                                            void *context,
                                            struct dtx_error *err);

/* One rank's share of a layout, for `inspect`. */
struct dtx_rank_share {
    int64_t rank;
    const char *place; /* "dp=0 tp=3" */
    int64_t tensor_count;
    uint64_t bytes; /* stored, with padding */
};

/* A layout with the tensors of its own catalog, without a target. */
struct dtx_inspection;

/*
 * Binds the tensors of a catalog to a layout, as a plan does with its source.
 *
 * layout, catalog  borrowed until the inspection is destroyed
 * list             receives mistakes and warnings
 *
 * Fails with DTX_ERR_INVALID where they don't fit, DTX_ERR_SOURCE where the
 * files aren't what the layout says, DTX_ERR_LIMIT when out of memory or where
 * the bytes of all ranks add up to 8 EiB or more.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_inspect(const struct dtx_layout *layout, const struct dtx_catalog *catalog,
            struct dtx_diagnostics *list, struct dtx_inspection **out,
            struct dtx_error *err);
DTX_API void dtx_inspection_destroy(struct dtx_inspection *inspection);
DTX_API int dtx_inspection_tensor_count(const struct dtx_inspection *i);
/* name, source_type, ndim, shape and from are set; the rest repeats them. */
DTX_API void dtx_inspection_tensor(const struct dtx_inspection *i, int index,
                                   struct dtx_plan_tensor *out);
/* As dtx_plan_each_shard(). The layout and the catalog still stand. */
DTX_API enum dtx_status
dtx_inspection_each_shard(const struct dtx_inspection *i, int tensor,
                          dtx_shard_visit *visit, void *context,
                          struct dtx_error *err);
DTX_API int dtx_inspection_rank_count(const struct dtx_inspection *i);
DTX_API const struct dtx_rank_share *
dtx_inspection_rank(const struct dtx_inspection *i, int index);

#ifdef __cplusplus
}
#endif
#endif
