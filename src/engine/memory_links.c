#include "engine/memory_links.h"

#include <stdlib.h>

#include "engine/step/apart.h"
#include "engine/step/element.h"
#include "engine/step/messages.h"
#include "engine/step/shards.h"
#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"

enum { READ, WRITE };

/* A slice of one end, while links are looked for. */
struct end {
    size_t offset; /* in its message */
    int side;      /* READ or WRITE */
    int region, slice;
    bool is_plain; /* elements stay as they are, between arrays and messages */
};

static const struct dtx_region *
regions_of(const struct dtx_step *step, int side)
{
    return side == READ ? step->reads : step->writes;
}

static const struct dtx_slice *
slices_of(const struct dtx_step *step, int side)
{
    return side == READ ? step->read_slices : step->write_slices;
}

static int
region_count(const struct dtx_step *step, int side)
{
    return side == READ ? step->read_count : step->write_count;
}

/* Regions have their slices one after another. */
static int
slice_count(const struct dtx_step *step, int side)
{
    const struct dtx_region *regions = regions_of(step, side);
    int count = region_count(step, side);

    return count == 0 ? 0
                      : regions[count - 1].slice_first +
                            regions[count - 1].slice_count;
}

static bool
is_plain(const struct dtx_plan *plan, const struct dtx_region *region, int side)
{
    struct element element = element_of(plan, region->tensor);

    return region->kept_shape == NULL &&
           (side == READ
                ? !element.converts_on_read
                : region->term_count == 1 && !element.converts_on_write);
}

static enum dtx_status
add_link(struct engine_memory *m, const struct memory_link *link,
         struct dtx_error *err)
{
    if (dtx_grow(&m->links, (size_t)m->link_count, &m->link_capacity,
                 sizeof *m->links) != 0) {
        return dtx_error_memory(err);
    }
    m->links[m->link_count++] = *link;
    return DTX_OK;
}

/* ---------------------------------------------------------------- messages */

/* True where a slice is all that is in its message. What is received can hold
 * more than is taken. */
static bool
is_message(const struct engine_memory *m, const struct dtx_step *step, int side,
           const struct dtx_region *region, const struct dtx_slice *slice)
{
    const struct dtx_message *message = side == READ
                                            ? &step->sends[slice->message]
                                            : &step->receives[slice->message];
    int ndim = m->e.plan->tensors[region->tensor].ndim;
    struct element element = element_of(m->e.plan, region->tensor);

    return slice->box_len == NULL && (size_t)dtx_shape_count(ndim, slice->len) *
                                             element.wire.size_bytes ==
                                         message->bytes;
}

/* Adds the messages to and from others that are a single slice. */
static enum dtx_status
find_messages(struct engine_memory *m, int step_index, int side,
              struct dtx_error *err)
{
    const struct dtx_step *step = &m->slots[step_index].step;
    int self = side == READ ? step->self_send : step->self_receive;
    enum dtx_status status = DTX_OK;
    int r, i;

    for (r = 0; r < region_count(step, side); r++) {
        const struct dtx_region *region = &regions_of(step, side)[r];
        int end = region->slice_first + region->slice_count;

        if (!is_plain(m->e.plan, region, side) || region->position_count != 1) {
            continue;
        }
        for (i = region->slice_first; i < end && status == DTX_OK; i++) {
            const struct dtx_slice *slice = &slices_of(step, side)[i];
            struct memory_link link = {
                step_index, {-1, -1}, {-1, -1}, slice->message};

            link.region[side] = r;
            link.slice[side] = i;
            if (slice->message != self &&
                is_message(m, step, side, region, slice)) {
                status = add_link(m, &link, err);
            }
        }
    }
    return status;
}

/* ---------------------------------------------------------------- kept */

/* Lists the slices of a side that the process has of itself; returns how many
 * there are by now. */
static int
list_own(const struct engine_memory *m, const struct dtx_step *step, int side,
         struct end *ends, int count)
{
    int self = side == READ ? step->self_send : step->self_receive;
    int r, i;

    for (r = 0; r < region_count(step, side); r++) {
        const struct dtx_region *region = &regions_of(step, side)[r];
        bool plain = is_plain(m->e.plan, region, side);

        for (i = region->slice_first;
             i < region->slice_first + region->slice_count; i++) {
            const struct dtx_slice *slice = &slices_of(step, side)[i];

            if (slice->message == self) {
                ends[count++] = (struct end){slice->offset, side, r, i, plain};
            }
        }
    }
    return count;
}

/* By offset, and the one that is read first. */
static int
compare_ends(const void *left, const void *right)
{
    const struct end *a = left;
    const struct end *b = right;

    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return a->side != b->side ? a->side - b->side : a->slice - b->slice;
}

/* Links what is read at one offset with all that is made of it. */
static enum dtx_status
link_ends(struct engine_memory *m, int step, const struct end *ends, int count,
          struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < count; i++) {
        if (!ends[i].is_plain || (ends[i].side == READ) != (i == 0)) {
            return DTX_OK;
        }
    }
    for (i = 1; i < count && status == DTX_OK; i++) {
        struct memory_link link = {step,
                                   {ends[0].region, ends[i].region},
                                   {ends[0].slice, ends[i].slice},
                                   -1};

        status = add_link(m, &link, err);
    }
    return status;
}

/* Adds what the process keeps of arrays. */
static enum dtx_status
find_kept(struct engine_memory *m, int step_index, struct dtx_error *err)
{
    const struct dtx_step *step = &m->slots[step_index].step;
    size_t most =
        (size_t)slice_count(step, READ) + (size_t)slice_count(step, WRITE);
    struct end *ends = dtx_alloc(most, sizeof *ends);
    enum dtx_status status = DTX_OK;
    int count, first = 0, i;

    if (ends == NULL) {
        return dtx_error_memory(err);
    }
    count = list_own(m, step, READ, ends, 0);
    count = list_own(m, step, WRITE, ends, count);
    qsort(ends, (size_t)count, sizeof *ends, compare_ends);
    for (i = 1; i <= count && status == DTX_OK; i++) {
        if (i == count || ends[i].offset != ends[first].offset) {
            status = link_ends(m, step_index, ends + first, i - first, err);
            first = i;
        }
    }
    dtx_free(ends);
    return status;
}

enum dtx_status
memory_find_links(struct engine_memory *m, int64_t step, struct dtx_error *err)
{
    struct slot *slot = &m->slots[step];
    enum dtx_status status = DTX_OK;
    int side;

    slot->link_first = m->link_count;
    for (side = READ; side <= WRITE; side++) {
        slot->is_linked[side] = dtx_arena_alloc(
            &m->arena, (size_t)slice_count(&slot->step, side), sizeof(bool));
        if (slot->is_linked[side] == NULL) {
            return dtx_error_memory(err);
        }
    }
    if (slot->step.self_send >= 0) {
        status = find_kept(m, (int)step, err);
    }
    for (side = READ;
         side <= WRITE && status == DTX_OK && !slot->step.is_collective;
         side++) {
        status = find_messages(m, (int)step, side, err);
    }
    slot->link_count = m->link_count - slot->link_first;
    return status;
}

/* ---------------------------------------------------------------- setting */

/* The shard of a link's end, of one of the region's positions. */
static const struct engine_shard *
shard_of(struct engine_memory *m, const struct memory_link *link, int side,
         int position)
{
    const struct dtx_region *region =
        &regions_of(&m->slots[link->slot].step, side)[link->region[side]];

    return engine_shard_of(&m->shards, side == READ ? DTX_SOURCE : DTX_TARGET,
                           region->tensor, region->positions[position]);
}

static bool
are_arrays(struct engine_memory *m, const struct memory_link *link, int side)
{
    const struct dtx_region *region =
        &regions_of(&m->slots[link->slot].step, side)[link->region[side]];
    int i;

    for (i = 0; i < region->position_count; i++) {
        if (!engine_shard_is_direct(&m->e, shard_of(m, link, side, i))) {
            return false;
        }
    }
    return true;
}

/* The array's place of a slice that is dense there; NULL where it isn't. */
static char *
dense_place(struct engine_memory *m, const struct memory_link *link, int side)
{
    const struct dtx_step *step = &m->slots[link->slot].step;
    const struct dtx_region *region =
        &regions_of(step, side)[link->region[side]];
    const struct dtx_slice *slice = &slices_of(step, side)[link->slice[side]];
    const struct engine_shard *shard = shard_of(m, link, side, 0);
    struct element element = element_of(m->e.plan, region->tensor);
    int64_t expected = (int64_t)element.wire.size_bytes, at = 0;
    int dim;

    for (dim = m->e.plan->tensors[region->tensor].ndim - 1; dim >= 0; dim--) {
        if (slice->len[dim] > 1 && shard->strides[dim] != expected) {
            return NULL;
        }
        expected *= slice->len[dim];
        at += (region->lo[dim] + slice->lo[dim]) * shard->strides[dim];
    }
    return shard->data + at;
}

static void
set_message(struct engine_memory *m, const struct memory_link *link)
{
    struct slot *slot = &m->slots[link->slot];
    int side = link->region[READ] >= 0 ? READ : WRITE;
    struct slot_message *messages = side == READ ? slot->sends : slot->receives;
    bool can_link = are_arrays(m, link, side) && slot->mirror == NULL;
    char *place = can_link ? dense_place(m, link, side) : NULL;

    if (place != NULL) {
        messages[link->message].place = place;
        messages[link->message].wire = place;
        slot->is_linked[side][link->slice[side]] = true;
    }
}

static void
clear(struct slot *slot)
{
    int side, i;

    engine_set_places(slot);
    for (side = READ; side <= WRITE; side++) {
        for (i = 0; i < slice_count(&slot->step, side); i++) {
            slot->is_linked[side][i] = false;
        }
    }
}

/* What is read needs no message unless a part of it isn't linked. */
static void
set_kept(struct engine_memory *m, const struct memory_link *link)
{
    struct slot *slot = &m->slots[link->slot];
    bool is_on = are_arrays(m, link, READ) && are_arrays(m, link, WRITE);
    bool is_first = link == m->links || link[-1].slot != link->slot ||
                    link[-1].slice[READ] != link->slice[READ];

    slot->is_linked[READ][link->slice[READ]] =
        is_on && (is_first || slot->is_linked[READ][link->slice[READ]]);
    slot->is_linked[WRITE][link->slice[WRITE]] = is_on;
}

void
memory_set_links(struct engine_memory *m)
{
    int64_t step;
    int i;

    if (m->are_links_set) {
        return;
    }
    for (step = 0; step < m->step_count; step++) {
        clear(&m->slots[step]);
    }
    for (i = 0; i < m->link_count; i++) {
        if (m->links[i].message >= 0) {
            set_message(m, &m->links[i]);
        } else {
            set_kept(m, &m->links[i]);
        }
    }
    m->are_links_set = true;
}

/* ---------------------------------------------------------------- copying */

static void
copy_link(struct engine_memory *m, const struct memory_link *link)
{
    const struct dtx_step *step = &m->slots[link->slot].step;
    const struct dtx_region *in = &step->reads[link->region[READ]];
    const struct dtx_region *out = &step->writes[link->region[WRITE]];
    const struct dtx_slice *from = &step->read_slices[link->slice[READ]];
    const struct dtx_slice *to = &step->write_slices[link->slice[WRITE]];
    const struct engine_shard *src = shard_of(m, link, READ, 0);
    struct element element = element_of(m->e.plan, in->tensor);
    int64_t src_lo[DTX_NDIM_MAX], dst_lo[DTX_NDIM_MAX];
    struct dtx_box_copy copy = {.ndim = m->e.plan->tensors[in->tensor].ndim,
                                .element_bytes = element.wire.size_bytes,
                                .len = to->len,
                                .dst_lo = dst_lo,
                                .src_lo = src_lo,
                                .src_strides = src->strides};
    struct dtx_error err = {0};
    int dim, i;

    for (dim = 0; dim < copy.ndim; dim++) {
        src_lo[dim] = in->lo[dim] + from->lo[dim] +
                      (to->box_lo != NULL ? to->box_lo[dim] : 0);
        dst_lo[dim] = out->lo[dim] + to->lo[dim];
    }
    for (i = 0; i < out->position_count; i++) {
        const struct engine_shard *dst = shard_of(m, link, WRITE, i);
        enum dtx_status status;

        copy.dst_strides = dst->strides;
        status = m->e.device->ops->copy_box(m->e.device, DTX_LANE_WRITE, &copy,
                                            dst->data, src->data, &err);
        if (status != DTX_OK) {
            engine_fail(&m->e, status, &err);
        }
    }
}

void
memory_copy_links(struct engine_memory *m, int64_t step)
{
    int i;

    for (i = m->slots[step].link_first;
         i < m->slots[step].link_first + m->slots[step].link_count; i++) {
        const struct memory_link *link = &m->links[i];

        if (link->message < 0 &&
            m->slots[step].is_linked[WRITE][link->slice[WRITE]]) {
            copy_link(m, link);
        }
    }
}
