#include "simulation_internal.h"

struct shard *
shard_of(const struct simulation *s, int side, int tensor, int position)
{
    int positions = s->p->scene.layouts[side]->mesh.position_count;

    return &s->shards[side][tensor * positions + position];
}

struct elements
elements_of(int ndim, const int64_t *len)
{
    struct elements e = {.ndim = ndim, .len = len, .left = 1};

    for (int dim = 0; dim < ndim; dim++) {
        e.left *= len[dim];
    }
    return e;
}

void
next_element(struct elements *e)
{
    e->left--;
    for (int dim = e->ndim - 1; dim >= 0; dim--) {
        if (++e->at[dim] < e->len[dim]) {
            return;
        }
        e->at[dim] = 0;
    }
}

int64_t
dataset_index(const struct elements *e, const struct dtx_region *region,
              const struct dtx_slice *slice, const int64_t *shape)
{
    int64_t index = 0;

    for (int dim = 0; dim < e->ndim; dim++) {
        int64_t relative = slice->lo[dim] + e->at[dim];

        so(relative >= 0 && relative < region->len[dim]);
        so(region->lo[dim] + relative < shape[dim]);
        index = index * shape[dim] + region->lo[dim] + relative;
    }
    return index;
}

void
dataset_shape(const struct simulation *s, int side, int tensor, int position,
              int64_t *shape)
{
    const struct case_tensor *t = &s->p->text->tensors[tensor];

    for (int dim = 0; dim < t->ndim; dim++) {
        shape[dim] = s->p->scene.layouts[side]->view == DTX_VIEW_GLOBAL
                         ? t->shape[dim]
                         : shard_of(s, side, tensor, position)->dims[dim].count;
    }
}

int64_t
element_at(const struct simulation *s, int side, int tensor, int position,
           int64_t index)
{
    if (s->p->scene.layouts[side]->view == DTX_VIEW_GLOBAL) {
        return index;
    }
    return scene_element(&s->p->scene, tensor,
                         shard_of(s, side, tensor, position), index);
}

int64_t
identity(int tensor, int term, int64_t element)
{
    return ((int64_t)tensor << 56) | ((int64_t)term << 48) | element;
}

int64_t *
kept_place(const struct simulation *s, int process, const struct elements *e,
           const struct dtx_region *region, const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    int64_t wire = (int64_t)planned_wire_bytes(s->p, tensor);
    const struct dtx_process_cost *cost = &s->p->plan->processes[process];
    int64_t at = (int64_t)region->kept_offset +
                 wire * dataset_index(e, region, slice, region->kept_shape);

    so(at + wire <= (int64_t)dtx_schedule_store_bytes(
                        s->p->plan->schedule, cost->kept + cost->passed +
                                                  cost->sent + cost->received));
    return &s->stores[process][at];
}

int64_t
message_index(const struct simulation *s, const struct elements *e,
              const struct dtx_region *region, const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    const int64_t *len = slice->box_len != NULL ? slice->box_len : slice->len;
    int64_t index = 0;

    for (int dim = 0; dim < e->ndim; dim++) {
        int64_t lo = slice->box_lo != NULL ? slice->box_lo[dim] : 0;

        so(lo >= 0 && lo + slice->len[dim] <= len[dim]);
        index = index * len[dim] + lo + e->at[dim];
    }
    return (int64_t)slice->offset +
           index * (int64_t)planned_wire_bytes(s->p, tensor);
}
