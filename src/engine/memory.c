#include "engine/memory.h"

#include <assert.h>
#include <string.h>

#include "engine/memory_links.h"
#include "engine/step/apart.h"
#include "engine/step/exchange.h"
#include "engine/step/messages.h"
#include "engine/step/read.h"
#include "engine/step/write.h"
#include "util/alloc.h"
#include "util/error.h"

/* ---------------------------------------------------------------- making */

/* Builds a step into its slot, and lays out its messages. */
static enum dtx_status
build_step(struct engine_memory *m, int64_t index, struct dtx_error *err)
{
    struct slot *slot = &m->slots[index];
    enum dtx_status status;
    int i;

    slot->engine = &m->e;
    slot->tag = (int)(index % 2); /* two steps at most are under way */
    slot->capacity = SIZE_MAX;
    status = dtx_step_build(&m->e.builder, index, &slot->step, err);
    if (status == DTX_OK) {
        status = engine_check_self(&slot->step, err);
    }
    if (status == DTX_OK) {
        status = engine_lay_out(slot, err);
    }
    for (i = 0; i < slot->step.read_count && status == DTX_OK; i++) {
        const struct dtx_region *region = &slot->step.reads[i];

        if (region->kept_shape == NULL) {
            engine_shard_of(&m->shards, DTX_SOURCE, region->tensor,
                            region->positions[0])
                ->is_needed = true;
        }
    }
    return status == DTX_OK ? memory_find_links(m, index, err) : status;
}

static enum dtx_status
build_steps(struct engine_memory *m, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int64_t i;

    m->step_count = m->e.plan->schedule->step_count;
    m->slots = dtx_alloc((size_t)m->step_count, sizeof *m->slots);
    if (m->slots == NULL) {
        m->step_count = 0;
        return dtx_error_memory(err);
    }
    for (i = 0; i < m->step_count && status == DTX_OK; i++) {
        status = build_step(m, i, err);
    }
    return status;
}

/* The bytes of the largest of the steps that take a buffer. */
static size_t
largest_step(const struct engine_memory *m, int buffer)
{
    size_t bytes = 0;
    int64_t i;

    for (i = buffer; i < m->step_count; i += 2) {
        bytes = m->slots[i].bytes > bytes ? m->slots[i].bytes : bytes;
    }
    return bytes;
}

/* Gives the steps their buffers, in turn. */
static void
place_steps(struct engine_memory *m)
{
    int64_t i;

    for (i = 0; i < m->step_count; i++) {
        m->slots[i].buffer = m->buffers.steps[i % 2];
        m->slots[i].mirror = m->buffers.mirrors[i % 2];
        m->slots[i].capacity = largest_step(m, (int)(i % 2));
    }
    m->e.read_stage = m->buffers.stages[0];
    m->e.write_stage = m->buffers.stages[1];
    m->e.store = m->buffers.store;
    m->are_links_set = false;
}

/* Gets all buffers of the engine's device. */
static enum dtx_status
get_buffers(struct engine_memory *m, struct dtx_error *err)
{
    struct engine *e = &m->e;
    struct memory_buffers *b = &m->buffers;
    const struct dtx_schedule *schedule = e->plan->schedule;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        size_t bytes = largest_step(m, i);

        status = engine_allocate(e, false, bytes, &b->steps[i], err);
        if (status == DTX_OK) {
            status = engine_allocate_mirror(e, bytes, &b->mirrors[i], err);
        }
        if (status == DTX_OK) {
            status = engine_allocate(e, true, (size_t)schedule->stage_bytes,
                                     &b->stages[i], err);
        }
    }
    if (status == DTX_OK) {
        status = engine_allocate(
            e, false, (size_t)dtx_schedule_store_bytes(schedule, UINT64_MAX),
            &b->store, err);
    }
    return status == DTX_OK ? engine_prepare_lanes(e, err) : status;
}

static void
release_buffers(struct engine_memory *m)
{
    struct engine *e = &m->e;
    struct memory_buffers *b = &m->buffers;
    int i;

    for (i = 0; i < 2; i++) {
        engine_release(e, false, b->steps[i]);
        engine_release(e, true, b->mirrors[i]);
        engine_release(e, true, b->stages[i]);
    }
    engine_release(e, false, b->store);
    engine_finish_lanes(e);
    *b = (struct memory_buffers){0};
}

enum dtx_status
engine_memory_use_device(struct engine_memory *m, struct dtx_device *device,
                         struct dtx_error *err)
{
    struct memory_buffers old = m->buffers;
    struct dtx_device *old_device = m->e.device;
    enum dtx_status status;

    assert(old_device->apart == NULL); /* so that there are no lanes to keep */
    m->buffers = (struct memory_buffers){0};
    m->e.device = device;
    status = get_buffers(m, err);
    if (status == DTX_OK) {
        struct memory_buffers now = m->buffers;
        struct engine_lane lanes[DTX_LANE_COUNT];

        memcpy(lanes, m->e.lanes, sizeof lanes);
        m->e.device = old_device;
        m->buffers = old;
        release_buffers(m);
        m->e.device = device;
        m->buffers = now;
        memcpy(m->e.lanes, lanes, sizeof lanes);
    } else {
        release_buffers(m);
        m->e.device = old_device;
        m->buffers = old;
    }
    place_steps(m);
    return status;
}

enum dtx_status
engine_memory_prepare(struct engine_memory *m, const struct dtx_plan *plan,
                      struct dtx_transport *transport,
                      struct dtx_device *device, struct dtx_error *err)
{
    struct engine *e = &m->e;
    enum dtx_status status;

    *m = (struct engine_memory){
        .e = {.plan = plan,
              .transport = transport,
              .device = device,
              .sends_from_device = transport->reads_device &&
                                   plan->options.transport != DTX_CARRIER_MPI,
              .shards = &m->shards}};
    engine_failure_init(e);
    status = dtx_step_builder_init(&e->builder, plan, transport->process, err);
    if (status == DTX_OK) {
        status = engine_shards_init(&m->shards, plan, transport->process, err);
    }
    if (status == DTX_OK) {
        status = build_steps(m, err);
    }
    if (status == DTX_OK) {
        status = get_buffers(m, err);
        place_steps(m);
    }
    return status == DTX_OK ? engine_prepare_exchange(e, err) : status;
}

void
engine_memory_finish(struct engine_memory *m)
{
    struct engine *e = &m->e;
    int64_t i;

    for (i = 0; i < m->step_count; i++) {
        dtx_free(m->slots[i].sends);
        dtx_free(m->slots[i].receives);
        dtx_step_finish(&m->slots[i].step);
    }
    dtx_free(m->slots);
    dtx_free(m->links);
    if (e->device != NULL) {
        release_buffers(m);
        engine_failure_finish(e);
    }
    engine_finish_exchange(e);
    dtx_step_builder_finish(&e->builder);
    dtx_arena_finish(&e->read_scratch);
    dtx_arena_finish(&e->write_scratch);
    dtx_arena_finish(&m->arena);
    engine_shards_finish(&m->shards);
    *m = (struct engine_memory){0};
}

/* ---------------------------------------------------------------- steps */

/* True where a step can begin beside the one before it. */
static bool
may_enter(const struct engine_memory *m)
{
    int64_t under_way = m->entered - m->finished;
    const struct slot *next = &m->slots[m->entered];

    if (m->entered == m->step_count || under_way == 2) {
        return false;
    }
    return under_way == 0 ||
           (!next->step.is_collective && !next->step.follows &&
            !m->slots[m->entered - 1].step.is_collective);
}

/* Starts to agree on a number; true where that is under way. */
static bool
start_agreement(struct engine_memory *m, int64_t value)
{
    struct dtx_error err = {0};

    if (m->e.transport->ops->agree(m->e.transport, value, &err) != DTX_OK) {
        engine_fail(&m->e, DTX_ERR_COMM, &err);
        return false;
    }
    return true;
}

/* Lets a device end what it was told before something failed. */
static void
end_lanes(struct engine_memory *m)
{
    struct dtx_error ignored = {0};

    (void)dtx_device_finish(m->e.device, DTX_LANE_READ, &ignored);
    (void)dtx_device_finish(m->e.device, DTX_LANE_WRITE, &ignored);
}

/* Ends the run without talking: nobody can be talked to. */
static void
give_up(struct engine_memory *m)
{
    end_lanes(m);
    m->status = m->e.failure.status;
    m->error = m->e.failure.error;
    m->phase = MEMORY_IDLE;
}

/* Begins the next step: packs its messages and sends them. */
static void
enter(struct engine_memory *m)
{
    struct slot *slot = &m->slots[m->entered++];

    slot->is_used = true;
    slot->is_writing = slot->is_exchanging = false;
    slot->sends_left = slot->receives_left = slot->step.is_collective;
    if (!slot->step.is_collective) {
        engine_post_receives(slot);
    }
    engine_read_step(slot);
    if (!slot->step.is_collective) {
        engine_post_sends(slot);
    } else {
        m->phase = MEMORY_CONSENTING;
        if (!start_agreement(m, engine_has_failed(&m->e))) {
            give_up(m);
        }
    }
    if (!engine_has_failed(&m->e)) {
        memory_copy_links(m, m->entered - 1);
    }
}

/* Moves a step on; true where something happened. */
static bool
progress(struct slot *slot)
{
    bool moved = slot->step.is_collective ? engine_test_exchange(slot)
                                          : engine_test_messages(slot);

    if (!slot->is_writing && slot->receives_left == 0) {
        engine_write_step(slot);
        slot->is_writing = true;
        moved = true;
    }
    if (slot->is_writing && slot->sends_left == 0) {
        slot->is_used = false;
        moved = true;
    }
    return moved;
}

/* Moves all steps on that are under way. */
static bool
move(struct engine_memory *m)
{
    bool moved = false;
    int64_t i;

    if (may_enter(m)) {
        enter(m);
        moved = true;
    }
    for (i = m->finished; i < m->entered && m->phase == MEMORY_MOVING; i++) {
        if (m->slots[i].is_used) {
            moved |= progress(&m->slots[i]);
        }
    }
    while (m->finished < m->entered && !m->slots[m->finished].is_used) {
        m->finished++;
    }
    if (m->phase == MEMORY_MOVING && m->finished == m->step_count) {
        m->phase = MEMORY_AGREEING;
        if (!start_agreement(m, engine_has_failed(&m->e))) {
            give_up(m);
        }
        moved = true;
    }
    return moved;
}

/* ---------------------------------------------------------------- agreeing */

/* Tests an agreement; true once it is there, or can't be had. */
static bool
has_agreed(struct engine_memory *m, bool *failed_out)
{
    struct dtx_error err = {0};
    bool done = false;
    int64_t maximum = 0;

    if (m->e.transport->ops->test_agree(m->e.transport, &done, &maximum,
                                        &err) != DTX_OK) {
        engine_fail(&m->e, DTX_ERR_COMM, &err);
        give_up(m);
        return false;
    }
    *failed_out = maximum != 0;
    return done;
}

/* A collective step's exchange begins once all want it. */
static bool
consent(struct engine_memory *m)
{
    struct slot *slot = &m->slots[m->entered - 1];
    bool failed = false;

    if (!has_agreed(m, &failed)) {
        return false;
    }
    m->phase = MEMORY_MOVING;
    if (failed) { /* all leave out what is left */
        slot->is_used = false;
        m->entered = m->finished = m->step_count;
        engine_poison(&m->e);
    } else {
        engine_start_exchange(slot);
    }
    return true;
}

/* Where anyone has failed, all get the error of the lowest. A message that came
 * short where nobody has failed is a failure of its own. */
static void
settle(struct engine_memory *m)
{
    struct engine *e = &m->e;

    m->error = e->failure.error;
    m->status =
        dtx_transport_settle(e->transport, e->failure.status, &m->error);
    if (m->status == DTX_OK) {
        dtx_error_set(&m->error, DTX_ERR_COMM,
                      "a message was shorter than planned");
        m->status = dtx_transport_settle(e->transport, DTX_ERR_COMM, &m->error);
    }
}

static bool
conclude(struct engine_memory *m)
{
    bool failed = false;

    if (!has_agreed(m, &failed)) {
        return false;
    }
    m->status = DTX_OK;
    m->phase = MEMORY_IDLE;
    if (failed) {
        end_lanes(m);
        settle(m);
    }
    return true;
}

/* ---------------------------------------------------------------- running */

void
engine_memory_begin(struct engine_memory *m, enum dtx_status status,
                    const struct dtx_error *err)
{
    struct engine *e = &m->e;
    struct dtx_error own = {0};

    engine_failure_clear(e);
    m->entered = m->finished = 0;
    m->phase = MEMORY_MOVING;
    if (status != DTX_OK) {
        engine_fail(e, status, err);
    } else {
        status = engine_shards_check(&m->shards, e->transport, &own);
        if (status == DTX_OK) {
            status = engine_shards_fill(e, &own);
        }
        if (status != DTX_OK) {
            engine_fail(e, status, &own);
        }
    }
    memory_set_links(m);
    (void)engine_memory_test(m);
}

/* Moves a run on; true where something happened. */
static bool
advance(struct engine_memory *m)
{
    switch (m->phase) {
    case MEMORY_MOVING:
        return move(m);
    case MEMORY_CONSENTING:
        return consent(m);
    case MEMORY_AGREEING:
        return conclude(m);
    case MEMORY_IDLE:
        break;
    }
    return false;
}

bool
engine_memory_test(struct engine_memory *m)
{
    while (advance(m)) {
    }
    return m->phase == MEMORY_IDLE;
}

void
engine_memory_wait(struct engine_memory *m)
{
    int idle = 0;

    while (m->phase != MEMORY_IDLE) {
        if (advance(m)) {
            idle = 0;
        } else if (m->phase != MEMORY_IDLE) {
            m->e.transport->ops->pause(m->e.transport, idle++);
        }
    }
}
