/*
 * Channels against what a program would write by hand: MPI_Alltoallw with
 * subarray types, and packing by itself with MPI_Isend.
 *
 * bench-channel [MIB [REPEATS]], under mpirun. MIB is what all tensors have
 * together. All three move the same boxes, those of the channel's plan, in
 * turn. The best of the repeats counts; the first round is left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dtx/build.h>

#include "bench.h"
#include "bench_channel.h"

static const struct reshard reshards[] = {
    {"rows to columns", 0, 1, false, 1},
    {"columns to rows", 1, 0, false, 1},
    {"rows to replicas", 0, -1, false, 1},
    {"replicas to rows", -1, 0, false, 1},
    {"rows to others' columns", 0, 1, true, 1},
    {"200 tensors, rows to columns", 0, 1, false, 200},
};

static void
require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "bench-channel: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* ---------------------------------------------------------------- shards */

static int
dim_of(const struct bench *b, int end)
{
    return end == 0 ? b->r->source_dim : b->r->target_dim;
}

static void
shard_of(const struct bench *b, int end, int rank, int *lo, int *len)
{
    for (int d = 0; d < 2; d++) {
        int n = (int)b->shape[d], k = b->end_counts[end];
        int piece = d == dim_of(b, end) ? (n + k - 1) / k : n;

        lo[d] = d == dim_of(b, end) ? rank * piece : 0;
        len[d] = piece < n - lo[d] ? piece : n - lo[d];
    }
}

static int
rank_of(const struct bench *b, int end, int process)
{
    int rank = process - b->end_first[end];

    return rank >= 0 && rank < b->end_counts[end] ? rank : -1;
}

/* ---------------------------------------------------------------- channels */

static struct dtx_layout *
make_layout(const struct bench *b, int end)
{
    char word[NAME_BYTES];
    struct dtx_mesh_axis axis = {"tp", b->end_counts[end]};
    struct dtx_axis_placement placed = {"tp", word};
    struct dtx_rule_spec rule = {.name = "**",
                                 .placement_count = dim_of(b, end) >= 0,
                                 .placements = &placed};
    struct dtx_layout_spec spec = {
        .axis_count = 1, .axes = &axis, .rule_count = 1, .rules = &rule};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    snprintf(word, sizeof word, "shard(%d)", dim_of(b, end));
    require(dtx_layout_build(&spec, "bench", list, &layout, &err) == DTX_OK,
            err.message);
    dtx_diagnostics_destroy(list);
    return layout;
}

static void
open_channel(struct bench *b, struct dtx_transport *transport)
{
    struct dtx_tensor_spec specs[TENSORS_MOST];
    char names[TENSORS_MOST][NAME_BYTES];
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layouts[2] = {make_layout(b, 0), make_layout(b, 1)};
    struct dtx_offer offer = {0};
    struct dtx_catalog *catalog = NULL;
    struct dtx_channel_options options = {.strategy = DTX_STRATEGY_OPTIMAL};
    struct dtx_error err;

    for (int t = 0; t < b->r->tensor_count; t++) {
        snprintf(names[t], sizeof names[t], "t%03d", t);
        specs[t] = (struct dtx_tensor_spec){names[t], DTX_FLOAT32, 2, b->shape};
    }
    require(dtx_catalog_create(specs, b->r->tensor_count, &catalog, &err) ==
                DTX_OK,
            err.message);
    offer.source = rank_of(b, 0, b->process) >= 0 ? layouts[0] : NULL;
    offer.catalog = offer.source != NULL ? catalog : NULL;
    offer.target = rank_of(b, 1, b->process) >= 0 ? layouts[1] : NULL;
    require(dtx_channel_meet(&offer, transport, &options, list, &b->channel,
                             &err) == DTX_OK,
            err.message);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(layouts[0]);
    dtx_layout_destroy(layouts[1]);
    dtx_diagnostics_destroy(list);
}

static void
bind_arrays(struct bench *b)
{
    for (int end = 0; end < 2; end++) {
        int rank = rank_of(b, end, b->process);
        int lo[2], len[2];

        for (int t = 0; t < b->r->tensor_count && rank >= 0; t++) {
            char name[NAME_BYTES];
            int64_t shape[2];
            struct dtx_array array = {.tensor = name,
                                      .rank = rank,
                                      .dtype = DTX_FLOAT32,
                                      .ndim = 2,
                                      .shape = shape};
            struct dtx_error err;
            size_t bytes;

            shard_of(b, end, rank, lo, len);
            shape[0] = len[0];
            shape[1] = len[1];
            bytes = (size_t)len[0] * (size_t)len[1] * sizeof(float);
            b->arrays[end][t] = malloc(bytes);
            memset(b->arrays[end][t], end + 1, bytes);
            snprintf(name, sizeof name, "t%03d", t);
            array.data = b->arrays[end][t];
            require(dtx_channel_bind(b->channel, (enum dtx_role)end, &array,
                                     &err) == DTX_OK,
                    err.message);
        }
    }
}

static void
run_channel(struct bench *b)
{
    struct dtx_error err;

    require(dtx_channel_run(b->channel, &err) == DTX_OK, err.message);
}

/* ---------------------------------------------------------------- moves */

/* What moves of one tensor between two processes; false where nothing does. */
static bool
make_move(const struct bench *b, int tensor, int src, int dst, struct move *out)
{
    int lo[2][2], len[2][2];

    *out = (struct move){.tensor = tensor, .src = src, .dst = dst};
    shard_of(b, 0, rank_of(b, 0, src), lo[0], len[0]);
    shard_of(b, 1, rank_of(b, 1, dst), lo[1], len[1]);
    for (int d = 0; d < 2; d++) {
        int begin = lo[0][d] > lo[1][d] ? lo[0][d] : lo[1][d];
        int ends[2] = {lo[0][d] + len[0][d], lo[1][d] + len[1][d]};
        int end = ends[0] < ends[1] ? ends[0] : ends[1];

        if (begin >= end) {
            return false;
        }
        out->len[d] = end - begin;
        for (int e = 0; e < 2; e++) {
            out->sizes[e][d] = len[e][d];
            out->starts[e][d] = begin - lo[e][d];
        }
    }
    return true;
}

static void
add_move(struct bench *b, const struct move *move)
{
    if (b->move_count == b->move_capacity) {
        b->move_capacity = 2 * b->move_capacity + 64;
        b->moves =
            realloc(b->moves, (size_t)b->move_capacity * sizeof *b->moves);
    }
    b->moves[b->move_count++] = *move;
}

/* Replicas give what they have to themselves only. */
static void
list_moves(struct bench *b)
{
    for (int t = 0; t < b->r->tensor_count; t++) {
        for (int src = 0; src < b->process_count; src++) {
            for (int dst = 0; dst < b->process_count; dst++) {
                struct move move;

                if ((src == b->process || dst == b->process) &&
                    rank_of(b, 0, src) >= 0 && rank_of(b, 1, dst) >= 0 &&
                    (b->r->source_dim >= 0 || src == dst) &&
                    make_move(b, t, src, dst, &move)) {
                    add_move(b, &move);
                }
            }
        }
    }
}

/* ---------------------------------------------------------------- measuring */

/* Puts what was there before away. */
static void
clear_targets(struct bench *b)
{
    int lo[2], len[2];

    for (int t = 0; t < b->r->tensor_count && b->arrays[1][t] != NULL; t++) {
        shard_of(b, 1, rank_of(b, 1, b->process), lo, len);
        memset(b->arrays[1][t], 7,
               (size_t)len[0] * (size_t)len[1] * sizeof(float));
    }
}

/* True where all of the target's bytes are the source's. */
static bool
has_arrived(const struct bench *b)
{
    int lo[2], len[2];

    for (int t = 0; t < b->r->tensor_count && b->arrays[1][t] != NULL; t++) {
        const char *bytes = (const char *)b->arrays[1][t];

        shard_of(b, 1, rank_of(b, 1, b->process), lo, len);
        for (int64_t i = 0; i < (int64_t)len[0] * len[1] * 4; i++) {
            if (bytes[i] != 1) {
                return false;
            }
        }
    }
    return true;
}

enum { RIVALS = 3 };

static void (*const rivals[RIVALS])(struct bench *) = {
    run_channel, run_alltoallw, run_by_hand};

/* From the first process's begin to the last one's end: with more processes
 * than cores some begin late, and a process's own time is not all that a
 * program waits. Hence on one host, whose clock is everyone's. */
static double
measure(struct bench *b, void (*run)(struct bench *))
{
    double times[2]; /* the latest of: before the begin, the end */

    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -bench_now();
    run(b);
    times[1] = bench_now();
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return times[0] + times[1];
}

/* The best seconds of each, in turn after a first round that must bring all. */
static void
measure_all(struct bench *b, int repeats, double *seconds)
{
    for (int k = 0; k < RIVALS; k++) {
        clear_targets(b);
        (void)measure(b, rivals[k]);
        require(has_arrived(b), "wrong bytes");
        seconds[k] = INFINITY;
    }
    for (int i = 0; i < repeats; i++) {
        for (int k = 0; k < RIVALS; k++) {
            seconds[k] = fmin(seconds[k], measure(b, rivals[k]));
        }
    }
}

static void
set_ends(struct bench *b)
{
    int half = b->process_count / 2;
    bool splits = b->r->is_disjoint && half > 0;

    b->end_counts[0] = splits ? half : b->process_count;
    b->end_first[1] = splits ? half : 0;
    b->end_counts[1] = b->process_count - b->end_first[1];
}

static void
bench_reshard(const struct reshard *r, struct dtx_transport *transport,
              double mib, int repeats)
{
    struct bench b = {.r = r,
                      .process = dtx_transport_process(transport),
                      .process_count = dtx_transport_process_count(transport)};
    double elements = mib * 262144 / r->tensor_count;
    size_t bytes = (size_t)(mib * 1048576 * 2) + 4096;
    double seconds[RIVALS];

    b.shape[0] = b.shape[1] = (int64_t)sqrt(elements);
    b.out = malloc(bytes);
    b.in = malloc(bytes);
    set_ends(&b);
    open_channel(&b, transport);
    bind_arrays(&b);
    list_moves(&b);
    b.types = calloc(1, sizeof *b.types);
    make_types(&b, b.types);
    measure_all(&b, repeats, seconds);
    if (b.process == 0) {
        double other = fmin(seconds[1], seconds[2]);

        printf("%-30s %8.2f %8.2f %8.2f ms   %5.2f of the best other\n",
               r->name, seconds[0] * 1e3, seconds[1] * 1e3, seconds[2] * 1e3,
               seconds[0] / other);
        fflush(stdout);
    }
    dtx_channel_close(b.channel);
    free_types(&b, b.types);
    free(b.types);
    for (int e = 0; e < 2; e++) {
        for (int t = 0; t < r->tensor_count; t++) {
            free(b.arrays[e][t]);
        }
    }
    free(b.moves);
    free(b.out);
    free(b.in);
}

int
main(int argc, char **argv)
{
    double mib = argc > 1 ? atof(argv[1]) : 64;
    int repeats = argc > 2 ? atoi(argv[2]) : 10;
    struct dtx_transport *transport;
    struct dtx_error err;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    require(dtx_transport_create_mpi(&transport, &err) == DTX_OK, err.message);
    require(dtx_transport_process_count(transport) <= PROCESSES_MOST &&
                mib > 0 && mib <= 512 && repeats > 0,
            "up to 64 processes, MIB up to 512, REPEATS at least 1");
    if (dtx_transport_process(transport) == 0) {
        printf("%-30s  channel alltoallw by hand\n", "");
    }
    for (size_t i = 0; i < sizeof reshards / sizeof *reshards; i++) {
        bench_reshard(&reshards[i], transport, mib, repeats);
    }
    dtx_transport_destroy(transport);
    MPI_Finalize();
    return 0;
}
