#include "engine/step/exchange.h"

#include "util/alloc.h"
#include "util/error.h"

static bool
has_exchanges(const struct dtx_plan *plan)
{
    int i;

    for (i = 0; i < plan->class_count; i++) {
        if (plan->classes[i]->strategy == DTX_STRATEGY_REDISTRIBUTE) {
            return true;
        }
    }
    return false;
}

enum dtx_status
engine_prepare_exchange(struct engine *e, struct dtx_error *err)
{
    size_t count = (size_t)e->transport->process_count;

    if (!has_exchanges(e->plan)) {
        return DTX_OK;
    }
    e->exchange_numbers = dtx_alloc(4 * count, sizeof *e->exchange_numbers);
    return e->exchange_numbers != NULL ? DTX_OK : dtx_error_memory(err);
}

void
engine_finish_exchange(struct engine *e)
{
    dtx_free(e->exchange_numbers);
}

/* Sets the counts and offsets of one direction. */
static void
set_numbers(const struct slot *slot, bool outgoing, size_t *counts,
            size_t *offsets)
{
    const struct dtx_step *step = &slot->step;
    const struct dtx_message *list = outgoing ? step->sends : step->receives;
    const struct slot_message *places = outgoing ? slot->sends : slot->receives;
    int count = outgoing ? step->send_count : step->receive_count;
    int self = outgoing ? step->self_send : step->self_receive;
    int i;

    for (i = 0; i < slot->engine->transport->process_count; i++) {
        counts[i] = offsets[i] = 0;
    }
    for (i = 0; i < count; i++) {
        if (i != self) {
            counts[list[i].peer] = list[i].bytes;
            offsets[list[i].peer] = places[i].offset;
        }
    }
}

void
engine_start_exchange(struct slot *slot)
{
    struct engine *e = slot->engine;
    size_t count = (size_t)e->transport->process_count;
    size_t *numbers = e->exchange_numbers;
    char *wire = slot->mirror != NULL ? slot->mirror : slot->buffer;
    struct dtx_exchange exchange = {.send = wire,
                                    .send_counts = numbers,
                                    .send_offsets = numbers + count,
                                    .receive = wire,
                                    .receive_counts = numbers + 2 * count,
                                    .receive_offsets = numbers + 3 * count};
    struct dtx_error err = {0};
    enum dtx_status status;

    slot->is_sending = true;
    set_numbers(slot, true, numbers, numbers + count);
    set_numbers(slot, false, numbers + 2 * count, numbers + 3 * count);
    status = e->transport->ops->exchange(e->transport, &exchange, &err);
    if (status != DTX_OK) {
        engine_fail(e, status, &err);
        slot->sends_left = slot->receives_left = 0;
        return;
    }
    slot->is_exchanging = true;
}

bool
engine_test_exchange(struct slot *slot)
{
    struct engine *e = slot->engine;
    struct dtx_error err = {0};
    bool done = false;
    enum dtx_status status;

    if (!slot->is_exchanging) {
        return false;
    }
    status = e->transport->ops->test_exchange(e->transport, &done, &err);
    if (status != DTX_OK) {
        engine_fail(e, status, &err);
        done = true;
    }
    if (done) {
        slot->is_exchanging = false;
        slot->sends_left = slot->receives_left = 0;
    }
    return done;
}
