/*
 * The work of a CUDA device: boxes in batches, bytes, elements, one stream a
 * lane.
 */
#include <string.h>

#include "device/cuda_internal.h"
#include "device/cuda_kernels.h"
#include "util/error.h"

/* Contiguous copies from this on are left to CUDA, which is as good. */
enum { PLAIN_COPY_BYTES = 1 << 16 };

/* ---------------------------------------------------------------- boxes */

/* Brings the batch to the device and runs it. */
static cudaError_t
run_batch(struct cuda_lane *lane)
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
    enum dtx_status status = dtx_cuda_enter(dtx_cuda_self(device), err);
    cudaError_t code;

    if (status != DTX_OK) {
        return status;
    }
    code = run_batch(&dtx_cuda_self(device)->lanes[lane]);
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
    struct cuda_lane *lane = context;
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

enum dtx_status
dtx_cuda_lane_copy_box(struct dtx_device *device, enum dtx_lane lane,
                       const struct dtx_box_copy *copy, void *dst,
                       const void *src, struct dtx_error *err)
{
    struct cuda_device *self = dtx_cuda_self(device);
    struct dtx_nest nest;
    enum dtx_status status;
    int code;

    if (!dtx_nest_make(copy, &nest)) {
        return DTX_OK;
    }
    status = dtx_cuda_enter(self, err);
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
                           dtx_cuda_self(device)->lanes[lane].stream);
    return code == cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "copy between host and device", code);
}

enum dtx_status
dtx_cuda_lane_upload(struct dtx_device *device, enum dtx_lane lane, void *dst,
                     const void *src, size_t bytes, struct dtx_error *err)
{
    return copy_bytes(device, lane, dst, src, bytes, cudaMemcpyHostToDevice,
                      err);
}

enum dtx_status
dtx_cuda_lane_download(struct dtx_device *device, enum dtx_lane lane, void *dst,
                       const void *src, size_t bytes, struct dtx_error *err)
{
    return copy_bytes(device, lane, dst, src, bytes, cudaMemcpyDeviceToHost,
                      err);
}

/* ---------------------------------------------------------------- elements */

/* Sets what is found to nothing: all ones, and zeros. */
static cudaError_t
forget(struct cuda_lane *lane)
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
tell(struct cuda_lane *lane, struct dtx_device_outcome *outcome)
{
    _Static_assert(sizeof *outcome == sizeof *lane->found,
                   "an outcome is what is found, bit for bit");
    return cudaMemcpyAsync(outcome, lane->found, sizeof *outcome,
                           cudaMemcpyDeviceToHost, lane->stream);
}

enum dtx_status
dtx_cuda_lane_convert(struct dtx_device *device, enum dtx_lane lane_index,
                      const struct dtx_device_conversion *conversion,
                      struct dtx_device_outcome *outcome, struct dtx_error *err)
{
    struct cuda_lane *lane = &dtx_cuda_self(device)->lanes[lane_index];
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

enum dtx_status
dtx_cuda_lane_reduce(struct dtx_device *device, enum dtx_lane lane_index,
                     const struct dtx_device_reduction *reduction,
                     struct dtx_device_outcome *outcome, struct dtx_error *err)
{
    struct cuda_lane *lane = &dtx_cuda_self(device)->lanes[lane_index];
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

enum dtx_status
dtx_cuda_lane_mark(struct dtx_device *device, enum dtx_lane lane_index,
                   int mark, struct dtx_error *err)
{
    struct cuda_lane *lane = &dtx_cuda_self(device)->lanes[lane_index];
    enum dtx_status status = begin_work(device, lane_index, err);
    cudaError_t code;

    if (status != DTX_OK) {
        return status;
    }
    code = cudaEventRecord(lane->marks[mark], lane->stream);
    return code == cudaSuccess ? DTX_OK
                               : dtx_cuda_fail(err, "mark a stream", code);
}

enum dtx_status
dtx_cuda_lane_await(struct dtx_device *device, enum dtx_lane lane, int mark,
                    struct dtx_error *err)
{
    cudaError_t code =
        cudaEventSynchronize(dtx_cuda_self(device)->lanes[lane].marks[mark]);

    return code == cudaSuccess
               ? DTX_OK
               : dtx_cuda_fail(err, "wait for the device", code);
}

enum dtx_status
dtx_cuda_lane_finish(struct dtx_device *device, enum dtx_lane lane_index,
                     struct dtx_error *err)
{
    struct cuda_lane *lane = &dtx_cuda_self(device)->lanes[lane_index];
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

cudaError_t
dtx_cuda_lane_make(struct cuda_lane *lane)
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

void
dtx_cuda_lane_end(struct cuda_lane *lane)
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
