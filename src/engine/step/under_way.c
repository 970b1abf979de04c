#include "engine/step/under_way.h"

#include "engine/clock.h"
#include "engine/step/exchange.h"
#include "engine/step/messages.h"
#include "engine/step/write.h"

/* ---------------------------------------------------------------- slots */

static void
write_job(void *argument)
{
    struct slot *slot = argument;

    engine_write_step(slot);
    atomic_store(&slot->is_written, true);
}

static void
count_done(struct slot *slot)
{
    struct dtx_reshard_summary *done = &slot->engine->done;

    done->read += slot->step.read;
    done->kept += slot->step.kept;
    done->moved += slot->step.received;
    done->written += slot->step.written;
}

/* Moves a slot's step on as far as it goes; true where something happened. */
static bool
advance(struct slot *slot)
{
    bool moved;

    if (!slot->is_used) {
        return false;
    }
    moved = slot->step.is_collective ? engine_test_exchange(slot)
                                     : engine_test_messages(slot);
    if (!slot->is_writing && slot->receives_left == 0 &&
        atomic_load(&slot->is_read)) {
        slot->is_writing = true;
        dtx_worker_submit(&slot->engine->writer, write_job, slot);
        moved = true;
    }
    /* What is read can be written before it is sent. */
    if (slot->is_sending && slot->is_writing && slot->sends_left == 0 &&
        atomic_load(&slot->is_written)) {
        slot->is_used = false;
        count_done(slot);
        moved = true;
    }
    return moved;
}

/* ---------------------------------------------------------------- agreement */

static void
end_agreement(struct engine *e, int64_t verdict)
{
    e->has_agreed = true;
    e->verdict = verdict;
}

/* Tests an agreement that is under way; true where it is there now. */
static bool
advance_agreement(struct engine *e)
{
    struct dtx_error err = {0};
    int64_t verdict = FAIL;
    bool done = false;

    if (!e->is_agreeing || e->has_agreed) {
        return false;
    }
    if (e->transport->ops->test_agree(e->transport, &done, &verdict, &err) !=
        DTX_OK) {
        engine_fail(e, DTX_ERR_COMM, &err);
        verdict = FAIL;
        done = true;
    }
    if (done) {
        end_agreement(e, verdict);
    }
    return done;
}

/* ---------------------------------------------------------------- waiting */

/* Moves on what is under way, once; idle counts the calls since something
 * last happened. */
static void
advance_all(struct engine *e, int *idle)
{
    bool moved = advance_agreement(e);
    int i;

    for (i = 0; i < ENGINE_SLOTS; i++) {
        moved |= advance(&e->slots[i]);
    }
    *idle = moved ? 0 : *idle + 1;
    if (!moved) {
        e->transport->ops->pause(e->transport, *idle);
    }
}

void
engine_wait_for(struct engine *e, const struct slot *slot,
                bool (*holds)(const struct slot *))
{
    uint64_t begin = engine_now_ns();
    int idle = 0;

    while (!holds(slot)) {
        advance_all(e, &idle);
    }
    e->wait_ns += engine_now_ns() - begin;
}

void
engine_start_agreement(struct engine *e, enum verdict own)
{
    struct dtx_error err = {0};

    e->is_agreeing = true;
    e->has_agreed = false;
    if (e->transport->ops->agree(e->transport, own, &err) != DTX_OK) {
        engine_fail(e, DTX_ERR_COMM, &err);
        end_agreement(e, FAIL);
    }
}

enum verdict
engine_finish_agreement(struct engine *e)
{
    int idle = 0;

    while (!e->has_agreed) {
        advance_all(e, &idle);
    }
    e->is_agreeing = false;
    return (enum verdict)e->verdict;
}
