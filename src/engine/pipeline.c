#include "engine/pipeline.h"

#include "engine/clock.h"
#include "engine/commit/checkpoint.h"
#include "engine/step/apart.h"
#include "engine/step/cores.h"
#include "engine/step/exchange.h"
#include "engine/step/messages.h"
#include "engine/step/read.h"
#include "engine/step/straight.h"
#include "engine/step/under_way.h"
#include "plan/step/rounds.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

/* ---------------------------------------------------------------- slots */

static void
slot_finish(struct slot *slot)
{
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

/* Exchanges a collective step's messages, unless anyone has failed: then the
 * step ends here, and the run before the next one. */
static void
exchange(struct slot *slot)
{
    struct engine *e = slot->engine;

    engine_start_agreement(e, engine_has_failed(e) ? FAIL : GO_ON);
    if (engine_finish_agreement(e) == GO_ON) {
        engine_start_exchange(slot);
    } else {
        slot->is_used = false;
    }
}

static struct slot *
slot_of(struct engine *e, int64_t index)
{
    return &e->slots[index % ENGINE_SLOTS];
}

/* That of the step before, or a free one. */
static struct slot *
slot_before(struct engine *e, int64_t index)
{
    return slot_of(e, index + ENGINE_SLOTS - 1);
}

/* Builds a step ahead of its time, with all that it takes but a buffer. */
static enum dtx_status
build_next(struct engine *e, int64_t index, struct dtx_error *err)
{
    struct slot *slot = slot_of(e, index);
    enum dtx_status status;

    if (index >= e->plan->schedule->step_count) {
        return DTX_OK;
    }
    status = dtx_step_build(&e->builder, index, &slot->step, err);
    if (status == DTX_OK) {
        status = engine_check_self(&slot->step, err);
    }
    if (status == DTX_OK) {
        status = engine_lay_out(slot, err);
    }
    return status == DTX_OK ? engine_find_straight(slot, err) : status;
}

/* Begins the step that was built, which can't fail. */
static void
enter(struct engine *e, int64_t index)
{
    struct slot *slot = slot_of(e, index);

    slot->buffer = e->buffers[index % 2];
    slot->mirror = e->mirrors[index % 2];
    slot->tag = (int)(index % 2);
    engine_set_places(slot);
    slot->is_used = true;
    slot->is_sending = slot->is_writing = slot->is_exchanging = false;
    /* An exchange is one message that comes and goes. */
    slot->sends_left = slot->receives_left = slot->step.is_collective;
    atomic_store(&slot->is_read, false);
    atomic_store(&slot->is_written, false);
}

/* The first tensor of a step: all before it are done with the steps before. */
static int
first_tensor(const struct engine *e, int64_t index)
{
    const struct dtx_schedule *schedule = e->plan->schedule;

    return dtx_schedule_start(schedule, dtx_step_first_run(schedule, index))
        .tensor;
}

/* Builds the step after one that is under way and starts to agree on it, ahead
 * of that one's messages: behind them an agreement would wait for them all. An
 * exchange comes with an agreement of its own, which goes first. */
static void
prepare_next(struct engine *e, int64_t index, bool is_exchanged)
{
    struct dtx_error err = {0};
    enum dtx_status status = build_next(e, index, &err);

    if (status != DTX_OK) {
        engine_fail(e, status, &err);
    }
    if (index < e->plan->schedule->step_count && !is_exchanged) {
        engine_start_agreement(e, wish(e, first_tensor(e, index)));
    }
}

/* The step is in its slot, and all have agreed that everyone's is. */
static void
run_step(struct engine *e, int64_t index)
{
    struct slot *slot = slot_of(e, index), *other = slot_before(e, index);

    if (!slot->step.is_collective) {
        engine_post_receives(slot);
    }
    if (slot->step.follows) {
        engine_wait_for(e, other, slot_is_free);
    }
    dtx_worker_submit(&e->reader, read_job, slot);
    prepare_next(e, index + 1, slot->step.is_collective);
    engine_wait_for(e, slot, slot_has_read);
    if (slot->step.is_collective) {
        engine_wait_for(e, other, slot_has_sent);
        exchange(slot);
    } else {
        engine_post_sends(slot);
    }
    if (index + 1 < e->plan->schedule->step_count) {
        engine_wait_for(e, other, slot_is_free);
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
report_progress(const struct engine *e, int64_t index, struct engine_beat *beat)
{
    const struct dtx_schedule *schedule = e->plan->schedule;
    uint64_t total = e->plan->totals.written;
    struct dtx_progress progress = {
        .bytes_done = (uint64_t)((double)total * (double)index /
                                 (double)schedule->step_count),
        .bytes_total = total,
        .busiest = busiest_of(e)};

    if (e->options->progress != NULL && e->transport->process == 0 &&
        engine_beat_is_due(beat, &progress.seconds)) {
        e->options->progress(&progress, e->options->progress_context);
    }
}

/* Lets all steps before this one end, and makes their tensors safe. True
 * where the run goes on. */
static bool
make_safe(struct engine *e, int64_t index, bool must_stop)
{
    struct dtx_error err = {0};

    engine_wait_for(e, slot_before(e, index), slot_is_free);
    if (!engine_checkpoint(e, first_tensor(e, index))) {
        return false;
    }
    if (must_stop) {
        engine_fail(e, dtx_stopped(&err), &err);
    }
    return !must_stop;
}

/* Begins the next step, once all have agreed to go on. */
static bool
may_run(struct engine *e, int64_t index)
{
    enum verdict verdict;
    bool goes_on;

    if (!e->is_agreeing) {
        engine_start_agreement(e, wish(e, first_tensor(e, index)));
    }
    verdict = engine_finish_agreement(e);
    goes_on = verdict == GO_ON;
    if (verdict == CHECKPOINT || verdict == STOP) {
        goes_on = make_safe(e, index, verdict == STOP);
    }
    if (goes_on) {
        enter(e, index);
    }
    return goes_on;
}

/* True where a step begins the run with the first tensor that isn't safe. */
static bool
begins_unsafe(const struct engine *e, int64_t index)
{
    const struct dtx_schedule *schedule = e->plan->schedule;
    struct dtx_step_walk walk;
    struct dtx_step_place place;

    dtx_step_walk_begin(&walk, schedule, index);
    while (dtx_step_walk_next(&walk, &place)) {
        struct dtx_step_start end = dtx_schedule_start(schedule, place.run + 1);

        if (place.round == 0 &&
            (end.tensor > e->safety.tensors ||
             (end.tensor == e->safety.tensors && end.part > 0))) {
            return true;
        }
    }
    return false;
}

/* The step that begins what isn't safe yet; later rounds of what is are in it
 * too, and left out. */
static int64_t
first_step(const struct engine *e)
{
    int64_t index = 0;

    while (index < e->plan->schedule->step_count && !begins_unsafe(e, index)) {
        index++;
    }
    return index;
}

void
engine_run(struct engine *e)
{
    struct engine_beat beat = engine_beat_begin();
    int64_t index, steps = e->plan->schedule->step_count;
    int i;

    engine_begin_checkpoints(e);
    for (index = first_step(e); index < steps && may_run(e, index); index++) {
        run_step(e, index);
        report_progress(e, index + 1, &beat);
    }
    for (i = 0; i < ENGINE_SLOTS; i++) {
        engine_wait_for(e, &e->slots[i], slot_is_free);
    }
}

/* The bytes of all messages of this process, to itself too. */
static uint64_t
work_bytes(const struct engine *e)
{
    const struct dtx_process_cost *cost =
        &e->plan->processes[e->transport->process];

    return cost->kept + cost->passed + cost->sent + cost->received;
}

/* The bytes of messages that a slot holds at most. */
static uint64_t
slot_bytes(const struct engine *e)
{
    uint64_t work = work_bytes(e), step = e->plan->schedule->step_bytes;

    return work < step ? work : step;
}

enum dtx_status
engine_prepare(struct engine *e, struct dtx_error *err)
{
    size_t stage = (size_t)e->plan->schedule->stage_bytes;
    int64_t steps = e->plan->schedule->step_count;
    size_t store =
        (size_t)dtx_schedule_store_bytes(e->plan->schedule, work_bytes(e));
    char *buffers[5] = {NULL};
    enum dtx_status status =
        dtx_step_builder_init(&e->builder, e->plan, e->transport->process, err);
    int i;

    /* Two stages, a slot for each of the first two steps, the store. */
    for (i = 0; i < 5 && status == DTX_OK; i++) {
        size_t bytes = i < 2 ? stage : i < 4 ? (size_t)slot_bytes(e) : store;
        bool is_needed = i < 4 ? i - 2 < steps : store > 0;

        status = is_needed ? engine_allocate(e, i < 2, bytes, &buffers[i], err)
                           : DTX_OK;
    }
    e->read_stage = buffers[0];
    e->write_stage = buffers[1];
    e->store = buffers[4];
    e->buffers[0] = buffers[2];
    e->buffers[1] = buffers[3];
    e->has_two_cores = engine_own_cores(e->transport) > 1;
    for (i = 0; i < ENGINE_SLOTS; i++) {
        e->slots[i].engine = e;
        e->slots[i].capacity = (size_t)slot_bytes(e);
    }
    if (status == DTX_OK) {
        status = engine_prepare_lanes(e, err);
    }
    for (i = 0; i < 2 && i < steps && status == DTX_OK; i++) {
        status = engine_allocate_mirror(e, (size_t)slot_bytes(e),
                                        &e->mirrors[i], err);
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
    int i;

    dtx_worker_stop(&e->reader);
    dtx_worker_stop(&e->writer);
    for (i = 0; i < ENGINE_SLOTS; i++) {
        slot_finish(&e->slots[i]);
    }
    for (i = 0; i < 2; i++) {
        engine_release(e, false, e->buffers[i]);
        engine_release(e, true, e->mirrors[i]);
    }
    engine_release(e, true, e->read_stage);
    engine_release(e, true, e->write_stage);
    engine_release(e, false, e->store);
    engine_finish_lanes(e);
    engine_finish_exchange(e);
    dtx_step_builder_finish(&e->builder);
    dtx_arena_finish(&e->read_scratch);
    dtx_arena_finish(&e->write_scratch);
}
