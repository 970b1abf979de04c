/*
 * What the files that know CUDA share.
 */
#ifndef DTX_DEVICE_CUDA_INTERNAL_H
#define DTX_DEVICE_CUDA_INTERNAL_H

#include <cuda_runtime_api.h>

#include <dtx/status.h>

#include "device/box_batch.h"
#include "device/device.h"
#include "device/work.h"

struct dtx_cuda_found;

/*
 * Boxes are gathered in a batch, which is brought to the device and run before
 * the lane's next other work. Two sets of buffers take turns: one is filled
 * while the other is on its way.
 */
struct cuda_lane {
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

struct cuda_buffer {
    void *address;
    size_t bytes;
};

struct cuda_device {
    struct dtx_device base;
    int ordinal;
    size_t limit, used;
    struct cuda_buffer *buffers;
    size_t buffer_count, buffer_capacity;
    struct cuda_lane lanes[DTX_LANE_COUNT];
};

static inline struct cuda_device *
dtx_cuda_self(struct dtx_device *device)
{
    return (struct cuda_device *)device;
}

/* Sets DTX_ERR_DEVICE: "cannot WHAT: " and CUDA's own words for the code. */
enum dtx_status dtx_cuda_fail(struct dtx_error *err, const char *what,
                              cudaError_t code);

/* How many devices there are; with none, err says why (DTX_ERR_DEVICE). */
int dtx_cuda_count(struct dtx_error *err);

/* Makes the calls of this thread go to the device: they go to the one that it
 * was last told. */
enum dtx_status dtx_cuda_enter(const struct cuda_device *self,
                               struct dtx_error *err);

/* On the device that was entered last. A lane that was made in part is ended
 * as well. */
cudaError_t dtx_cuda_lane_make(struct cuda_lane *lane);
void dtx_cuda_lane_end(struct cuda_lane *lane);

/* Operations of the seam, on a lane. */
enum dtx_status dtx_cuda_lane_copy_box(struct dtx_device *device,
                                       enum dtx_lane lane,
                                       const struct dtx_box_copy *copy,
                                       void *dst, const void *src,
                                       struct dtx_error *err);
enum dtx_status dtx_cuda_lane_upload(struct dtx_device *device,
                                     enum dtx_lane lane, void *dst,
                                     const void *src, size_t bytes,
                                     struct dtx_error *err);
enum dtx_status dtx_cuda_lane_download(struct dtx_device *device,
                                       enum dtx_lane lane, void *dst,
                                       const void *src, size_t bytes,
                                       struct dtx_error *err);
enum dtx_status
dtx_cuda_lane_convert(struct dtx_device *device, enum dtx_lane lane_index,
                      const struct dtx_device_conversion *conversion,
                      struct dtx_device_outcome *outcome,
                      struct dtx_error *err);
enum dtx_status
dtx_cuda_lane_reduce(struct dtx_device *device, enum dtx_lane lane_index,
                     const struct dtx_device_reduction *reduction,
                     struct dtx_device_outcome *outcome, struct dtx_error *err);
enum dtx_status dtx_cuda_lane_mark(struct dtx_device *device,
                                   enum dtx_lane lane_index, int mark,
                                   struct dtx_error *err);
enum dtx_status dtx_cuda_lane_await(struct dtx_device *device,
                                    enum dtx_lane lane, int mark,
                                    struct dtx_error *err);
enum dtx_status dtx_cuda_lane_finish(struct dtx_device *device,
                                     enum dtx_lane lane_index,
                                     struct dtx_error *err);

#endif
