/*
 * Arrays of the program, held against what the plan says of them.
 */
#include <inttypes.h>
#include <string.h>

#include "channel/channel.h"
#include "util/error.h"
#include "util/math.h"
#include "util/text.h"

/* A shard that an array is given for. */
struct place {
    struct dtx_channel *channel;
    enum dtx_role role;
    const struct dtx_array *array;
    int tensor;
    int position;
};

static const struct dtx_layout *
layout_of(const struct place *p)
{
    const struct dtx_plan *plan = p->channel->plan;

    return p->role == DTX_SOURCE ? plan->source : plan->target;
}

/* The position of a rank that this process hosts, or -1. */
static int
find_position(const struct place *p)
{
    const struct engine_end *end = &p->channel->memory.shards.ends[p->role];
    int i;

    for (i = 0; i < end->local_count; i++) {
        if (dtx_layout_rank(layout_of(p), end->positions[i]) ==
            p->array->rank) {
            return end->positions[i];
        }
    }
    return -1;
}

static enum dtx_status
find_place(struct place *p, int64_t *shape_out, struct dtx_error *err)
{
    const char *end = p->role == DTX_SOURCE ? "source" : "target";
    const struct engine_memory *memory = &p->channel->memory;

    if (memory->phase != MEMORY_IDLE) {
        return dtx_error_set(err, DTX_ERR_INVALID, "a run is under way");
    }
    p->tensor = dtx_names_find(&p->channel->names[p->role], p->array->tensor);
    if (p->tensor < 0) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the plan's %s has no such tensor", end);
    }
    p->position = find_position(p);
    if (p->position < 0) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "process %d hosts no rank %" PRId64 " of the %s",
                             memory->e.transport->process, p->array->rank, end);
    }
    if (!dtx_plan_shard_shape(p->channel->plan, p->role, p->tensor, p->position,
                              shape_out)) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "rank %" PRId64 " of the %s doesn't hold it",
                             p->array->rank, end);
    }
    return DTX_OK;
}

/* ---------------------------------------------------------------- shape */

static enum dtx_status
refuse_shape(const struct dtx_array *array, int ndim, const int64_t *shape,
             struct dtx_error *err)
{
    struct dtx_text given = {0}, expected = {0};

    dtx_text_list(&given, array->shape, array->ndim);
    dtx_text_list(&expected, shape, ndim);
    if (given.failed || expected.failed) {
        dtx_error_memory(err);
    } else {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "the array has the shape %s, the shard of rank %" PRId64
                      " has %s",
                      given.data, array->rank, expected.data);
    }
    dtx_text_finish(&given);
    dtx_text_finish(&expected);
    return err->status;
}

static bool
is_empty(int ndim, const int64_t *shape)
{
    int dim;

    for (dim = 0; dim < ndim; dim++) {
        if (shape[dim] == 0) {
            return true;
        }
    }
    return false;
}

static enum dtx_status
check_array(const struct place *p, const int64_t *shape, struct dtx_error *err)
{
    const struct dtx_tensor *t = &p->channel->plan->tensors[p->tensor];
    enum dtx_dtype dtype =
        p->role == DTX_SOURCE ? t->src_type.dtype : t->dst_type.dtype;
    const struct dtx_array *array = p->array;

    if (array->dtype != dtype) {
        return dtx_error_set(
            err, DTX_ERR_INVALID, "the array is of %s, the plan of %s",
            dtx_dtype_name(array->dtype), dtx_dtype_name(dtype));
    }
    if (array->ndim != t->ndim ||
        memcmp(array->shape, shape, (size_t)t->ndim * sizeof *shape) != 0) {
        return refuse_shape(array, t->ndim, shape, err);
    }
    if (array->data == NULL && !is_empty(t->ndim, shape)) {
        return dtx_error_set(err, DTX_ERR_INVALID, "the array has no data");
    }
    return DTX_OK;
}

/* Sets the bytes from index to index. */
static enum dtx_status
set_strides(const struct dtx_array *array, int64_t *strides_out,
            struct dtx_error *err)
{
    int64_t dense = (int64_t)dtx_dtype_size(array->dtype);
    int dim;

    for (dim = array->ndim - 1; dim >= 0; dim--) {
        int64_t reach;

        strides_out[dim] = dense;
        if (array->strides != NULL &&
            (array->strides[dim] < 0 ||
             dtx_mul_overflows(array->strides[dim],
                               (int64_t)dtx_dtype_size(array->dtype),
                               &strides_out[dim]) ||
             dtx_mul_overflows(strides_out[dim], array->shape[dim], &reach))) {
            return dtx_error_set(err, DTX_ERR_INVALID,
                                 "the stride %" PRId64
                                 " of dim %d is negative or too large",
                                 array->strides[dim], dim);
        }
        if (dtx_mul_overflows(dense, array->shape[dim], &dense)) {
            dense = 0; /* an empty array: no element stands anywhere */
        }
    }
    return DTX_OK;
}

/* Makes the device that an array is on the channel's. */
static enum dtx_status
use_device(struct dtx_channel *channel, const struct dtx_array *array,
           struct dtx_error *err)
{
    struct dtx_device *device = NULL;
    enum dtx_status status;

    if (channel->device->apart != NULL) {
        return channel->device->apart->has(channel->device, array->data)
                   ? DTX_OK
                   : dtx_error_set(err, DTX_ERR_DEVICE,
                                   "the array is not on the device of the "
                                   "process's other arrays");
    }
    status = dtx_cuda_device_of(array->data, &device, err);
    if (status != DTX_OK) {
        return status;
    }
    status = engine_memory_use_device(&channel->memory, device, err);
    if (status != DTX_OK) {
        device->ops->destroy(device);
        return status;
    }
    channel->device->ops->destroy(channel->device);
    channel->device = device;
    return DTX_OK;
}

static enum dtx_status
bind(struct place *p, struct dtx_error *err)
{
    struct engine_memory *memory = &p->channel->memory;
    struct engine_shard *shard;
    int64_t shape[DTX_NDIM_MAX], strides[DTX_NDIM_MAX];
    enum dtx_status status = find_place(p, shape, err);

    if (status == DTX_OK) {
        status = check_array(p, shape, err);
    }
    if (status == DTX_OK) {
        status = set_strides(p->array, strides, err);
    }
    if (status == DTX_OK && p->array->place == DTX_PLACE_CUDA &&
        !is_empty(p->array->ndim, shape)) {
        status = use_device(p->channel, p->array, err);
    }
    if (status != DTX_OK) {
        dtx_error_tensor(err, "'%s'", p->array->tensor);
        return status;
    }
    shard = engine_shard_of(&memory->shards, p->role, p->tensor, p->position);
    shard->strides = memcpy(
        engine_shard_strides(&memory->shards, p->role, p->tensor, p->position),
        strides, (size_t)p->array->ndim * sizeof *strides);
    shard->is_apart = p->array->place == DTX_PLACE_CUDA;
    shard->data =
        is_empty(p->array->ndim, shape) ? NULL : (char *)p->array->data;
    memory->are_links_set = false;
    return DTX_OK;
}

enum dtx_status
dtx_channel_bind(struct dtx_channel *channel, enum dtx_role role,
                 const struct dtx_array *array, struct dtx_error *err)
{
    struct place p = {.channel = channel, .role = role, .array = array};
    enum dtx_status status = bind(&p, err);

    if (status != DTX_OK && channel->status == DTX_OK) {
        channel->status = status;
        channel->error = *err;
    }
    return status;
}

void
dtx_channel_use_store(struct dtx_channel *channel, enum dtx_role role,
                      const struct dtx_store *store)
{
    channel->memory.shards.ends[role].store = *store;
}
