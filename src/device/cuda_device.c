/*
 * A CUDA device: a stream for each lane, boxes in batches, near memory that is
 * pinned.
 */
#include <string.h>

#include "device/box_batch.h"
#include "device/cuda_internal.h"
#include "device/cuda_kernels.h"
#include "device/work.h"
#include "util/alloc.h"
#include "util/error.h"

/* Contiguous copies from this on are left to CUDA, which is as good. */
enum { PLAIN_COPY_BYTES = 1 << 16 };

/*
 * Boxes are gathered in a batch, which is brought to the device and run before
 * the lane's next other work. Two sets of buffers take turns: one is filled
 * while the other is on its way.
 */
struct lane {
    cudaStream_t stream;
    cudaEvent_t marks[DTX_MARK_COUNT];
    cudaEvent_t end; /* of what there is, to wait for without spinning */
    struct dtx_box_batch batch;
    struct dtx_box_job *near_jobs[2]; /* [DTX_BATCH_JOBS] pinned */
    struct dtx_box_job *jobs[2];      /* [DTX_BATCH_JOBS] on the device */
    cudaEvent_t sent[2];              /* the pinned ones may be filled again */
    int turn;
    struct dtx_cuda_found *found; /* on the device */
};

struct buffer {
    void *address;
    size_t bytes;
};

struct cuda_device {
    struct dtx_device base;
    int ordinal;
    size_t limit, used;
    struct buffer *buffers;
    size_t buffer_count, buffer_capacity;
    struct lane lanes[DTX_LANE_COUNT];
};

static struct cuda_device *
self_of(struct dtx_device *device)
{
    return (struct cuda_device *)device;
}

enum dtx_status
dtx_cuda_fail(struct dtx_error *err, const char *what, cudaError_t code)
{
    return dtx_error_set(err, DTX_ERR_DEVICE, "cannot %s: %s", what,
                         cudaGetErrorString(code));
}

/* A thread's calls go to the device that it was last told. */
static enum dtx_status
enter(const struct cuda_device *self, struct dtx_error *err)
{
    cudaError_t code = cudaSetDevice(self->ordinal);

    return code == cudaSuccess ? DTX_OK
                               : dtx_cuda_fail(err, "use the device", code);
}

/* ---------------------------------------------------------------- memory */

static enum dtx_status
cuda_allocate(struct dtx_device *device, size_t bytes, void **buffer_out,
              struct dtx_error *err)
{
    struct cuda_device *self = self_of(device);
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
    if (enter(self, err) != DTX_OK) {
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
    self->buffers[self->buffer_count++] = (struct buffer){address, bytes};
    self->used += bytes;
    *buffer_out = address;
    return DTX_OK;
}

static void
cuda_release(struct dtx_device *device, void *buffer)
{
    struct cuda_device *self = self_of(device);
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
    if (enter(self_of(device), err) != DTX_OK) {
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
        (void)cudaSetDevice(self_of(device)->ordinal);
        (void)cudaFreeHost(buffer);
    }
}

/* ---------------------------------------------------------------- boxes */

/* Brings the batch to the device and runs it. */
static cudaError_t
run_batch(struct lane *lane)
{
    int turn = lane->turn, count = lane->batch.count;
    size_t bytes = (size_t)count * sizeof(struct dtx_box_job);
    cudaError_t code;

    if (count == 0) {
        return cudaSuccess;
    }
    lane->turn = 1 - turn;
    code = cudaEventSynchronize(lane->sent[turn]);
    if (code == cudaSuccess) {
        memcpy(lane->near_jobs[turn], lane->batch.jobs, bytes);
        code = cudaMemcpyAsync(lane->jobs[turn], lane->near_jobs[turn], bytes,
                               cudaMemcpyHostToDevice, lane->stream);
    }
    if (code == cudaSuccess) {
        code = dtx_cuda_copy_boxes(lane->jobs[turn], count, lane->batch.tiles,
                                   lane->stream);
    }
    if (code == cudaSuccess) {
        code = cudaEventRecord(lane->sent[turn], lane->stream);
    }
    dtx_box_batch_clear(&lane->batch);
    return code;
}

/* Runs what has been gathered, before other work of the lane. */
static enum dtx_status
begin_work(struct dtx_device *device, enum dtx_lane lane, struct dtx_error *err)
{
    enum dtx_status status = enter(self_of(device), err);
    cudaError_t code;

    if (status != DTX_OK) {
        return status;
    }
    code = run_batch(&self_of(device)->lanes[lane]);
    return code == cudaSuccess ? DTX_OK
                               : dtx_cuda_fail(err, "copy boxes", code);
}

/* A job that is one run of bytes, and a long one. */
static bool
is_plain(const struct dtx_box_job *job)
{
    bool is_run = job->loop_count == 0 ||
                  (job->loop_count == 1 &&
                   job->dst_strides[0] == (int64_t)job->unit_bytes &&
                   job->src_strides[0] == (int64_t)job->unit_bytes);

    return is_run &&
           (size_t)job->unit_count * job->unit_bytes >= PLAIN_COPY_BYTES;
}

/* Returns a code of CUDA's; context is the lane. */
static int
take_job(const struct dtx_box_job *job, void *context)
{
    struct lane *lane = context;
    bool plain = is_plain(job);
    cudaError_t code = cudaSuccess;

    if (plain || !dtx_box_batch_takes(&lane->batch, job)) {
        code = run_batch(lane);
    }
    if (code != cudaSuccess || !plain) {
        if (code == cudaSuccess) {
            dtx_box_batch_add(&lane->batch, job);
        }
        return (int)code;
    }
    return (int)cudaMemcpyAsync(job->dst, job->src,
                                (size_t)job->unit_count * job->unit_bytes,
                                cudaMemcpyDeviceToDevice, lane->stream);
}

static enum dtx_status
cuda_copy_box(struct dtx_device *device, enum dtx_lane lane,
              const struct dtx_box_copy *copy, void *dst, const void *src,
              struct dtx_error *err)
{
    struct cuda_device *self = self_of(device);
    struct dtx_nest nest;
    enum dtx_status status;
    int code;

    if (!dtx_nest_make(copy, &nest)) {
        return DTX_OK;
    }
    status = enter(self, err);
    if (status != DTX_OK) {
        return status;
    }
    code = dtx_box_jobs_make(&nest, dst, src, take_job, &self->lanes[lane]);
    return code == (int)cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "copy boxes", (cudaError_t)code);
}

/* ---------------------------------------------------------------- bytes */

static enum dtx_status
copy_bytes(struct dtx_device *device, enum dtx_lane lane, void *dst,
           const void *src, size_t bytes, enum cudaMemcpyKind kind,
           struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    cudaError_t code;

    if (bytes > 0) {
        status = begin_work(device, lane, err);
    }
    if (bytes == 0 || status != DTX_OK) {
        return status;
    }
    code = cudaMemcpyAsync(dst, src, bytes, kind,
                           self_of(device)->lanes[lane].stream);
    return code == cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "copy between host and device", code);
}

static enum dtx_status
cuda_upload(struct dtx_device *device, enum dtx_lane lane, void *dst,
            const void *src, size_t bytes, struct dtx_error *err)
{
    return copy_bytes(device, lane, dst, src, bytes, cudaMemcpyHostToDevice,
                      err);
}

static enum dtx_status
cuda_download(struct dtx_device *device, enum dtx_lane lane, void *dst,
              const void *src, size_t bytes, struct dtx_error *err)
{
    return copy_bytes(device, lane, dst, src, bytes, cudaMemcpyDeviceToHost,
                      err);
}

/* ---------------------------------------------------------------- elements */

/* Sets what is found to nothing: all ones, and zeros. */
static cudaError_t
forget(struct lane *lane)
{
    size_t first = sizeof lane->found->bad;
    cudaError_t code = cudaMemsetAsync(lane->found, 0xFF, first, lane->stream);

    return code == cudaSuccess
               ? cudaMemsetAsync((char *)lane->found + first, 0,
                                 sizeof *lane->found - first, lane->stream)
               : code;
}

/* Brings what is found to its place: it has the same bits there. */
static cudaError_t
tell(struct lane *lane, struct dtx_device_outcome *outcome)
{
    _Static_assert(sizeof *outcome == sizeof *lane->found,
                   "an outcome is what is found, bit for bit");
    return cudaMemcpyAsync(outcome, lane->found, sizeof *outcome,
                           cudaMemcpyDeviceToHost, lane->stream);
}

static enum dtx_status
cuda_convert(struct dtx_device *device, enum dtx_lane lane_index,
             const struct dtx_device_conversion *conversion,
             struct dtx_device_outcome *outcome, struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];
    struct dtx_convert_job job;
    enum dtx_status status = begin_work(device, lane_index, err);
    cudaError_t code;

    if (status != DTX_OK) {
        return status;
    }
    dtx_convert_job_make(conversion, &job);
    code = forget(lane);
    if (code == cudaSuccess) {
        code = dtx_cuda_convert(&job, lane->found, lane->stream);
    }
    if (code == cudaSuccess) {
        code = tell(lane, outcome);
    }
    return code == cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "convert on the device", code);
}

static enum dtx_status
cuda_reduce(struct dtx_device *device, enum dtx_lane lane_index,
            const struct dtx_device_reduction *reduction,
            struct dtx_device_outcome *outcome, struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];
    struct dtx_reduce_job job;
    enum dtx_status status = begin_work(device, lane_index, err);
    cudaError_t code;

    if (status != DTX_OK) {
        return status;
    }
    dtx_reduce_job_make(reduction, &job);
    code = forget(lane);
    if (code == cudaSuccess) {
        code = dtx_cuda_reduce(&job, lane->found, lane->stream);
    }
    if (code == cudaSuccess) {
        code = tell(lane, outcome);
    }
    return code == cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "reduce on the device", code);
}

/* ---------------------------------------------------------------- waiting */

static enum dtx_status
cuda_mark(struct dtx_device *device, enum dtx_lane lane_index, int mark,
          struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];
    enum dtx_status status = begin_work(device, lane_index, err);
    cudaError_t code;

    if (status != DTX_OK) {
        return status;
    }
    code = cudaEventRecord(lane->marks[mark], lane->stream);
    return code == cudaSuccess ? DTX_OK
                               : dtx_cuda_fail(err, "mark a stream", code);
}

static enum dtx_status
cuda_await(struct dtx_device *device, enum dtx_lane lane, int mark,
           struct dtx_error *err)
{
    cudaError_t code =
        cudaEventSynchronize(self_of(device)->lanes[lane].marks[mark]);

    return code == cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "wait for the device", code);
}

static bool
cuda_has(struct dtx_device *device, const void *address)
{
    struct cudaPointerAttributes found;
    cudaError_t code = cudaPointerGetAttributes(&found, address);

    return code == cudaSuccess && (found.type == cudaMemoryTypeManaged ||
                                   (found.type == cudaMemoryTypeDevice &&
                                    found.device == self_of(device)->ordinal));
}

static enum dtx_status
cuda_finish(struct dtx_device *device, enum dtx_lane lane_index,
            struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];
    enum dtx_status status = begin_work(device, lane_index, err);
    cudaError_t code = cudaEventRecord(lane->end, lane->stream);

    if (code == cudaSuccess) {
        code = cudaEventSynchronize(lane->end);
    }
    if (status == DTX_OK && code != cudaSuccess) {
        status = dtx_cuda_fail(err, "wait for the device", code);
    }
    return status;
}

/* ---------------------------------------------------------------- making */

static cudaError_t
make_lane(struct lane *lane)
{
    const size_t jobs = DTX_BATCH_JOBS * sizeof(struct dtx_box_job);
    const unsigned events = cudaEventBlockingSync | cudaEventDisableTiming;
    cudaError_t code =
        cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking);
    int i;

    for (i = 0; i < DTX_MARK_COUNT && code == cudaSuccess; i++) {
        code = cudaEventCreateWithFlags(&lane->marks[i], events);
    }
    if (code == cudaSuccess) {
        code = cudaEventCreateWithFlags(&lane->end, events);
    }
    for (i = 0; i < 2 && code == cudaSuccess; i++) {
        code = cudaEventCreateWithFlags(&lane->sent[i], events);
        if (code == cudaSuccess) {
            code = cudaMallocHost((void **)&lane->near_jobs[i], jobs);
        }
        if (code == cudaSuccess) {
            code = cudaMalloc((void **)&lane->jobs[i], jobs);
        }
    }
    return code == cudaSuccess
               ? cudaMalloc((void **)&lane->found, sizeof *lane->found)
               : code;
}

static void
end_lane(struct lane *lane)
{
    int i;

    if (lane->stream != NULL) {
        (void)cudaStreamSynchronize(lane->stream);
        (void)cudaStreamDestroy(lane->stream);
    }
    for (i = 0; i < DTX_MARK_COUNT; i++) {
        if (lane->marks[i] != NULL) {
            (void)cudaEventDestroy(lane->marks[i]);
        }
    }
    if (lane->end != NULL) {
        (void)cudaEventDestroy(lane->end);
    }
    for (i = 0; i < 2; i++) {
        if (lane->sent[i] != NULL) {
            (void)cudaEventDestroy(lane->sent[i]);
        }
        (void)cudaFreeHost(lane->near_jobs[i]);
        (void)cudaFree(lane->jobs[i]);
    }
    (void)cudaFree(lane->found);
}

static void
cuda_destroy(struct dtx_device *device)
{
    struct cuda_device *self = self_of(device);
    int i;

    (void)cudaSetDevice(self->ordinal);
    for (i = 0; i < DTX_LANE_COUNT; i++) {
        end_lane(&self->lanes[i]);
    }
    dtx_free(self->buffers);
    dtx_free(self);
}

static const struct dtx_device_ops cuda_ops = {
    .allocate = cuda_allocate,
    .release = cuda_release,
    .copy_box = cuda_copy_box,
    .destroy = cuda_destroy,
};

static const struct dtx_device_apart_ops cuda_apart_ops = {
    .allocate_near = cuda_allocate_near,
    .release_near = cuda_release_near,
    .upload = cuda_upload,
    .download = cuda_download,
    .convert = cuda_convert,
    .reduce = cuda_reduce,
    .mark = cuda_mark,
    .await = cuda_await,
    .has = cuda_has,
    .finish = cuda_finish,
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
        code = make_lane(&self->lanes[i]);
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
