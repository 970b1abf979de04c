/*
 * What channels refuse, on all processes alike.
 */
#include <string.h>

#include "../engine/crew.h"
#include "part.h"

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

Test(refusals, an_array_of_another_shape_is_everyones_error)
{
    struct part parts[2] = {{.source_size = 1, .shape = 8},
                            {.target_size = 1, .shape = 8, .array_shape = 7}};

    run_parts(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID,
                     "the array has the shape [7], the shard of rank 0 has "
                     "[8]");
}

Test(refusals, an_array_that_is_on_no_device_is_everyones_error)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 8, .place = DTX_PLACE_CUDA},
        {.target_size = 1, .shape = 8}};

    run_parts(2, parts);
    claim_all_failed(2, parts, DTX_ERR_DEVICE, "no CUDA device's memory");
}

Test(refusals, a_shard_without_an_array_is_everyones_error)
{
    struct part parts[2] = {{.source_size = 1, .shape = 8},
                            {.target_size = 1, .shape = 8}};

    parts[0].has_no_array = true;
    run_parts(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "no array was given");
    parts[0].has_no_array = false;
    parts[1].has_no_array = true;
    run_parts(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "no array was given");
}

Test(refusals, who_fails_in_the_middle_poisons_the_run_for_all)
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
        run_parts(3, parts);
        claim_all_failed(3, parts, DTX_ERR_SOURCE, "the shelf is empty");
    }
}

Test(refusals, different_offers_of_one_end_are_refused)
{
    struct part parts[3] = {{.source_size = 1, .shape = 8},
                            {.source_size = 1, .shape = 9},
                            {.target_size = 1, .shape = 8}};

    run_parts(3, parts);
    claim_all_failed(3, parts, DTX_ERR_INVALID,
                     "processes 0 and 1 offer different sources");
}

Test(refusals, an_end_without_processes_is_refused)
{
    struct part parts[2] = {{.source_size = 1, .shape = 8},
                            {.source_size = 1, .shape = 8}};

    run_parts(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "nobody receives");
}

Test(refusals, strategies_that_contradict_are_refused)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 8, .strategy = DTX_STRATEGY_OPTIMAL},
        {.target_size = 1, .shape = 8, .strategy = DTX_STRATEGY_MATERIALIZE}};

    run_parts(2, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID, "wants the strategy");
}

Test(refusals, strategies_that_there_arent_are_refused)
{
    for (int wrong = -1; wrong <= DTX_STRATEGY_COUNT;
         wrong += DTX_STRATEGY_COUNT + 1) {
        struct part parts[2] = {{.source_size = 1, .shape = 8},
                                {.target_size = 1,
                                 .shape = 8,
                                 .strategy = (enum dtx_strategy)wrong}};

        run_parts(2, parts);
        claim_all_failed(2, parts, DTX_ERR_INVALID,
                         "process 1 wants a strategy that there isn't");
    }
}

Test(refusals, direct_is_refused)
{
    struct part parts[2] = {
        {.source_size = 1, .shape = 8, .strategy = DTX_STRATEGY_DIRECT},
        {.target_size = 1, .shape = 8}};

    run_parts(2, parts);
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

Test(refusals, plans_that_differ_are_refused_before_a_byte_moves)
{
    struct part parts[2] = {{.shape = 8}, {.shape = 9}};

    crew_run(2, open_different, parts);
    claim_all_failed(2, parts, DTX_ERR_INVALID,
                     "the plan of process 1 isn't that of process 0");
}

Test(refusals, a_process_without_a_plan_tells_the_others)
{
    struct part parts[2] = {{.shape = 8}, {.shape = 8, .has_no_array = true}};

    crew_run(2, open_different, parts);
    claim_all_failed(2, parts, DTX_ERR_SOURCE, "no weights yet");
}
