#include "engine/step/regions.h"

#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "storage/stop.h"
#include "util/error.h"

enum { PLACE_BYTES = 192 };

void
engine_say_where(const struct dtx_transport *transport,
                 const struct dtx_plan *plan, enum dtx_role role, int position,
                 struct dtx_error *err)
{
    bool is_source = role == DTX_SOURCE;
    char place[PLACE_BYTES];
    size_t used;

    snprintf(place, sizeof place, "%s ", is_source ? "source" : "target");
    used = strlen(place);
    dtx_layout_describe_position(is_source ? plan->source : plan->target,
                                 position, place + used, sizeof place - used);
    dtx_transport_place(transport, place, err);
}

void
engine_describe_region(const struct engine *e, const struct dtx_region *region,
                       bool reads, struct dtx_error *err)
{
    const struct dtx_tensor *t = &e->plan->tensors[region->tensor];

    if (err->tensor[0] == '\0') {
        dtx_error_tensor(err, "'%s'", reads ? t->src_name : t->dst_name);
    }
    if (err->where[0] == '\0' && region->position_count > 0) {
        engine_say_where(e->transport, e->plan, reads ? DTX_SOURCE : DTX_TARGET,
                         region->positions[0], err);
    }
}

/* True while the run goes on. A step ends when the run is asked to stop, but
 * not if it takes long: it can be of many files, and each of them slow. */
static bool
goes_on(struct engine *e)
{
    struct dtx_error err = {0};

    if (e->shards == NULL && dtx_must_hurry()) {
        engine_fail(e, dtx_stopped(&err), &err);
    }
    return !engine_has_failed(e);
}

bool
engine_next_piece(struct engine *e, struct dtx_chunks *pieces)
{
    return goes_on(e) && dtx_chunks_next(pieces);
}

void
engine_each_region(struct slot *slot, bool reads, engine_region_work *work)
{
    struct engine *e = slot->engine;
    const struct dtx_region *regions =
        reads ? slot->step.reads : slot->step.writes;
    int i, count = reads ? slot->step.read_count : slot->step.write_count;
    uint64_t begin = engine_now_ns();
    struct dtx_error err = {0};
    enum dtx_status status = DTX_OK;

    for (i = 0; i < count && status == DTX_OK && goes_on(e); i++) {
        status = work(slot, &regions[i], &err);
        if (status != DTX_OK && !engine_has_failed(e)) {
            engine_describe_region(e, &regions[i], reads, &err);
            engine_fail(e, status, &err);
        }
    }
    atomic_fetch_add(reads ? &e->read_ns : &e->write_ns,
                     engine_now_ns() - begin);
}
