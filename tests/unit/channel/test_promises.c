/*
 * What channels promise, one by one, on layouts made in code.
 */
#include <string.h>

#include <dtx/build.h>
#include <dtx/channel.h>

#include "../engine/crew.h"
#include "support/claim.h"

enum { FLOATS_MOST = 64 };

/* One process's part in a promise: one array at either end, or none. */
struct part {
    const char *source_placement; /* on axis "a" of the source; NULL: none */
    int source_size;              /* of axis "a"; 0: sends nothing */
    const char *target_placement;
    int target_size;
    enum dtx_dtype target_dtype; /* DTX_RAW: float32 */
    int64_t shape;               /* of the tensor "t" */
    int64_t array_shape; /* of the target's array; -1: what it must be */
    const int *source_map, *target_map;
    bool has_no_array;
    bool has_store; /* that can't be read */
    enum dtx_place place;
    enum dtx_strategy strategy;
    float given[FLOATS_MOST], got[FLOATS_MOST];
    double got_double[FLOATS_MOST];
    /* set: */
    enum dtx_status status;
    struct dtx_error err;
    struct dtx_plan_totals totals;
    struct dtx_process_cost cost; /* of this process */
};

static struct dtx_layout *
layout_of(const char *placement, int size, enum dtx_dtype dtype)
{
    struct dtx_mesh_axis axis = {"a", size};
    struct dtx_axis_placement placed = {"a", placement};
    struct dtx_rule_spec rule = {.name = "**",
                                 .placement_count = placement != NULL,
                                 .placements = &placed,
                                 .dtype = dtype};
    struct dtx_layout_spec spec = {
        .axis_count = 1, .axes = &axis, .rule_count = 1, .rules = &rule};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    claim(dtx_layout_build(&spec, "made", list, &layout, &err) == DTX_OK, "%s",
          err.message);
    dtx_diagnostics_destroy(list);
    return layout;
}

/* Binds the arrays of all ranks that a process hosts at one end. */
static void
bind_end(struct part *part, int process, struct dtx_channel *channel,
         enum dtx_role role)
{
    const struct dtx_plan *plan = dtx_channel_plan(channel);
    const int *map = role == DTX_SOURCE ? dtx_plan_source_processes(plan)
                                        : dtx_plan_target_processes(plan);
    int size = role == DTX_SOURCE ? part->source_size : part->target_size;
    bool is_double = part->target_dtype == DTX_FLOAT64;

    for (int position = 0; position < size; position++) {
        int64_t shape;
        struct dtx_error err;
        struct dtx_array array = {
            .tensor = "t", .rank = position, .dtype = DTX_FLOAT32, .ndim = 1};

        if (map[position] != process) {
            continue;
        }
        claim(dtx_plan_shard_shape(plan, role, 0, position, &shape));
        array.shape = &shape;
        array.place = part->place;
        array.data = role == DTX_SOURCE ? (void *)part->given : part->got;
        if (role == DTX_TARGET && is_double) {
            array.dtype = DTX_FLOAT64;
            array.data = part->got_double;
        }
        if (role == DTX_TARGET && part->array_shape >= 0) {
            shape = part->array_shape;
        }
        (void)dtx_channel_bind(channel, role, &array, &err);
    }
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

static void
work(struct crew_member *m)
{
    struct part *part = &((struct part *)m->context)[m->process];
    struct dtx_tensor_spec spec = {"t", DTX_FLOAT32, 1, &part->shape};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *source =
        part->source_size > 0
            ? layout_of(part->source_placement, part->source_size, DTX_RAW)
            : NULL;
    struct dtx_layout *target =
        part->target_size > 0 ? layout_of(part->target_placement,
                                          part->target_size, part->target_dtype)
                              : NULL;
    struct dtx_catalog *catalog = NULL;
    struct dtx_channel *channel = NULL;
    struct dtx_channel_options options = {.strategy = part->strategy};

    claim(dtx_catalog_create(&spec, 1, &catalog, &part->err) == DTX_OK);
    struct dtx_offer offer = {.source = source,
                              .catalog = catalog,
                              .source_map = part->source_map,
                              .target = target,
                              .target_map = part->target_map};

    part->status = dtx_channel_meet(&offer, m->transport, &options, list,
                                    &channel, &part->err);
    if (part->status == DTX_OK) {
        part->totals = *dtx_plan_totals(dtx_channel_plan(channel));
        part->cost = dtx_plan_processes(dtx_channel_plan(channel))[m->process];
        if (!part->has_no_array) {
            bind_end(part, m->process, channel, DTX_SOURCE);
            bind_end(part, m->process, channel, DTX_TARGET);
        }
        if (part->has_store) {
            struct dtx_store store = {.context = (void *)"the shelf is empty",
                                      .read = fail_to_read};

            dtx_channel_use_store(channel, DTX_SOURCE, &store);
        }
        part->status = dtx_channel_run(channel, &part->err);
    }
    dtx_channel_close(channel);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(source);
    dtx_layout_destroy(target);
    dtx_diagnostics_destroy(list);
}

static void
run(int count, struct part *parts)
{
    for (int p = 0; p < count; p++) {
        if (parts[p].array_shape == 0) {
            parts[p].array_shape = -1;
        }
    }
    crew_run(count, work, parts);
}

/* All processes failed with one status and one message that says this. */
static void
claim_all_failed(int count, const struct part *parts, enum dtx_status status,
                 const char *words)
{
    for (int p = 0; p < count; p++) {
        claim(parts[p].status == status, "process %d: %s", p,
              parts[p].err.message);
        claim(strstr(parts[p].err.message, words) != NULL, "process %d: %s", p,
              parts[p].err.message);
    }
}

static void
claim_all_done(int count, const struct part *parts)
{
    for (int p = 0; p < count; p++) {
        claim(parts[p].status == DTX_OK, "process %d: %s", p,
              parts[p].err.message);
    }
}

static void
count_up(float *out, int count, float first)
{
    for (int i = 0; i < count; i++) {
        out[i] = first + (float)i;
    }
}

/* ---------------------------------------------------------------- values */

Test(promises, strided_placements_arrive_where_they_belong)
{
    struct part parts[3] = {
        {.source_placement = "_S(0, 2)", .source_size = 2, .shape = 8},
        {.source_placement = "_S(0, 2)", .source_size = 2, .shape = 8},
        {.target_size = 1, .shape = 8}};
    const float first[] = {0, 1, 4, 5}, second[] = {2, 3, 6, 7};

    memcpy(parts[0].given, first, sizeof first);
    memcpy(parts[1].given, second, sizeof second);
    run(3, parts);
    claim_all_done(3, parts);
    for (int i = 0; i < 8; i++) {
        claim(parts[2].got[i] == (float)i);
    }
}

Test(promises, pending_sums_are_reduced_on_the_way)
{
    struct part parts[3] = {
        {.source_placement = "partial(sum)", .source_size = 2, .shape = 4},
        {.source_placement = "partial(sum)", .source_size = 2, .shape = 4},
        {.target_size = 1, .shape = 4}};

    count_up(parts[0].given, 4, 1);
    count_up(parts[1].given, 4, 10);
    run(3, parts);
    claim_all_done(3, parts);
    for (int i = 0; i < 4; i++) {
        claim(parts[2].got[i] == 11 + 2 * (float)i);
    }
}

Test(promises, replicas_that_are_there_already_are_not_sent)
{
    static const int map[] = {0, 1};
    struct part parts[2];

    for (int p = 0; p < 2; p++) {
        parts[p] = (struct part){.source_size = 2,
                                 .target_size = 2,
                                 .target_placement = "shard(0)",
                                 .shape = 8,
                                 .source_map = map,
                                 .target_map = map};
        count_up(parts[p].given, 8, 0);
    }
    run(2, parts);
    claim_all_done(2, parts);
    claim(parts[0].totals.moved == 0);
    claim(parts[0].got[3] == 3 && parts[1].got[3] == 7);
}

Test(promises, replicas_share_what_they_send)
{
    struct part parts[4] = {
        {.source_size = 2, .shape = 64},
        {.source_size = 2, .shape = 64},
        {.target_size = 2, .target_placement = "shard(0)", .shape = 64},
        {.target_size = 2, .target_placement = "shard(0)", .shape = 64}};

    count_up(parts[0].given, 64, 0);
    count_up(parts[1].given, 64, 0);
    for (int p = 0; p < 4; p++) {
        parts[p].strategy = DTX_STRATEGY_OPTIMAL;
    }
    run(4, parts);
    claim_all_done(4, parts);
    claim(parts[0].cost.sent == 128 && parts[1].cost.sent == 128);
    claim(parts[2].got[31] == 31 && parts[3].got[31] == 63);
}

Test(promises, empty_shards_need_no_array)
{
    struct part parts[4] = {
        {.source_size = 1, .shape = 2},
        {.target_size = 3, .target_placement = "shard(0)", .shape = 2},
        {.target_size = 3, .target_placement = "shard(0)", .shape = 2},
        {.target_size = 3, .target_placement = "shard(0)", .shape = 2}};

    /* one, one, none */
    count_up(parts[0].given, 2, 5);
    parts[3].has_no_array = true;
    run(4, parts);
    claim_all_done(4, parts);
    claim(parts[1].got[0] == 5 && parts[2].got[0] == 6);
}

Test(promises, elements_become_the_targets_dtype)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 4},
        {.target_size = 1, .target_dtype = DTX_FLOAT64, .shape = 4}};

    count_up(parts[0].given, 4, 0.5F);
    run(2, parts);
    claim_all_done(2, parts);
    claim(parts[1].got_double[3] == 3.5);
}

Test(promises, overlapping_meshes_dont_wait_for_each_other)
{
    static const int forth[] = {0, 1, 2}, back[] = {2, 0, 1};
    struct part parts[3];

    for (int s = DTX_STRATEGY_AUTO; s < DTX_STRATEGY_DIRECT; s++) {
        for (int p = 0; p < 3; p++) {
            parts[p] = (struct part){.source_size = 3,
                                     .source_placement = "shard(0)",
                                     .target_size = 3,
                                     .target_placement = "shard(0)",
                                     .shape = 6,
                                     .strategy = (enum dtx_strategy)s,
                                     .source_map = forth,
                                     .target_map = back};
            count_up(parts[p].given, 2, 2 * (float)p);
        }
        run(3, parts);
        claim_all_done(3, parts);
        for (int rank = 0; rank < 3; rank++) {
            claim(parts[back[rank]].got[1] == 2 * (float)rank + 1);
        }
    }
}

/* ---------------------------------------------------------------- refusals */

Test(promises, an_array_of_another_shape_is_everyones_error)
{
    struct part parts[2] = {{.source_size = 1, .shape = 8},
                            {.target_size = 1, .shape = 8, .array_shape = 7}};

    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID,
                     "the array has the shape [7], the shard of rank 0 has "
                     "[8]");
}

Test(promises, an_array_that_is_on_no_device_is_everyones_error)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 8, .place = DTX_PLACE_CUDA},
        {.target_size = 1, .shape = 8}};

    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_DEVICE, "no CUDA device's memory");
}

Test(promises, a_shard_without_an_array_is_everyones_error)
{
    struct part parts[2] = {{.source_size = 1, .shape = 8},
                            {.target_size = 1, .shape = 8}};

    parts[0].has_no_array = true;
    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "no array was given");
    parts[0].has_no_array = false;
    parts[1].has_no_array = true;
    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "no array was given");
}

Test(promises, who_fails_in_the_middle_poisons_the_run_for_all)
{
    for (int s = DTX_STRATEGY_AUTO; s < DTX_STRATEGY_DIRECT; s++) {
        struct part parts[3] = {
            {.source_size = 2, .source_placement = "shard(0)", .shape = 8},
            {.source_size = 2, .source_placement = "shard(0)", .shape = 8},
            {.target_size = 1, .shape = 8}};

        parts[1].has_no_array = parts[1].has_store = true;
        for (int p = 0; p < 3; p++) {
            parts[p].strategy = (enum dtx_strategy)s;
        }
        run(3, parts);
        claim_all_failed(3, parts, DTX_ERR_SOURCE, "the shelf is empty");
    }
}

Test(promises, different_offers_of_one_end_are_refused)
{
    struct part parts[3] = {{.source_size = 1, .shape = 8},
                            {.source_size = 1, .shape = 9},
                            {.target_size = 1, .shape = 8}};

    run(3, parts);
    claim_all_failed(3, parts, DTX_ERR_INVALID,
                     "processes 0 and 1 offer different sources");
}

Test(promises, an_end_without_processes_is_refused)
{
    struct part parts[2] = {{.source_size = 1, .shape = 8},
                            {.source_size = 1, .shape = 8}};

    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "nobody receives");
}

Test(promises, strategies_that_contradict_are_refused)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 8, .strategy = DTX_STRATEGY_OPTIMAL},
        {.target_size = 1, .shape = 8, .strategy = DTX_STRATEGY_MATERIALIZE}};

    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "wants the strategy");
}

Test(promises, strategies_that_there_arent_are_refused)
{
    for (int wrong = -1; wrong <= DTX_STRATEGY_COUNT;
         wrong += DTX_STRATEGY_COUNT + 1) {
        struct part parts[2] = {{.source_size = 1, .shape = 8},
                                {.target_size = 1,
                                 .shape = 8,
                                 .strategy = (enum dtx_strategy)wrong}};

        run(2, parts);
        claim_all_failed(2, parts, DTX_ERR_INVALID,
                         "process 1 wants a strategy that there isn't");
    }
}

Test(promises, direct_is_refused)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 8, .strategy = DTX_STRATEGY_DIRECT},
        {.target_size = 1, .shape = 8}};

    run(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "'direct'");
}

/* A plan of two processes that differs where the process says so. */
static void
open_different(struct crew_member *m)
{
    struct part *part = &((struct part *)m->context)[m->process];
    struct dtx_tensor_spec spec = {"t", DTX_FLOAT32, 1, &part->shape};
    struct dtx_layout *layouts[2] = {layout_of(NULL, 1, DTX_RAW),
                                     layout_of(NULL, 1, DTX_RAW)};
    struct dtx_plan_options options = {
        .process_count = 2, .memory_bytes = 1 << 20, .map = DTX_MAP_BLOCK};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_catalog *catalog = NULL;
    struct dtx_channel *channel = NULL;
    struct dtx_plan *plan = NULL;

    claim(dtx_catalog_create(&spec, 1, &catalog, &part->err) == DTX_OK);
    claim(dtx_plan_create(layouts[0], layouts[1], catalog, &options, list,
                          &plan, &part->err) == DTX_OK);
    if (part->has_no_array) { /* it has failed to plan */
        part->err = (struct dtx_error){.status = DTX_ERR_SOURCE,
                                       .message = "no weights yet"};
    }
    part->status = dtx_channel_open(part->has_no_array ? NULL : plan,
                                    m->transport, &channel, &part->err);
    dtx_channel_close(channel);
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(layouts[0]);
    dtx_layout_destroy(layouts[1]);
    dtx_diagnostics_destroy(list);
}

Test(promises, plans_that_differ_are_refused_before_a_byte_moves)
{
    struct part parts[2] = {{.shape = 8}, {.shape = 9}};

    crew_run(2, open_different, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID,
                     "the plan of process 1 isn't that of process 0");
}

Test(promises, a_process_without_a_plan_tells_the_others)
{
    struct part parts[2] = {{.shape = 8}, {.shape = 8, .has_no_array = true}};

    crew_run(2, open_different, parts);
    claim_all_failed(2, parts, DTX_ERR_SOURCE, "no weights yet");
}

/* Opens a channel that copies one float. */
static struct dtx_channel *
open_copy(const struct dtx_plan *plan, struct dtx_transport *transport,
          const float *from, float *to)
{
    const int64_t shape = 1;
    struct dtx_array array = {.tensor = "t",
                              .dtype = DTX_FLOAT32,
                              .ndim = 1,
                              .shape = &shape,
                              .data = (void *)from};
    struct dtx_channel *channel = NULL;
    struct dtx_error err;

    claim(dtx_channel_open(plan, transport, &channel, &err) == DTX_OK, "%s",
          err.message);
    claim(dtx_channel_bind(channel, DTX_SOURCE, &array, &err) == DTX_OK);
    array.data = to;
    claim(dtx_channel_bind(channel, DTX_TARGET, &array, &err) == DTX_OK);
    return channel;
}

/* Two channels on one transport, of one process. */
static void
take_turns(const struct dtx_plan *plan, struct dtx_transport *transport)
{
    const float from = 3;
    float to[2] = {0, 0};
    struct dtx_channel *first = open_copy(plan, transport, &from, &to[0]);
    struct dtx_channel *second = open_copy(plan, transport, &from, &to[1]);
    struct dtx_error err;
    bool is_done = false;

    claim(dtx_channel_begin(first, &err) == DTX_OK);
    claim(dtx_channel_test(second, &is_done, &err) == DTX_OK && is_done);
    claim(dtx_channel_begin(second, &err) == DTX_ERR_INVALID);
    claim(dtx_channel_wait(first, &err) == DTX_OK);
    claim(dtx_channel_run(second, &err) == DTX_OK);
    claim(to[0] == 3 && to[1] == 3);
    to[1] = 0;
    claim(dtx_channel_begin(first, &err) == DTX_OK);
    dtx_channel_close(first);
    claim(dtx_channel_run(second, &err) == DTX_OK, "%s", err.message);
    claim(to[1] == 3);
    dtx_channel_close(second);
}

Test(promises, a_transport_is_free_once_its_run_is_over_and_not_before)
{
    const int64_t shape = 1;
    struct dtx_tensor_spec spec = {"t", DTX_FLOAT32, 1, &shape};
    struct dtx_layout *layout = layout_of(NULL, 1, DTX_RAW);
    struct dtx_plan_options options = {
        .process_count = 1, .memory_bytes = 1 << 20, .map = DTX_MAP_BLOCK};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_catalog *catalog = NULL;
    struct dtx_transport *transport = NULL;
    struct dtx_plan *plan = NULL;
    struct dtx_error err;

    claim(dtx_catalog_create(&spec, 1, &catalog, &err) == DTX_OK);
    claim(dtx_plan_create(layout, layout, catalog, &options, list, &plan,
                          &err) == DTX_OK);
    claim(dtx_transport_create_self(&transport, &err) == DTX_OK);
    take_turns(plan, transport);
    dtx_transport_destroy(transport);
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(layout);
    dtx_diagnostics_destroy(list);
}
