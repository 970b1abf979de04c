/*
 * Checks channels under mpirun: on communicators of the program's own, with
 * runs that allocate nothing, and with processes that fail.
 *
 * The first half of the processes sends, the second half receives; one alone
 * does both.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dtx/build.h>
#include <dtx/channel.h>
#include <dtx/mpi.h>

#include "counting.h"
#include "util/alloc.h"

enum { ROWS = 24, COLUMNS = 10, NAME_BYTES = 16, TENSORS = 40, RUNS = 3 };

/* One end of a channel on this process. */
struct end {
    struct dtx_layout *layout;
    int rank; /* of the end's mesh; -1: this process isn't there */
    float *data[TENSORS];
};

struct sync {
    struct dtx_transport *transport;
    struct dtx_catalog *catalog;
    struct dtx_channel *channel;
    struct end ends[2];
    int counts[2]; /* processes at each end */
    struct dtx_error err;
};

#define CHECK(holds)                                                           \
    do {                                                                       \
        if (!(holds)) {                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,         \
                    #holds);                                                   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

static void
set_name(int tensor, char *name)
{
    snprintf(name, NAME_BYTES, "layers.%d.w", tensor);
}

static float
value_of(int tensor, int64_t row, int64_t column, int run)
{
    return (float)(tensor * 1000 + run * 7) + (float)row +
           (float)column / COLUMNS;
}

static struct dtx_layout *
make_layout(const char *placement, int size, struct dtx_error *err)
{
    struct dtx_mesh_axis axis = {"tp", size};
    struct dtx_axis_placement placed = {"tp", placement};
    struct dtx_rule_spec rule = {
        .name = "**", .placement_count = 1, .placements = &placed};
    struct dtx_layout_spec spec = {
        .axis_count = 1, .axes = &axis, .rule_count = 1, .rules = &rule};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;

    CHECK(dtx_layout_build(&spec, "made", list, &layout, err) == DTX_OK);
    dtx_diagnostics_destroy(list);
    return layout;
}

static struct dtx_catalog *
make_catalog(struct dtx_error *err)
{
    static const int64_t shape[] = {ROWS, COLUMNS};
    struct dtx_tensor_spec specs[TENSORS];
    char names[TENSORS][NAME_BYTES];
    struct dtx_catalog *catalog = NULL;

    for (int t = 0; t < TENSORS; t++) {
        set_name(t, names[t]);
        specs[t] = (struct dtx_tensor_spec){names[t], DTX_FLOAT32, 2, shape};
    }
    CHECK(dtx_catalog_create(specs, TENSORS, &catalog, err) == DTX_OK);
    return catalog;
}

/* The source's rows are divided, the target's columns. */
static void
shape_of(const struct sync *s, enum dtx_role role, int64_t *shape_out)
{
    CHECK(dtx_plan_shard_shape(dtx_channel_plan(s->channel), role, 0,
                               s->ends[role].rank, shape_out));
}

static void
bind_end(struct sync *s, enum dtx_role role)
{
    struct end *end = &s->ends[role];
    int64_t shape[2];
    char name[NAME_BYTES];
    struct dtx_array array = {.tensor = name,
                              .rank = end->rank,
                              .dtype = DTX_FLOAT32,
                              .ndim = 2,
                              .shape = shape};

    if (end->rank < 0) {
        return;
    }
    shape_of(s, role, shape);
    for (int t = 0; t < TENSORS; t++) {
        set_name(t, name);
        end->data[t] = calloc((size_t)(shape[0] * shape[1]) + 1, sizeof(float));
        array.data = end->data[t];
        CHECK(dtx_channel_bind(s->channel, role, &array, &s->err) == DTX_OK);
    }
}

static void
fill_source(struct sync *s, int run)
{
    struct end *end = &s->ends[DTX_SOURCE];
    int64_t shape[2], first;

    if (end->rank < 0) {
        return;
    }
    shape_of(s, DTX_SOURCE, shape);
    first = end->rank * ((ROWS + s->counts[0] - 1) / s->counts[0]);
    for (int t = 0; t < TENSORS; t++) {
        for (int64_t i = 0; i < shape[0] * shape[1]; i++) {
            end->data[t][i] =
                value_of(t, first + i / COLUMNS, i % COLUMNS, run);
        }
    }
}

static void
check_target(struct sync *s, int run)
{
    struct end *end = &s->ends[DTX_TARGET];
    int64_t shape[2], first;

    if (end->rank < 0) {
        return;
    }
    shape_of(s, DTX_TARGET, shape);
    first = end->rank * ((COLUMNS + s->counts[1] - 1) / s->counts[1]);
    for (int t = 0; t < TENSORS; t++) {
        for (int64_t i = 0; i < shape[0] * shape[1]; i++) {
            CHECK(end->data[t][i] ==
                  value_of(t, i / shape[1], first + i % shape[1], run));
        }
    }
}

/* Says which process is at which end. */
static void
take_sides(struct sync *s, bool is_sender, bool is_receiver)
{
    int own[2] = {is_sender, is_receiver}, before[2] = {0, 0};
    int process = dtx_transport_process(s->transport);
    int count = dtx_transport_process_count(s->transport);

    for (int p = 0; p < count; p++) {
        int theirs[2] = {own[0], own[1]};

        CHECK(dtx_transport_broadcast(s->transport, p, theirs, sizeof theirs,
                                      &s->err) == DTX_OK);
        for (int e = 0; e < 2; e++) {
            s->counts[e] += theirs[e];
            before[e] += p < process ? theirs[e] : 0;
        }
    }
    s->ends[0].rank = is_sender ? before[0] : -1;
    s->ends[1].rank = is_receiver ? before[1] : -1;
}

static void
open_sync(struct sync *s, struct dtx_transport *transport, bool is_sender,
          bool is_receiver, const struct dtx_channel_options *options)
{
    struct dtx_offer offer = {0};
    struct dtx_diagnostics *list = dtx_diagnostics_create();

    *s = (struct sync){.transport = transport};
    take_sides(s, is_sender, is_receiver);
    s->catalog = make_catalog(&s->err);
    if (is_sender) {
        s->ends[0].layout = make_layout("shard(0)", s->counts[0], &s->err);
        offer.source = s->ends[0].layout;
        offer.catalog = s->catalog;
    }
    if (is_receiver) {
        s->ends[1].layout = make_layout("shard(1)", s->counts[1], &s->err);
        offer.target = s->ends[1].layout;
        offer.expected = s->catalog;
    }
    CHECK(dtx_channel_meet(&offer, transport, options, list, &s->channel,
                           &s->err) == DTX_OK);
    dtx_diagnostics_destroy(list);
    bind_end(s, DTX_SOURCE);
    bind_end(s, DTX_TARGET);
}

static void
close_sync(struct sync *s)
{
    dtx_channel_close(s->channel);
    for (int e = 0; e < 2; e++) {
        for (int t = 0; t < TENSORS; t++) {
            free(s->ends[e].data[t]);
        }
        dtx_layout_destroy(s->ends[e].layout);
    }
    dtx_catalog_destroy(s->catalog);
}

/* ---------------------------------------------------------------- claims */

/* The first run may make what the transport lacks; those after it get by with
 * what there is. */
static void
runs_move_what_is_there_now(struct sync *s)
{
    for (int run = 0; run < RUNS; run++) {
        fill_source(s, run);
        dtx_alloc_fail_after(run == 0 ? -1 : 0);
        CHECK(dtx_channel_run(s->channel, &s->err) == DTX_OK);
        dtx_alloc_fail_after(-1);
        check_target(s, run);
    }
}

static void
runs_go_on_beside_other_work(struct sync *s)
{
    bool done = false;
    int tests = 0;

    fill_source(s, RUNS);
    CHECK(dtx_channel_begin(s->channel, &s->err) == DTX_OK);
    while (!done) {
        CHECK(dtx_channel_test(s->channel, &done, &s->err) == DTX_OK);
        tests++;
    }
    CHECK(tests > 0);
    check_target(s, RUNS);
    CHECK(dtx_channel_begin(s->channel, &s->err) == DTX_OK);
    CHECK(dtx_channel_wait(s->channel, &s->err) == DTX_OK);
}

static enum dtx_status
fail_to_read(void *context, const struct dtx_store_box *box, void *buffer,
             struct dtx_error *err)
{
    (void)box;
    (void)buffer;
    snprintf(err->message, sizeof err->message, "%s", (const char *)context);
    return DTX_ERR_SOURCE;
}

/* Where the last sender can't read, all hear why, and the next run is as if
 * nothing had been. */
static void
failures_are_everyones(struct sync *s)
{
    struct dtx_store store = {.context = (void *)"the shelf is empty",
                              .read = fail_to_read};
    bool fails = s->ends[0].rank == s->counts[0] - 1;
    int64_t shape[2];
    struct dtx_array array = {.tensor = "layers.3.w",
                              .rank = s->ends[0].rank,
                              .dtype = DTX_FLOAT32,
                              .ndim = 2,
                              .shape = shape};

    if (fails) { /* another shape: the array is refused */
        shape_of(s, DTX_SOURCE, shape);
        shape[0]++;
        array.data = s->ends[0].data[3];
        CHECK(dtx_channel_bind(s->channel, DTX_SOURCE, &array, &s->err) ==
              DTX_ERR_INVALID);
    }
    CHECK(dtx_channel_run(s->channel, &s->err) == DTX_ERR_INVALID);
    CHECK(strstr(s->err.message, "the array has the shape") != NULL);
    fill_source(s, 1);
    CHECK(dtx_channel_run(s->channel, &s->err) == DTX_OK);
    check_target(s, 1);
    dtx_channel_use_store(s->channel, DTX_SOURCE, &store);
    CHECK(dtx_channel_run(s->channel, &s->err) == DTX_OK);
}

/* The arrays of an end, as they were bound. */
static void
list_arrays(const struct sync *s, enum dtx_role role, int64_t *shape,
            char (*names)[NAME_BYTES], struct dtx_array *out)
{
    shape_of(s, role, shape);
    for (int t = 0; t < TENSORS; t++) {
        set_name(t, names[t]);
        out[t] = (struct dtx_array){.tensor = names[t],
                                    .rank = s->ends[role].rank,
                                    .dtype = DTX_FLOAT32,
                                    .ndim = 2,
                                    .shape = shape,
                                    .data = s->ends[role].data[t]};
    }
}

/* The two halves by themselves, without a channel to keep. */
static void
halves_move_once(struct sync *s)
{
    enum dtx_role role = s->ends[0].rank >= 0 ? DTX_SOURCE : DTX_TARGET;
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_array arrays[TENSORS];
    char names[TENSORS][NAME_BYTES];
    enum dtx_status status;
    int64_t shape[2];

    list_arrays(s, role, shape, names, arrays);
    fill_source(s, RUNS + 1);
    status = role == DTX_SOURCE
                 ? dtx_send(s->transport, s->ends[0].layout, s->catalog, arrays,
                            TENSORS, NULL, list, &s->err)
                 : dtx_recv(s->transport, s->ends[1].layout, arrays, TENSORS,
                            NULL, list, &s->err);
    CHECK(status == DTX_OK);
    check_target(s, RUNS + 1);
    dtx_diagnostics_destroy(list);
}

/* ---------------------------------------------------------------- transports
 */

/* A program's own transport carries what MPI's does, in few messages: all
 * small tensors for one process go in one. */
static void
small_tensors_share_messages(struct dtx_transport *inner, bool is_sender)
{
    struct counting counting = count_messages(inner);
    struct dtx_channel_options options = {.strategy = DTX_STRATEGY_OPTIMAL};
    struct sync s;

    counting.base.ops = &counting.ops;
    open_sync(&s, &counting.base, is_sender, !is_sender, &options);
    counting.message_count = 0;
    fill_source(&s, 0);
    CHECK(dtx_channel_run(s.channel, &s.err) == DTX_OK);
    check_target(&s, 0);
    CHECK(counting.message_count == (is_sender ? s.counts[1] : 0));
    close_sync(&s);
}

/* All of it between two halves of a transport's processes. */
static void
check_transport(struct dtx_transport *transport)
{
    static const struct dtx_channel_options options[] = {
        {0},
        {.strategy = DTX_STRATEGY_OPTIMAL, .buffer_bytes = 4096},
        {.strategy = DTX_STRATEGY_MATERIALIZE},
        {.strategy = DTX_STRATEGY_REDISTRIBUTE, .buffer_bytes = 1 << 16}};
    int process = dtx_transport_process(transport);
    int count = dtx_transport_process_count(transport);
    bool is_sender = process < (count + 1) / 2;
    bool is_receiver = count == 1 || !is_sender;

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct sync s;

        open_sync(&s, transport, is_sender, is_receiver, &options[i]);
        runs_move_what_is_there_now(&s);
        runs_go_on_beside_other_work(&s);
        failures_are_everyones(&s);
        if (count > 1) {
            halves_move_once(&s);
        }
        close_sync(&s);
    }
    if (count > 1) {
        small_tensors_share_messages(transport, is_sender);
    }
}

/* The two groups of an intercommunicator. */
static MPI_Comm
join_groups(int process, int count, MPI_Comm *half)
{
    int is_second = process >= count / 2;
    MPI_Comm both;

    MPI_Comm_split(MPI_COMM_WORLD, is_second, process, half);
    MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, is_second ? 0 : count / 2, 5,
                         &both);
    return both;
}

static void
check_groups(int process, int count)
{
    struct dtx_transport *transport;
    struct dtx_error err;
    MPI_Comm half, both = join_groups(process, count, &half);

    CHECK(dtx_transport_create_comm(both, &transport, &err) == DTX_OK);
    CHECK(dtx_transport_process_count(transport) == count);
    check_transport(transport);
    dtx_transport_destroy(transport);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

int
main(int argc, char **argv)
{
    struct dtx_transport *transport;
    struct dtx_error err;
    MPI_Comm comm;
    int level, process, count;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -process, &comm); /* in another order */
    CHECK(dtx_transport_create_fint(MPI_Comm_c2f(comm), &transport, &err) ==
          DTX_OK);
    check_transport(transport);
    dtx_transport_destroy(transport);
    if (count > 1) {
        check_groups(process, count);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
