#include "engine/step/straight.h"

#include <stdlib.h>

#include "engine/clock.h"
#include "engine/step/chunk.h"
#include "engine/step/element.h"
#include "engine/step/positions.h"
#include "engine/step/regions.h"
#include "util/error.h"
#include "util/math.h"

/* ---------------------------------------------------------------- finding */

/* A region that is all of a box which stays, by its place in the message. */
struct stay {
    size_t offset;
    int region;
    int dataset; /* where it is read */
};

static int
compare_stays(const void *left, const void *right)
{
    const struct stay *a = left;
    const struct stay *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool
is_raw(const struct dtx_plan *plan, const struct dtx_region *region, bool reads,
       int *dataset_out)
{
    if (!reads) {
        return plan->target->chunk_count == 0 && !plan->target->gzip;
    }
    *dataset_out =
        dtx_plan_source_dataset(plan, region->tensor, region->positions[0]);
    return *dataset_out >= 0 &&
           plan->catalog->datasets[*dataset_out].form == DTX_FORM_CONTIGUOUS;
}

/* True for one box that is as it travels, in a file of raw bytes. */
static bool
stays(const struct slot *slot, const struct dtx_region *region, bool reads,
      int *dataset_out)
{
    const struct dtx_plan *plan = slot->engine->plan;
    const struct dtx_step *step = &slot->step;
    const struct dtx_slice *slice =
        (reads ? step->read_slices : step->write_slices) + region->slice_first;
    struct element element = element_of(plan, region->tensor);

    return region->kept_shape == NULL && region->slice_count == 1 &&
           slice->message == (reads ? step->self_send : step->self_receive) &&
           slice->box_len == NULL && element.term_count == 1 &&
           !element.converts_on_read && !element.converts_on_write &&
           is_raw(plan, region, reads, dataset_out);
}

/* Lists the regions of one end that are such; returns how many. */
static int
list_stays(const struct slot *slot, bool reads, struct stay *list)
{
    const struct dtx_step *step = &slot->step;
    const struct dtx_region *regions = reads ? step->reads : step->writes;
    const struct dtx_slice *slices =
        reads ? step->read_slices : step->write_slices;
    int i, dataset = -1, listed = 0;
    int count = reads ? step->read_count : step->write_count;

    for (i = 0; i < count; i++) {
        if (stays(slot, &regions[i], reads, &dataset)) {
            list[listed++] = (struct stay){
                slices[regions[i].slice_first].offset, i, dataset};
        }
    }
    qsort(list, (size_t)listed, sizeof *list, compare_stays);
    return listed;
}

/* Ties the regions of both ends whose boxes have one place. The sums of what
 * has copies are the writer's. */
static void
match(struct slot *slot, const struct stay *reads, int read_count,
      const struct stay *writes, int write_count)
{
    const struct dtx_step *step = &slot->step;
    size_t moved[2] = {0, 0}; /* by the writer, by the reader */
    int i, k = 0;

    for (i = 0; i < write_count; i++) {
        const struct dtx_region *region = &step->writes[writes[i].region];
        bool by_reader;
        int dim;
        size_t elements = 1;

        while (k < read_count && reads[k].offset < writes[i].offset) {
            k++;
        }
        if (k == read_count || reads[k].offset != writes[i].offset) {
            continue;
        }
        by_reader = slot->engine->has_two_cores && moved[1] < moved[0] &&
                    step->write_slices[region->slice_first].copy_count == 1;
        for (dim = 0; dim < slot->engine->plan->tensors[region->tensor].ndim;
             dim++) {
            elements *= (size_t)region->len[dim];
        }
        moved[by_reader] += elements;
        slot->straight[0][reads[k].region] =
            (struct straight){writes[i].region, reads[k].dataset, by_reader};
        slot->straight[1][writes[i].region] =
            (struct straight){reads[k].region, reads[k].dataset, by_reader};
    }
}

enum dtx_status
engine_find_straight(struct slot *slot, struct dtx_error *err)
{
    struct dtx_step *step = &slot->step;
    struct stay *lists[2];
    int end, i;

    for (end = 0; end < 2; end++) {
        int count = end == 0 ? step->read_count : step->write_count;
        struct straight *straight =
            dtx_arena_alloc(&step->arena, (size_t)count, sizeof *straight);

        lists[end] =
            dtx_arena_alloc(&step->arena, (size_t)count, sizeof *lists[end]);
        if (straight == NULL || lists[end] == NULL) {
            return dtx_error_memory(err);
        }
        for (i = 0; i < count; i++) {
            straight[i].other = -1;
        }
        slot->straight[end] = straight;
    }
    if (step->self_send >= 0) {
        match(slot, lists[0], list_stays(slot, true, lists[0]), lists[1],
              list_stays(slot, false, lists[1]));
    }
    return DTX_OK;
}

/* ---------------------------------------------------------------- moving */

/* A box on its way, by one of the two threads. */
struct moving {
    struct engine *e;
    const struct dtx_region *from, *to;
    int ndim, dataset;
    size_t element_bytes;
    struct digest_region digest;
    enum digest_kind kind;
    char *stage;
    struct dtx_arena *scratch;
};

static enum dtx_status
read_piece(const struct moving *m, const struct dtx_chunks *piece,
           struct dtx_error *err)
{
    int64_t at[DTX_NDIM_MAX];
    enum dtx_status status;
    int dim;

    for (dim = 0; dim < m->ndim; dim++) {
        at[dim] = m->from->lo[dim] + piece->lo[dim];
    }
    status = m->e->storage->ops->read(m->e->storage, m->dataset, at, piece->len,
                                      m->stage, err);
    if (status != DTX_OK) {
        engine_describe_region(m->e, m->from, true, err);
    }
    return status;
}

static enum dtx_status
write_piece(const struct moving *m, const struct dtx_chunks *piece,
            struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int64_t at[DTX_NDIM_MAX];
    int i, dim;

    for (dim = 0; dim < m->ndim; dim++) {
        at[dim] = m->to->lo[dim] + piece->lo[dim];
    }
    for (i = 0; i < m->to->position_count && status == DTX_OK; i++) {
        status =
            engine_write_position(m->e, m->to->tensor, m->to->positions[i], at,
                                  piece->len, m->stage, m->scratch, err);
    }
    if (status != DTX_OK) {
        engine_describe_region(m->e, m->to, false, err);
    }
    return status;
}

static enum dtx_status
move(const struct moving *m, uint64_t *read_ns, struct dtx_error *err)
{
    int64_t bytes =
        dtx_min(ENGINE_PIECE_BYTES, (int64_t)m->e->plan->schedule->stage_bytes);
    enum dtx_status status = DTX_OK;
    struct dtx_chunks piece;

    dtx_chunks_begin(&piece, m->ndim, m->to->len,
                     bytes / (int64_t)m->element_bytes);
    while (status == DTX_OK && engine_next_piece(m->e, &piece)) {
        uint64_t begin = engine_now_ns();

        status = read_piece(m, &piece, err);
        *read_ns += engine_now_ns() - begin;
        if (status == DTX_OK) {
            digest_region_add(&m->digest, m->kind, m->element_bytes, piece.lo,
                              piece.len, m->stage);
            status = write_piece(m, &piece, err);
        }
    }
    return status;
}

bool
engine_move_straight(struct slot *slot, const struct dtx_region *region,
                     bool reads, enum dtx_status *status_out,
                     struct dtx_error *err)
{
    struct engine *e = slot->engine;
    const struct dtx_region *first =
        reads ? slot->step.reads : slot->step.writes;
    const struct straight *straight = slot->straight[reads ? 0 : 1];
    uint64_t begin = engine_now_ns(), read_ns = 0, all;
    struct moving m = {.e = e,
                       .ndim = e->plan->tensors[region->tensor].ndim,
                       .kind = reads ? DIGEST_STRAIGHT_READER
                                     : DIGEST_STRAIGHT_WRITER,
                       .stage = reads ? e->read_stage : e->write_stage,
                       .scratch = reads ? &e->read_scratch : &e->write_scratch};

    if (straight == NULL || straight[region - first].other < 0) {
        return false;
    }
    straight = &straight[region - first];
    *status_out = DTX_OK;
    if (straight->by_reader != reads) {
        return true;
    }
    m.from = reads ? region : &slot->step.reads[straight->other];
    m.to = reads ? &slot->step.writes[straight->other] : region;
    m.element_bytes = element_of(e->plan, region->tensor).wire.size_bytes;
    m.dataset = straight->dataset;
    digest_region_begin(&m.digest, e, m.to,
                        slot->step.write_slices + m.to->slice_first, m.kind);
    /* A device may still be reading the stage. */
    *status_out = dtx_device_finish(
        e->device, reads ? DTX_LANE_READ : DTX_LANE_WRITE, err);
    if (*status_out == DTX_OK) {
        *status_out = move(&m, &read_ns, err);
    }
    /* The whole counts as this end's time; a part of it is the other's. */
    all = engine_now_ns() - begin;
    if (reads) {
        atomic_fetch_add(&e->write_ns, all - read_ns);
        atomic_fetch_sub(&e->read_ns, all - read_ns);
    } else {
        atomic_fetch_add(&e->read_ns, read_ns);
        atomic_fetch_sub(&e->write_ns, read_ns);
    }
    return true;
}
