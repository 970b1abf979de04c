/*
 * How many copies a tensor has.
 */
#include "engine/compare/copies.h"
#include "layout/shape.h"

uint64_t
engine_copies_bytes(const struct dtx_holding *holding, int tensor)
{
    const struct dtx_held *held = &holding->tensors[tensor];
    const struct dtx_side *side = held->side;
    uint64_t elements = 0;
    int shard, i;

    if (holding->layout->view == DTX_VIEW_GLOBAL) {
        elements = (uint64_t)dtx_shape_count(held->ndim, held->shape);
        return elements * held->type.size_bytes;
    }
    for (shard = 0; shard < side->shard_count; shard++) {
        for (i = side->shard_first[shard]; i < side->shard_first[shard + 1];
             i++) {
            if (dtx_side_is_first(side, holding->layout, side->positions[i])) {
                elements += (uint64_t)dtx_side_elements(side, shard);
            }
        }
    }
    return elements * held->type.size_bytes;
}

bool
engine_has_replicas(const struct dtx_holding *holding, int tensor)
{
    const struct dtx_side *side = holding->tensors[tensor].side;
    int shard, i, count;

    if (holding->layout->view == DTX_VIEW_GLOBAL ||
        side->position_count == side->shard_count) {
        return false;
    }
    for (shard = 0; shard < side->shard_count; shard++) {
        count = 0;
        for (i = side->shard_first[shard]; i < side->shard_first[shard + 1];
             i++) {
            count +=
                dtx_side_is_first(side, holding->layout, side->positions[i]);
        }
        if (count > 1) {
            return true;
        }
    }
    return false;
}
