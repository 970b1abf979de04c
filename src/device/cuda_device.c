/*
 * A CUDA device: its memory, near memory that is pinned, a stream for each
 * lane.
 */
#include <string.h>

#include "device/cuda_internal.h"
#include "device/work.h"
#include "util/alloc.h"
#include "util/error.h"

/* ---------------------------------------------------------------- memory */

static enum dtx_status
cuda_allocate(struct dtx_device *device, size_t bytes, void **buffer_out,
              struct dtx_error *err)
{
    struct cuda_device *self = dtx_cuda_self(device);
    void *address = NULL;
    cudaError_t code;

    if (bytes == 0) {
        *buffer_out = NULL;
        return DTX_OK;
    }
    if (bytes > self->limit - self->used) {
        return dtx_device_refuse_memory(bytes, self->limit - self->used, err);
    }
    if (dtx_grow(&self->buffers, self->buffer_count, &self->buffer_capacity,
                 sizeof *self->buffers) != 0) {
        return dtx_error_memory(err);
    }
    if (dtx_cuda_enter(self, err) != DTX_OK) {
        return DTX_ERR_DEVICE;
    }
    code = cudaMalloc(&address, bytes);
    if (code == cudaErrorMemoryAllocation) {
        return dtx_device_refuse_memory(bytes, 0, err);
    }
    if (code == cudaSuccess) {
        code = cudaMemset(address, 0, bytes);
    }
    if (code == cudaSuccess) { /* the lanes' streams don't wait for it */
        code = cudaStreamSynchronize(NULL);
    }
    if (code != cudaSuccess) {
        (void)cudaFree(address);
        return dtx_cuda_fail(err, "get memory of the device", code);
    }
    self->buffers[self->buffer_count++] = (struct cuda_buffer){address, bytes};
    self->used += bytes;
    *buffer_out = address;
    return DTX_OK;
}

static void
cuda_release(struct dtx_device *device, void *buffer)
{
    struct cuda_device *self = dtx_cuda_self(device);
    size_t i;

    for (i = 0; i < self->buffer_count && buffer != NULL; i++) {
        if (self->buffers[i].address == buffer) {
            self->used -= self->buffers[i].bytes;
            self->buffers[i] = self->buffers[--self->buffer_count];
            (void)cudaSetDevice(self->ordinal);
            (void)cudaFree(buffer);
            return;
        }
    }
}

static enum dtx_status
cuda_allocate_near(struct dtx_device *device, size_t bytes, void **buffer_out,
                   struct dtx_error *err)
{
    void *buffer = NULL;
    cudaError_t code;

    if (bytes == 0) {
        *buffer_out = NULL;
        return DTX_OK;
    }
    if (dtx_cuda_enter(dtx_cuda_self(device), err) != DTX_OK) {
        return DTX_ERR_DEVICE;
    }
    code = cudaMallocHost(&buffer, bytes);
    if (code == cudaErrorMemoryAllocation) {
        return dtx_error_set(err, DTX_ERR_LIMIT,
                             "cannot pin %zu bytes of memory for the device",
                             bytes);
    }
    if (code != cudaSuccess) {
        return dtx_cuda_fail(err, "pin memory for the device", code);
    }
    memset(buffer, 0, bytes);
    *buffer_out = buffer;
    return DTX_OK;
}

static void
cuda_release_near(struct dtx_device *device, void *buffer)
{
    if (buffer != NULL) {
        (void)cudaSetDevice(dtx_cuda_self(device)->ordinal);
        (void)cudaFreeHost(buffer);
    }
}

/* ---------------------------------------------------------------- making */

static bool
cuda_has(struct dtx_device *device, const void *address)
{
    struct cudaPointerAttributes found;
    cudaError_t code = cudaPointerGetAttributes(&found, address);

    return code == cudaSuccess &&
           (found.type == cudaMemoryTypeManaged ||
            (found.type == cudaMemoryTypeDevice &&
             found.device == dtx_cuda_self(device)->ordinal));
}

static void
cuda_destroy(struct dtx_device *device)
{
    struct cuda_device *self = dtx_cuda_self(device);
    int i;

    (void)cudaSetDevice(self->ordinal);
    for (i = 0; i < DTX_LANE_COUNT; i++) {
        dtx_cuda_lane_end(&self->lanes[i]);
    }
    dtx_free(self->buffers);
    dtx_free(self);
}

static const struct dtx_device_ops cuda_ops = {
    .allocate = cuda_allocate,
    .release = cuda_release,
    .copy_box = dtx_cuda_lane_copy_box,
    .destroy = cuda_destroy,
};

static const struct dtx_device_apart_ops cuda_apart_ops = {
    .allocate_near = cuda_allocate_near,
    .release_near = cuda_release_near,
    .upload = dtx_cuda_lane_upload,
    .download = dtx_cuda_lane_download,
    .convert = dtx_cuda_lane_convert,
    .reduce = dtx_cuda_lane_reduce,
    .mark = dtx_cuda_lane_mark,
    .await = dtx_cuda_lane_await,
    .has = cuda_has,
    .finish = dtx_cuda_lane_finish,
};

static cudaError_t
open_device(struct cuda_device *self, int sharers)
{
    size_t left = 0, all = 0;
    cudaError_t code = cudaSetDevice(self->ordinal);
    int i;

    if (code == cudaSuccess) {
        code = cudaMemGetInfo(&left, &all);
    }
    for (i = 0; i < DTX_LANE_COUNT && code == cudaSuccess; i++) {
        code = dtx_cuda_lane_make(&self->lanes[i]);
    }
    self->limit = left / (size_t)sharers;
    return code;
}

/* Opens a device by its number. */
static enum dtx_status
create(int ordinal, int sharers, struct dtx_device **device_out,
       struct dtx_error *err)
{
    struct cuda_device *self = dtx_alloc(1, sizeof *self);
    enum dtx_status status = DTX_OK;
    cudaError_t code;

    if (self == NULL) {
        return dtx_error_memory(err);
    }
    self->base.ops = &cuda_ops;
    self->base.apart = &cuda_apart_ops;
    self->ordinal = ordinal;
    code = open_device(self, sharers);
    if (code != cudaSuccess) {
        status = dtx_cuda_fail(err, "open the CUDA device", code);
        cuda_destroy(&self->base);
        return status;
    }
    *device_out = &self->base;
    return DTX_OK;
}

enum dtx_status
dtx_cuda_device_create(int place, int sharers, struct dtx_device **device_out,
                       struct dtx_error *err)
{
    int count = dtx_cuda_count(err), ordinal;

    if (count == 0) {
        return DTX_ERR_DEVICE;
    }
    ordinal = place % count;
    /* Of those that share the machine, every count-th shares this device. */
    return create(ordinal, (sharers - ordinal - 1) / count + 1, device_out,
                  err);
}

enum dtx_status
dtx_cuda_device_of(const void *address, struct dtx_device **device_out,
                   struct dtx_error *err)
{
    struct cudaPointerAttributes found;
    cudaError_t code;

    if (dtx_cuda_count(err) == 0) {
        return DTX_ERR_DEVICE;
    }
    code = cudaPointerGetAttributes(&found, address);
    if (code != cudaSuccess) {
        return dtx_cuda_fail(err, "find the array's device", code);
    }
    if (found.type != cudaMemoryTypeDevice &&
        found.type != cudaMemoryTypeManaged) {
        return dtx_error_set(err, DTX_ERR_DEVICE,
                             "the array is in no CUDA device's memory");
    }
    return create(found.device, 1, device_out, err);
}
