#include "plan/step/step.h"

#include "layout/shape.h"
#include "plan/step/rounds.h"
#include "plan/step/unit.h"
#include "plan/step/unit_relay.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/sort.h"

/* Sets a unit, its class that of the round or of the last one before; false
 * where it doesn't go in so many rounds. */
static bool
set_unit(const struct dtx_plan *plan, int tensor, int64_t part, int round,
         struct dtx_unit *unit)
{
    int k = plan->tensors[tensor].class_index;
    int dim;

    unit->tensor = tensor;
    unit->c = plan->classes[k];
    while (unit->c->next != NULL && unit->c->round < round) {
        unit->c = unit->c->next;
    }
    unit->part_counts = plan->schedule->parts[k].counts;
    for (dim = unit->c->ndim - 1; dim >= 0; dim--) {
        unit->part[dim] = part % unit->part_counts[dim];
        part /= unit->part_counts[dim];
    }
    return unit->c->round == round;
}

static bool
is_before(const struct dtx_step_start *a, const struct dtx_step_start *b)
{
    return a->tensor < b->tensor ||
           (a->tensor == b->tensor && a->part < b->part);
}

/* Adds a round of a run's units in one direction. */
static int
add_units(struct dtx_step_builder *b, const struct dtx_step_place *place,
          struct dtx_flow *flow, struct dtx_step *step)
{
    const struct dtx_schedule *schedule = b->plan->schedule;
    struct dtx_step_start at = dtx_schedule_start(schedule, place->run);
    struct dtx_step_start end = dtx_schedule_start(schedule, place->run + 1);
    struct dtx_unit unit;

    flow->kept_bytes = (size_t)place->store_offset;
    if (at.tensor < b->first_tensor) {
        at = (struct dtx_step_start){.tensor = b->first_tensor};
    }
    while (is_before(&at, &end)) {
        int k = b->plan->tensors[at.tensor].class_index;

        if (at.part >= schedule->parts[k].total) {
            at.tensor++;
            at.part = 0;
            continue;
        }
        if (set_unit(b->plan, at.tensor, at.part, place->round, &unit)) {
            step->is_collective |=
                unit.c->strategy == DTX_STRATEGY_REDISTRIBUTE;
            if (dtx_unit_add(b, flow, &unit, &step->arena) != 0) {
                return -1;
            }
        } else if (unit.c->relays != NULL &&
                   dtx_relay_unit_skip(b, flow, &unit) != 0) {
            return -1;
        }
        at.part++;
    }
    return 0;
}

/* All of a step in one direction. */
static int
add_direction(struct dtx_step_builder *b, int64_t index, struct dtx_flow *flow,
              struct dtx_step *step)
{
    struct dtx_step_walk walk;
    struct dtx_step_place place;
    int status = 0;

    dtx_step_walk_begin(&walk, b->plan->schedule, index);
    while (status == 0 && dtx_step_walk_next(&walk, &place)) {
        status = add_units(b, &place, flow, step);
    }
    if (status == 0) {
        status = dtx_flow_rotate(b, flow);
    }
    dtx_flow_forget(b, flow);
    return status;
}

/* ---------------------------------------------------------------- counts */

static uint64_t
region_elements(const struct dtx_plan *plan, const struct dtx_region *region)
{
    int ndim = plan->tensors[region->tensor].ndim;
    uint64_t elements = 1;
    int dim;

    for (dim = 0; dim < ndim; dim++) {
        elements *= (uint64_t)region->len[dim];
    }
    return elements;
}

/* What a process sends itself of a region that it reads. */
static uint64_t
own_bytes(const struct dtx_plan *plan, const struct dtx_step *step,
          const struct dtx_region *region)
{
    const struct dtx_tensor *tensor = &plan->tensors[region->tensor];
    uint64_t bytes = 0;
    int i;

    for (i = 0; i < region->slice_count; i++) {
        const struct dtx_slice *slice =
            &step->read_slices[region->slice_first + i];

        if (slice->message == step->self_send) {
            bytes += (uint64_t)dtx_shape_count(tensor->ndim, slice->len) *
                     plan->classes[tensor->class_index]->wire_bytes;
        }
    }
    return bytes;
}

static void
count_bytes(const struct dtx_step_builder *b, struct dtx_step *step)
{
    const struct dtx_plan *plan = b->plan;
    int i;

    step->read = step->kept = step->passed = 0;
    step->sent = step->received = step->written = 0;
    for (i = 0; i < step->send_count; i++) {
        step->sent += i == step->self_send ? 0 : step->sends[i].bytes;
        step->kept += i == step->self_send ? step->sends[i].bytes : 0;
    }
    for (i = 0; i < step->receive_count; i++) {
        step->received += i == step->self_receive ? 0 : step->receives[i].bytes;
    }
    for (i = 0; i < step->read_count; i++) {
        const struct dtx_region *r = &step->reads[i];

        step->read += (uint64_t)r->position_count * region_elements(plan, r) *
                      plan->tensors[r->tensor].src_type.size_bytes;
        if (r->kept_shape != NULL) {
            step->passed += own_bytes(plan, step, r);
        }
    }
    step->kept -= step->passed;
    for (i = 0; i < step->write_count; i++) {
        const struct dtx_region *r = &step->writes[i];

        step->written += region_elements(plan, r) *
                         plan->tensors[r->tensor].dst_type.size_bytes *
                         (uint64_t)r->position_count;
    }
}

static int
message_to_self(const struct dtx_flow *flow, int process)
{
    size_t i;

    for (i = 0; i < flow->count; i++) {
        if (flow->messages[i].peer == process) {
            return (int)i;
        }
    }
    return -1;
}

/* Moves the lists of both directions into the step's arena. */
static int
set_step(const struct dtx_step_builder *b, const struct dtx_flow *out,
         const struct dtx_flow *in, struct dtx_step *step)
{
    struct dtx_arena *a = &step->arena;

    step->send_count = (int)out->count;
    step->sends =
        dtx_arena_copy(a, out->messages, out->count, sizeof *step->sends);
    step->receive_count = (int)in->count;
    step->receives =
        dtx_arena_copy(a, in->messages, in->count, sizeof *step->receives);
    step->read_count = (int)out->regions.count;
    step->reads = dtx_arena_copy(a, out->regions.array, out->regions.count,
                                 sizeof *step->reads);
    step->read_slices =
        dtx_arena_copy(a, out->regions.slices, out->regions.slice_count,
                       sizeof *step->read_slices);
    step->write_count = (int)in->regions.count;
    step->writes = dtx_arena_copy(a, in->regions.array, in->regions.count,
                                  sizeof *step->writes);
    step->write_slices =
        dtx_arena_copy(a, in->regions.slices, in->regions.slice_count,
                       sizeof *step->write_slices);
    if (step->sends == NULL || step->receives == NULL || step->reads == NULL ||
        step->read_slices == NULL || step->writes == NULL ||
        step->write_slices == NULL) {
        return -1;
    }
    step->self_send = message_to_self(out, b->process);
    step->self_receive = message_to_self(in, b->process);
    count_bytes(b, step);
    return 0;
}

enum dtx_status
dtx_step_build(struct dtx_step_builder *builder, int64_t index,
               struct dtx_step *step, struct dtx_error *err)
{
    struct dtx_flow out = {.outgoing = true};
    struct dtx_flow in = {.outgoing = false};
    int status;

    dtx_arena_reset(&step->arena);
    step->is_collective = false;
    step->follows = dtx_step_follows(builder->plan->schedule, index);
    status = add_direction(builder, index, &out, step);
    if (status == 0) {
        status = add_direction(builder, index, &in, step);
    }
    if (status == 0) {
        status = set_step(builder, &out, &in, step);
    }
    dtx_flow_finish(&out);
    dtx_flow_finish(&in);
    return status == 0 ? DTX_OK : dtx_error_memory(err);
}

enum dtx_status
dtx_step_builder_init(struct dtx_step_builder *builder,
                      const struct dtx_plan *plan, int process,
                      struct dtx_error *err)
{
    int i;

    *builder = (struct dtx_step_builder){.plan = plan, .process = process};
    builder->peer_message = dtx_alloc((size_t)plan->options.process_count,
                                      sizeof *builder->peer_message);
    if (builder->peer_message == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < plan->options.process_count; i++) {
        builder->peer_message[i] = -1;
    }
    return DTX_OK;
}

void
dtx_step_builder_finish(struct dtx_step_builder *builder)
{
    dtx_free(builder->peer_message);
    dtx_unit_memory_destroy(builder->memory);
    dtx_arena_finish(&builder->scratch);
}

void
dtx_step_finish(struct dtx_step *step)
{
    dtx_arena_finish(&step->arena);
    *step = (struct dtx_step){0};
}
