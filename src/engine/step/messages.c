#include "engine/step/messages.h"

#include "util/alloc.h"
#include "util/error.h"

/* Lays the messages of one direction out in the slot's buffer. */
static enum dtx_status
lay_out(struct slot *slot, bool outgoing, size_t *bytes, struct dtx_error *err)
{
    const struct dtx_step *step = &slot->step;
    int count = outgoing ? step->send_count : step->receive_count;
    const struct dtx_message *list = outgoing ? step->sends : step->receives;
    struct slot_message **places = outgoing ? &slot->sends : &slot->receives;
    size_t *capacity = &slot->message_capacity[outgoing ? 0 : 1];
    int i;

    if ((size_t)count > *capacity) {
        struct slot_message *grown =
            dtx_realloc(*places, (size_t)count, sizeof *grown);

        if (grown == NULL) {
            return dtx_error_memory(err);
        }
        *places = grown;
        *capacity = (size_t)count;
    }
    for (i = 0; i < count; i++) {
        bool stands_there = !outgoing && i == step->self_receive;

        (*places)[i] = (struct slot_message){.offset = *bytes, .request = -1};
        *bytes += stands_there ? 0 : list[i].bytes;
    }
    return DTX_OK;
}

enum dtx_status
engine_lay_out(struct slot *slot, struct dtx_error *err)
{
    size_t bytes = 0;
    enum dtx_status status = lay_out(slot, true, &bytes, err);

    if (status == DTX_OK) {
        status = lay_out(slot, false, &bytes, err);
    }
    if (status == DTX_OK && bytes > slot->capacity) {
        status = dtx_error_set(err, DTX_ERR_INTERNAL,
                               "a step needs %zu bytes, %zu were planned",
                               bytes, slot->capacity);
    }
    slot->bytes = bytes;
    if (status == DTX_OK && slot->buffer != NULL) {
        engine_set_places(slot);
    }
    return status;
}

static void
set_place(const struct slot *slot, struct slot_message *message)
{
    message->place = slot->buffer + message->offset;
    message->wire =
        slot->mirror != NULL ? slot->mirror + message->offset : message->place;
}

void
engine_set_places(struct slot *slot)
{
    int i;

    for (i = 0; i < slot->step.send_count; i++) {
        set_place(slot, &slot->sends[i]);
    }
    for (i = 0; i < slot->step.receive_count; i++) {
        set_place(slot, &slot->receives[i]);
    }
}

/* What a process keeps has the same bytes at both ends, or the plan is wrong.
 */
enum dtx_status
engine_check_self(const struct dtx_step *step, struct dtx_error *err)
{
    bool sends = step->self_send >= 0, receives = step->self_receive >= 0;

    if (sends != receives ||
        (sends && step->sends[step->self_send].bytes !=
                      step->receives[step->self_receive].bytes)) {
        return dtx_error_set(err, DTX_ERR_INTERNAL,
                             "the two ends of a step disagree");
    }
    return DTX_OK;
}

/* ---------------------------------------------------------------- messages */

/* Posts one receive; false where it fails. */
static bool
post_receive(struct slot *slot, int i)
{
    struct engine *e = slot->engine;
    struct slot_message *m = &slot->receives[i];
    struct dtx_error err = {0};
    enum dtx_status status = e->transport->ops->receive(
        e->transport, slot->step.receives[i].peer, slot->tag, m->wire,
        slot->step.receives[i].bytes, &m->request, &err);

    if (status != DTX_OK) {
        m->request = -1;
        engine_fail(e, status, &err);
    }
    return status == DTX_OK;
}

static bool
post_send(struct slot *slot, int i)
{
    struct engine *e = slot->engine;
    struct slot_message *m = &slot->sends[i];
    struct dtx_error err = {0};
    enum dtx_status status = e->transport->ops->send(
        e->transport, slot->step.sends[i].peer, slot->tag, m->wire,
        engine_has_failed(e) ? 0 : slot->step.sends[i].bytes, &m->request,
        &err);

    if (status != DTX_OK) {
        m->request = -1;
        engine_fail(e, status, &err);
    }
    return status == DTX_OK;
}

/* Posts receives until so many are open as may be. */
static void
post_receives(struct slot *slot)
{
    const struct dtx_step *step = &slot->step;

    while (slot->receives_posted < step->receive_count &&
           slot->receives_open < DTX_STEP_PEERS_MOST) {
        int i = slot->receives_posted++;

        if (i != step->self_receive) {
            if (post_receive(slot, i)) {
                slot->receives_open++;
            } else {
                slot->receives_left--;
            }
        }
    }
}

static void
post_sends(struct slot *slot)
{
    const struct dtx_step *step = &slot->step;

    while (slot->sends_posted < step->send_count &&
           slot->sends_open < DTX_STEP_PEERS_MOST) {
        int i = slot->sends_posted++;

        if (i != step->self_send) {
            if (post_send(slot, i)) {
                slot->sends_open++;
            } else {
                slot->sends_left--;
            }
        }
    }
}

void
engine_post_receives(struct slot *slot)
{
    slot->receives_posted = slot->receives_open = 0;
    slot->receives_left =
        slot->step.receive_count - (slot->step.self_receive >= 0);
    post_receives(slot);
}

void
engine_post_sends(struct slot *slot)
{
    slot->is_sending = true;
    slot->sends_posted = slot->sends_open = 0;
    slot->sends_left = slot->step.send_count - (slot->step.self_send >= 0);
    post_sends(slot);
}

/* Tests one message; returns true where it is done now. */
static bool
test_message(struct engine *e, struct slot_message *m, size_t expected,
             bool is_receive)
{
    struct dtx_error err = {0};
    bool done = false;
    size_t bytes = 0;
    enum dtx_status status;

    if (m->request < 0) {
        return false;
    }
    status =
        e->transport->ops->test(e->transport, m->request, &done, &bytes, &err);
    if (status != DTX_OK) {
        engine_fail(e, status, &err);
        done = true;
    } else if (done && is_receive && bytes != expected) {
        engine_poison(e); /* the peer says why */
    }
    if (done) {
        m->request = -1;
    }
    return done;
}

bool
engine_test_messages(struct slot *slot)
{
    int i, before = slot->sends_left + slot->receives_left;

    for (i = 0; i < slot->receives_posted && slot->receives_open > 0; i++) {
        if (test_message(slot->engine, &slot->receives[i],
                         slot->step.receives[i].bytes, true)) {
            slot->receives_left--;
            slot->receives_open--;
        }
    }
    for (i = 0; i < slot->sends_posted && slot->sends_open > 0; i++) {
        if (test_message(slot->engine, &slot->sends[i],
                         slot->step.sends[i].bytes, false)) {
            slot->sends_left--;
            slot->sends_open--;
        }
    }
    if (slot->receives_left > 0) {
        post_receives(slot);
    }
    if (slot->sends_left > 0) {
        post_sends(slot);
    }
    return slot->sends_left + slot->receives_left < before;
}
