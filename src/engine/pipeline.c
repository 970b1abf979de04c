/*
 * The pipeline: steps through two slots.
 */
#include <time.h>

#include "engine/apart.h"
#include "engine/checkpoint.h"
#include "engine/cores.h"
#include "engine/engine.h"
#include "engine/exchange.h"
#include "engine/messages.h"
#include "engine/straight.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

uint64_t
engine_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void
engine_fail(struct engine *e, enum dtx_status status,
            const struct dtx_error *err)
{
    pthread_mutex_lock(&e->failure_mutex);
    if (e->status == DTX_OK) {
        e->status = status;
        e->error = *err;
    }
    pthread_mutex_unlock(&e->failure_mutex);
    atomic_store(&e->has_failed, true);
}

bool
engine_has_failed(const struct engine *e)
{
    return atomic_load(&e->has_failed);
}

/* ---------------------------------------------------------------- slots */

static void
slot_finish(struct slot *slot)
{
    engine_release(slot->engine, false, slot->buffer);
    engine_release(slot->engine, true, slot->mirror);
    dtx_free(slot->sends);
    dtx_free(slot->receives);
    dtx_step_finish(&slot->step);
}

/* ---------------------------------------------------------------- stages */

static void
read_job(void *argument)
{
    struct slot *slot = argument;

    engine_read_step(slot);
    atomic_store(&slot->is_read, true);
}

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
    if (slot->is_writing && slot->sends_left == 0 &&
        atomic_load(&slot->is_written)) {
        slot->is_used = false;
        count_done(slot);
        moved = true;
    }
    return moved;
}

/* Waits until a condition on a slot holds, moving both slots on. */
static void
wait_for(struct engine *e, const struct slot *slot,
         bool (*holds)(const struct slot *))
{
    uint64_t begin = engine_now_ns();
    int idle = 0;

    while (!holds(slot)) {
        bool moved = advance(&e->slots[0]);

        moved |= advance(&e->slots[1]);
        idle = moved ? 0 : idle + 1;
        if (!moved) {
            e->transport->ops->pause(e->transport, idle);
        }
    }
    e->wait_ns += engine_now_ns() - begin;
}

static bool
is_free(const struct slot *slot)
{
    return !slot->is_used;
}

static bool
has_read(const struct slot *slot)
{
    return atomic_load(&slot->is_read);
}

static bool
has_sent(const struct slot *slot)
{
    return !slot->is_used || slot->sends_left == 0;
}

/* ---------------------------------------------------------------- steps */

/* What all processes do next; of their wishes the last counts. */
enum verdict { GO_ON, CHECKPOINT, STOP, FAIL };

/* What this process wishes, where so many tensors are under way or done. */
static enum verdict
wish(const struct engine *e, int tensors)
{
    if (engine_has_failed(e)) {
        return FAIL;
    }
    if (dtx_must_stop()) {
        return STOP;
    }
    return engine_wants_checkpoint(e, tensors) ? CHECKPOINT : GO_ON;
}

/* Agrees with all others on what comes next. */
static enum verdict
agree(struct engine *e, enum verdict own)
{
    struct dtx_error err = {0};
    int64_t verdict = GO_ON;
    bool done = false;
    int idle = 0;

    if (e->transport->ops->agree(e->transport, own, &err) != DTX_OK) {
        engine_fail(e, DTX_ERR_COMM, &err);
        return FAIL;
    }
    while (!done) {
        bool moved = advance(&e->slots[0]);

        moved |= advance(&e->slots[1]);
        idle = moved ? 0 : idle + 1;
        if (e->transport->ops->test_agree(e->transport, &done, &verdict,
                                          &err) != DTX_OK) {
            engine_fail(e, DTX_ERR_COMM, &err);
            return FAIL;
        }
        if (!done && !moved) {
            e->transport->ops->pause(e->transport, idle);
        }
    }
    return (enum verdict)verdict;
}

/* Exchanges a collective step's messages, unless anyone has failed: then the
 * step ends here, and the run before the next one. */
static void
exchange(struct slot *slot)
{
    struct engine *e = slot->engine;

    if (agree(e, engine_has_failed(e) ? FAIL : GO_ON) == GO_ON) {
        engine_start_exchange(slot);
    } else {
        slot->is_used = false;
    }
}

/* Builds a step ahead of its time, with room for its messages. */
static enum dtx_status
build_next(struct engine *e, int64_t index, struct dtx_error *err)
{
    enum dtx_status status;

    if (index >= e->plan->schedule->step_count) {
        return DTX_OK;
    }
    status = dtx_step_build(&e->builder, index, &e->next, err);
    return status == DTX_OK ? engine_check_self(&e->next, err) : status;
}

/* Puts the step that was built into a free slot. */
static enum dtx_status
enter(struct slot *slot, struct dtx_error *err)
{
    struct dtx_step step = slot->step;
    enum dtx_status status;

    slot->step = slot->engine->next;
    slot->engine->next = step;
    status = engine_lay_out(slot, err);
    if (status == DTX_OK) {
        status = engine_find_straight(slot, err);
    }
    slot->is_used = status == DTX_OK;
    slot->is_writing = slot->is_exchanging = false;
    /* An exchange is one message that comes and goes. */
    slot->sends_left = slot->receives_left = slot->step.is_collective;
    atomic_store(&slot->is_read, false);
    atomic_store(&slot->is_written, false);
    return status;
}

/* The step is in its slot, and all agree that everyone's is. */
static void
run_step(struct engine *e, int64_t index)
{
    struct slot *slot = &e->slots[index % 2];
    struct slot *other = &e->slots[(index + 1) % 2];
    struct dtx_error err = {0};
    enum dtx_status status;

    if (!slot->step.is_collective) {
        engine_post_receives(slot);
    }
    if (slot->step.takes_kept) {
        wait_for(e, other, is_free);
    }
    dtx_worker_submit(&e->reader, read_job, slot);
    status = build_next(e, index + 1, &err);
    if (status != DTX_OK) {
        engine_fail(e, status, &err);
    }
    wait_for(e, slot, has_read);
    if (slot->step.is_collective) {
        wait_for(e, other, has_sent);
        exchange(slot);
    } else {
        engine_post_sends(slot);
    }
    if (index + 1 < e->plan->schedule->step_count) {
        wait_for(e, other, is_free);
    }
}

/* What this process does most of the time. Waiting is for others: it counts
 * where what they can wait for is short here. */
static const char *
busiest_of(const struct engine *e)
{
    uint64_t reading = atomic_load(&e->read_ns);
    uint64_t writing = atomic_load(&e->write_ns);
    uint64_t most = reading > writing ? reading : writing;

    if (e->wait_ns > 2 * most) {
        return "messages";
    }
    return most == 0 ? NULL : reading > writing ? "reading" : "writing";
}

static void
report_progress(const struct engine *e, int64_t index, uint64_t begin_ns,
                uint64_t *next_ns)
{
    const struct dtx_schedule *schedule = e->plan->schedule;
    uint64_t now = engine_now_ns();
    uint64_t total = e->plan->totals.written;
    struct dtx_progress progress = {
        .bytes_done = (uint64_t)((double)total * (double)index /
                                 (double)schedule->step_count),
        .bytes_total = total,
        .seconds = (double)(now - begin_ns) / 1e9,
        .busiest = busiest_of(e)};

    if (e->options->progress != NULL && e->transport->process == 0 &&
        now >= *next_ns) {
        *next_ns = now + 1000000000u;
        e->options->progress(&progress, e->options->progress_context);
    }
}

/* The first tensor of a step: all before it are done with the steps before. */
static int
first_tensor(const struct engine *e, int64_t index)
{
    const struct dtx_schedule *schedule = e->plan->schedule;

    return schedule->starts[dtx_schedule_place(schedule, index).run].tensor;
}

/* Lets all steps before this one end, and makes their tensors safe. True
 * where the run goes on. */
static bool
make_safe(struct engine *e, int64_t index, bool must_stop)
{
    struct dtx_error err = {0};

    wait_for(e, &e->slots[(index + 1) % 2], is_free);
    if (!engine_checkpoint(e, first_tensor(e, index))) {
        return false;
    }
    if (must_stop) {
        engine_fail(e, dtx_stopped(&err), &err);
    }
    return !must_stop;
}

/* Brings the next step into its slot and agrees with all others to go on. */
static bool
may_run(struct engine *e, int64_t index)
{
    struct slot *slot = &e->slots[index % 2];
    struct dtx_error err = {0};
    enum verdict verdict;
    bool goes_on;

    if (!engine_has_failed(e)) {
        enum dtx_status status = enter(slot, &err);

        if (status != DTX_OK) {
            engine_fail(e, status, &err);
        }
    }
    verdict = agree(e, wish(e, first_tensor(e, index)));
    goes_on = verdict == GO_ON;
    if (verdict == CHECKPOINT || verdict == STOP) {
        goes_on = make_safe(e, index, verdict == STOP);
    }
    if (!goes_on) {
        slot->is_used = false;
    }
    return goes_on;
}

/* The step with the first tensor that isn't safe yet. */
static int64_t
first_step(const struct engine *e)
{
    const struct dtx_schedule *schedule = e->plan->schedule;
    int64_t index = 0;

    while (index < schedule->step_count) {
        struct dtx_step_place place = dtx_schedule_place(schedule, index);
        const struct dtx_step_start *end = &schedule->starts[place.run + 1];

        if (end->tensor > e->safety.tensors ||
            (end->tensor == e->safety.tensors && end->part > 0)) {
            break;
        }
        index++;
    }
    return index;
}

void
engine_run(struct engine *e)
{
    uint64_t begin = engine_now_ns(), next = begin + 1000000000u;
    int64_t index, steps = e->plan->schedule->step_count;

    engine_begin_checkpoints(e);
    for (index = first_step(e); index < steps && may_run(e, index); index++) {
        run_step(e, index);
        report_progress(e, index + 1, begin, &next);
    }
    wait_for(e, &e->slots[0], is_free);
    wait_for(e, &e->slots[1], is_free);
}

/* The bytes of messages that a slot holds at most. */
static uint64_t
slot_bytes(const struct engine *e)
{
    const struct dtx_process_cost *cost =
        &e->plan->processes[e->transport->process];
    uint64_t work = cost->kept + cost->passed + cost->sent + cost->received;
    uint64_t step = e->plan->schedule->step_bytes;

    return work < step ? work : step;
}

enum dtx_status
engine_prepare(struct engine *e, struct dtx_error *err)
{
    size_t stage = (size_t)e->plan->schedule->stage_bytes;
    int64_t steps = e->plan->schedule->step_count;
    bool keeps = e->plan->schedule->store_bytes > 0;
    char *buffers[5] = {NULL};
    enum dtx_status status =
        dtx_step_builder_init(&e->builder, e->plan, e->transport->process, err);
    int i;

    /* Two stages, a slot for each of the first two steps, the store. */
    for (i = 0; i < 5 && status == DTX_OK; i++) {
        size_t bytes = i < 2 ? stage : (size_t)slot_bytes(e);
        bool is_needed = i < 4 ? i - 2 < steps : keeps;

        status = is_needed ? engine_allocate(e, i < 2, bytes, &buffers[i], err)
                           : DTX_OK;
    }
    e->read_stage = buffers[0];
    e->write_stage = buffers[1];
    e->store = buffers[4];
    e->has_two_cores = engine_own_cores(e->transport) > 1;
    for (i = 0; i < 2; i++) {
        e->slots[i].engine = e;
        e->slots[i].tag = i;
        e->slots[i].buffer = buffers[2 + i];
        e->slots[i].capacity = (size_t)slot_bytes(e);
    }
    if (status == DTX_OK) {
        status = engine_prepare_lanes(e, err);
    }
    for (i = 0; i < 2 && i < steps && status == DTX_OK; i++) {
        status = engine_mirror(&e->slots[i], err);
    }
    if (status == DTX_OK) {
        e->builder.first_tensor = e->safety.tensors;
        status = engine_begin_digests(e, err);
    }
    if (status == DTX_OK) {
        status = engine_prepare_exchange(e, err);
    }
    if (status == DTX_OK) {
        engine_load_sums(e);
        status = build_next(e, first_step(e), err);
    }
    if (status == DTX_OK) {
        status = dtx_worker_start(&e->reader, err);
    }
    return status == DTX_OK ? dtx_worker_start(&e->writer, err) : status;
}

void
engine_finish(struct engine *e)
{
    dtx_worker_stop(&e->reader);
    dtx_worker_stop(&e->writer);
    slot_finish(&e->slots[0]);
    slot_finish(&e->slots[1]);
    engine_release(e, true, e->read_stage);
    engine_release(e, true, e->write_stage);
    engine_release(e, false, e->store);
    engine_finish_lanes(e);
    engine_finish_exchange(e);
    dtx_step_finish(&e->next);
    dtx_step_builder_finish(&e->builder);
    dtx_arena_finish(&e->read_scratch);
    dtx_arena_finish(&e->write_scratch);
}
