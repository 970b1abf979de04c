/*
 * Channels by plans that processes have already.
 */
#include <string.h>

#include "part.h"

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

/* The same without a channel of one's own. */
static void
move_at_once(const struct dtx_plan *plan, struct dtx_transport *transport)
{
    const int64_t shape = 1;
    float from = 3, to = 0;
    struct dtx_array source = {.tensor = "t",
                               .dtype = DTX_FLOAT32,
                               .ndim = 1,
                               .shape = &shape,
                               .data = &from};
    struct dtx_array target = source;
    struct dtx_error err;

    target.data = &to;
    claim(dtx_reshard_in_memory(plan, transport, &source, 1, &target, 1,
                                &err) == DTX_OK,
          "%s", err.message);
    claim(to == 3);
    claim(dtx_reshard_in_memory(plan, transport, &source, 1, NULL, 0, &err) ==
          DTX_ERR_INVALID);
}

static void
check_refusal(struct dtx_channel *channel, const struct dtx_array *array,
              const char *words)
{
    struct dtx_error err = {0};

    claim(dtx_channel_bind(channel, DTX_SOURCE, array, &err) == DTX_ERR_INVALID,
          "not refused: %s", words);
    claim(strstr(err.message, words) != NULL, "%s", err.message);
}

/* Each array is wrong in one way. */
static void
bind_wrongly(const struct dtx_plan *plan, struct dtx_transport *transport)
{
    const int64_t shape = 1, backward = -1, far = INT64_MAX / 2;
    float from = 3, to;
    const struct dtx_array right = {.tensor = "t",
                                    .dtype = DTX_FLOAT32,
                                    .ndim = 1,
                                    .shape = &shape,
                                    .data = &from};
    struct dtx_array unknown = right, elsewhere = right, other = right,
                     empty = right, turned = right, wide = right;
    struct dtx_channel *channel = open_copy(plan, transport, &from, &to);

    unknown.tensor = "u";
    elsewhere.rank = 1;
    other.dtype = DTX_FLOAT64;
    empty.data = NULL;
    turned.strides = &backward;
    wide.strides = &far;
    check_refusal(channel, &unknown, "has no such tensor");
    check_refusal(channel, &elsewhere, "hosts no rank 1 of the source");
    check_refusal(channel, &other, "is of float64, the plan of float32");
    check_refusal(channel, &empty, "has no data");
    check_refusal(channel, &turned, "is negative or too large");
    check_refusal(channel, &wide, "is negative or too large");
    dtx_channel_close(channel);
}

/* Has a plan of one process that copies one float. */
static void
with_plan(void (*work)(const struct dtx_plan *, struct dtx_transport *))
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
    work(plan, transport);
    dtx_transport_destroy(transport);
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(layout);
    dtx_diagnostics_destroy(list);
}

Test(plans, let_a_transport_go_once_a_run_is_over_and_not_before)
{
    with_plan(take_turns);
}

Test(plans, move_tensors_at_once)
{
    with_plan(move_at_once);
}

Test(plans, take_only_arrays_that_are_what_they_say)
{
    with_plan(bind_wrongly);
}
