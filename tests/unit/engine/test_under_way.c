#include "engine/engine.h"
#include "engine/step/messages.h"
#include "engine/step/under_way.h"
#include "support/claim.h"

static int looks;

/* True once all that is under way has been moved on some times. */
static bool
has_looked(const struct slot *slot)
{
    (void)slot;
    return looks++ == 3;
}

/* The writer can be done before the thread that sends learns of the reading. */
Test(under_way, a_step_that_is_written_before_it_is_sent_is_not_over)
{
    struct engine e = {0};
    struct slot *slot = &e.slots[0];
    struct dtx_error err;

    claim(dtx_transport_create_self(&e.transport, &err) == DTX_OK);
    slot->engine = &e;
    slot->is_used = slot->is_writing = true;
    slot->step.self_send = slot->step.self_receive = -1;
    atomic_store(&slot->is_read, true);
    atomic_store(&slot->is_written, true);
    engine_wait_for(&e, slot, has_looked);
    claim(slot->is_used);
    engine_post_sends(slot);
    engine_wait_for(&e, slot, slot_is_free);
    dtx_transport_destroy(e.transport);
}
