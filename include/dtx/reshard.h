/*
 * Resharding: a plan carried out.
 */
#ifndef DTX_RESHARD_H
#define DTX_RESHARD_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/plan.h>
#include <dtx/progress.h>
#include <dtx/status.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called on process 0 only: something that a user wants to know, one sentence
 * without a final stop. */
typedef void dtx_remark_visit(const char *remark, void *context);

/* How much of the source's replicas is compared before anything moves. */
enum dtx_check_replicas {
    DTX_CHECK_REPLICAS_SAMPLE, /* the ends and some places between of each */
    DTX_CHECK_REPLICAS_ALL,
    DTX_CHECK_REPLICAS_NONE /* the lowest rank's is taken */
};

/* What one process did, counted while doing it. The seconds are those of three
 * threads, beside each other. */
struct dtx_reshard_process {
    uint64_t read;
    uint64_t kept;
    uint64_t received;
    uint64_t written;
    double read_seconds;  /* reading and packing */
    double write_seconds; /* unpacking and writing */
    double wait_seconds;  /* waiting for messages */
};

struct dtx_reshard_options {
    bool force; /* replace an existing target */
    /* Go on with what an interrupted run left; where there is nothing, begin.
     * The layouts and the source must be what they were. */
    bool resume;
    /* How often what was done is made safe for that, at least; 0: 20 s, and
     * below 0: as often as possible, for tests. */
    int checkpoint_seconds;
    /* Read the result back before it takes its place, and compare digests. */
    bool verify;
    enum dtx_check_replicas check_replicas;
    dtx_progress_visit *progress; /* may be NULL */
    void *progress_context;
    dtx_remark_visit *remark; /* may be NULL */
    void *remark_context;
    /* [processes of the transport] filled on success; may be NULL. */
    struct dtx_reshard_process *processes;
};

/* How far floats are from what they were, where they became narrower; what
 * became infinite is so without end. */
struct dtx_conversion_error {
    double absolute; /* the largest; 0: all values are as they were */
    double relative; /* the largest, to the value that was */
    int tensor;      /* the plan's with the largest absolute one; -1: none */
};

/* What was done, counted while doing it; sums over all processes. */
struct dtx_reshard_summary {
    uint64_t read;
    uint64_t kept;
    uint64_t moved;
    uint64_t written;
    uint64_t read_back; /* with `verify` */
    uint64_t files;
    int64_t resumed; /* tensors that an interrupted run had done; not counted
                        in the bytes */
    double seconds;
    double read_seconds;  /* of the busiest process: reading and packing */
    double write_seconds; /* of the busiest process: unpacking and writing */
    double wait_seconds;  /* of the busiest process: waiting for messages */
    struct dtx_conversion_error conversion; /* of what this run converted */
};

/*
 * Runs a plan: reads the source's files, moves, writes the target's files
 * under temporary names, and puts them in place when all are complete; the
 * manifest comes last. Collective over the transport, which must have as many
 * processes as the plan; every process leaves with the same status and the
 * error of the lowest process that failed.
 *
 * summary_out  set on success only, on every process
 *
 * A journal beside the manifest, `.journal` in place of `.yaml`, stands until
 * all is in place: it says how much is safe, keeps a second run away, and tells
 * readers that the target is unfinished.
 *
 * Fails with DTX_ERR_TARGET where the target exists (without force), can't be
 * made, is being written by another run, or the disk is full; DTX_ERR_SOURCE
 * where the source can't be read or replicas differ; DTX_ERR_DIGEST where data
 * doesn't match a digest; DTX_ERR_INVALID where the transport has another
 * number of processes; DTX_ERR_LIMIT, DTX_ERR_COMM and DTX_ERR_DEVICE; and
 * DTX_ERR_INTERRUPTED after a request to stop (see <dtx/stop.h>). After a
 * failure no target is, or the old one. What a later run can go on with stays,
 * which the hint then says; else the temporary files are gone.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_reshard(const struct dtx_plan *plan, struct dtx_transport *transport,
            const struct dtx_reshard_options *options,
            struct dtx_reshard_summary *summary_out, struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
