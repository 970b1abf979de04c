#include "device/double_device.h"

#include <inttypes.h>
#include <string.h>

#include "device/box_batch.h"
#include "device/work.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

/* No address of a program has this bit. */
#define HIDDEN ((uintptr_t)1 << 62)

enum piece_kind { COPY_BOX, COPY_BYTES, CONVERT, REDUCE };

/* What a lane is told, with addresses of the host. */
struct piece {
    enum piece_kind kind;
    union {
        struct dtx_box_job box;
        struct {
            void *dst;
            const void *src;
            size_t bytes;
        } copy;
        struct {
            struct dtx_convert_job job;
            struct dtx_device_outcome *outcome;
        } convert;
        struct {
            struct dtx_reduce_job job;
            struct dtx_device_outcome *outcome;
        } reduce;
    } of;
};

/* Pieces that nobody has waited for yet. */
struct lane {
    struct piece *pieces;
    size_t count, capacity;
    size_t marks[DTX_MARK_COUNT]; /* so many of them come before it */
    struct dtx_box_batch batch;
};

struct double_device {
    struct dtx_device base;
    size_t limit, used;
    bool is_open;
    int64_t fail_after;
    struct lane lanes[DTX_LANE_COUNT];
};

static struct double_device *
self_of(struct dtx_device *device)
{
    return (struct double_device *)device;
}

void *
dtx_double_reveal(const void *address)
{
    return (void *)((uintptr_t)address & ~HIDDEN);
}

void *
dtx_double_hide(const void *address)
{
    return (void *)((uintptr_t)address | HIDDEN);
}

/* ---------------------------------------------------------------- memory */

/* What stands before a buffer. */
struct label {
    size_t bytes;
    char unused[DTX_JOB_VECTOR - sizeof(size_t)];
};

static enum dtx_status
get(size_t bytes, void **buffer_out, struct dtx_error *err)
{
    struct label *label;
    size_t all;

    if (bytes == 0) {
        *buffer_out = NULL;
        return DTX_OK;
    }
    if (dtx_add_overflows(bytes, sizeof *label, &all)) {
        return dtx_error_memory(err);
    }
    label = dtx_alloc(all, 1);
    if (label == NULL) {
        return dtx_error_memory(err);
    }
    label->bytes = bytes;
    *buffer_out = label + 1;
    return DTX_OK;
}

static void
give_back(void *buffer)
{
    if (buffer != NULL) {
        dtx_free((struct label *)buffer - 1);
    }
}

static enum dtx_status
double_allocate(struct dtx_device *device, size_t bytes, void **buffer_out,
                struct dtx_error *err)
{
    struct double_device *self = self_of(device);
    void *buffer = NULL;
    enum dtx_status status;

    if (self->limit > 0 && bytes > self->limit - self->used) {
        return dtx_device_refuse_memory(bytes, self->limit - self->used, err);
    }
    status = get(bytes, &buffer, err);
    if (status == DTX_OK) {
        self->used += bytes;
        *buffer_out =
            self->is_open || buffer == NULL ? buffer : dtx_double_hide(buffer);
    }
    return status;
}

static void
double_release(struct dtx_device *device, void *buffer)
{
    void *real = dtx_double_reveal(buffer);

    if (real != NULL) {
        self_of(device)->used -= ((struct label *)real - 1)->bytes;
        give_back(real);
    }
}

static enum dtx_status
double_allocate_near(struct dtx_device *device, size_t bytes, void **buffer_out,
                     struct dtx_error *err)
{
    (void)device;
    return get(bytes, buffer_out, err);
}

static void
double_release_near(struct dtx_device *device, void *buffer)
{
    (void)device;
    give_back(buffer);
}

/* ---------------------------------------------------------------- running */

/* The job of a batch that a tile is of. */
static const struct dtx_box_job *
job_of(const struct dtx_box_batch *batch, uint32_t tile)
{
    int i = 0;

    while (!dtx_box_has_tile(batch->jobs, batch->count, i, tile)) {
        i++;
    }
    return &batch->jobs[i];
}

/* Copies a batch tile by tile, from the last on: a device takes them in any
 * order. */
static void
run_batch(const struct dtx_box_batch *batch)
{
    uint32_t tile;

    for (tile = batch->tiles; tile-- > 0;) {
        const struct dtx_box_job *job = job_of(batch, tile);
        uint32_t first = (tile - job->first_tile) * DTX_TILE_UNITS, i;

        for (i = first; i < first + DTX_TILE_UNITS && i < job->unit_count;
             i++) {
            unsigned char *dst;
            const unsigned char *src;

            dtx_box_unit(job, i, &dst, &src);
            memcpy(dst, src, job->unit_bytes);
        }
    }
}

/* Copies boxes that follow each other in a lane; returns how many. */
static size_t
run_boxes(struct dtx_box_batch *batch, const struct piece *pieces, size_t count)
{
    size_t n = 0;

    dtx_box_batch_clear(batch);
    while (n < count && pieces[n].kind == COPY_BOX &&
           dtx_box_batch_takes(batch, &pieces[n].of.box)) {
        dtx_box_batch_add(batch, &pieces[n].of.box);
        n++;
    }
    run_batch(batch);
    return n;
}

static void
run_convert(const struct dtx_convert_job *job,
            struct dtx_device_outcome *outcome)
{
    size_t from_bytes = (size_t)dtx_element_bytes(job->from);
    size_t to_bytes = (size_t)dtx_element_bytes(job->to);
    uint64_t i;

    *outcome = (struct dtx_device_outcome){.bad = -1};
    for (i = 0; i < job->count; i++) {
        const unsigned char *in = job->in + i * from_bytes;
        unsigned char *out = job->out + i * to_bytes;

        if (!dtx_element_convert(job->from, job->to, in, out) &&
            outcome->bad < 0) {
            outcome->bad = (int64_t)(i / job->parts);
        }
        if (job->measures_loss) {
            dtx_element_loss(job->from, job->to, in, out, &outcome->absolute,
                             &outcome->relative);
        }
    }
}

static void
run_reduce(const struct dtx_reduce_job *job, struct dtx_device_outcome *outcome)
{
    uint64_t i;

    *outcome = (struct dtx_device_outcome){.bad = -1};
    for (i = 0; i < job->count; i++) {
        if (!dtx_reduce_element(job, i) && outcome->bad < 0) {
            outcome->bad = (int64_t)i;
        }
    }
}

/* Runs the first pieces of a lane. */
static void
run(struct lane *lane, size_t count)
{
    size_t i = 0;
    int m;

    while (i < count) {
        struct piece *piece = &lane->pieces[i];

        switch (piece->kind) {
        case COPY_BOX:
            i += run_boxes(&lane->batch, piece, count - i);
            continue;
        case COPY_BYTES:
            memcpy(piece->of.copy.dst, piece->of.copy.src,
                   piece->of.copy.bytes);
            break;
        case CONVERT:
            run_convert(&piece->of.convert.job, piece->of.convert.outcome);
            break;
        case REDUCE:
            run_reduce(&piece->of.reduce.job, piece->of.reduce.outcome);
            break;
        }
        i++;
    }
    lane->count -= count;
    if (count > 0 && lane->count > 0) {
        memmove(lane->pieces, lane->pieces + count,
                lane->count * sizeof *lane->pieces);
    }
    for (m = 0; m < DTX_MARK_COUNT; m++) {
        lane->marks[m] -= lane->marks[m] < count ? lane->marks[m] : count;
    }
}

/* ---------------------------------------------------------------- telling */

static enum dtx_status
tell(struct dtx_device *device, enum dtx_lane lane_index,
     const struct piece *piece, struct dtx_error *err)
{
    struct double_device *self = self_of(device);
    struct lane *lane = &self->lanes[lane_index];

    if (self->fail_after > 0 && --self->fail_after == 0) {
        return dtx_error_set(err, DTX_ERR_DEVICE, "the device has failed");
    }
    if (dtx_grow(&lane->pieces, lane->count, &lane->capacity,
                 sizeof *lane->pieces) != 0) {
        return dtx_error_memory(err);
    }
    lane->pieces[lane->count++] = *piece;
    return DTX_OK;
}

/* A box that is being cut into jobs. */
struct telling {
    struct dtx_device *device;
    enum dtx_lane lane;
    struct dtx_error *err;
};

static int
tell_box(const struct dtx_box_job *job, void *context)
{
    struct telling *t = context;
    struct piece piece = {.kind = COPY_BOX, .of.box = *job};

    return (int)tell(t->device, t->lane, &piece, t->err);
}

static enum dtx_status
double_copy_box(struct dtx_device *device, enum dtx_lane lane,
                const struct dtx_box_copy *copy, void *dst, const void *src,
                struct dtx_error *err)
{
    struct telling t = {device, lane, err};
    struct dtx_nest nest;

    if (!dtx_nest_make(copy, &nest)) {
        return DTX_OK;
    }
    return (enum dtx_status)dtx_box_jobs_make(
        &nest, dtx_double_reveal(dst), dtx_double_reveal(src), tell_box, &t);
}

static enum dtx_status
double_copy_bytes(struct dtx_device *device, enum dtx_lane lane, void *dst,
                  const void *src, size_t bytes, struct dtx_error *err)
{
    struct piece piece = {
        .kind = COPY_BYTES,
        .of.copy = {dtx_double_reveal(dst), dtx_double_reveal(src), bytes}};

    return bytes == 0 ? DTX_OK : tell(device, lane, &piece, err);
}

static enum dtx_status
double_convert(struct dtx_device *device, enum dtx_lane lane,
               const struct dtx_device_conversion *conversion,
               struct dtx_device_outcome *outcome, struct dtx_error *err)
{
    struct dtx_device_conversion c = *conversion;
    struct piece piece = {.kind = CONVERT};

    c.in = dtx_double_reveal(c.in);
    c.out = dtx_double_reveal(c.out);
    dtx_convert_job_make(&c, &piece.of.convert.job);
    piece.of.convert.outcome = outcome;
    return tell(device, lane, &piece, err);
}

static enum dtx_status
double_reduce(struct dtx_device *device, enum dtx_lane lane,
              const struct dtx_device_reduction *reduction,
              struct dtx_device_outcome *outcome, struct dtx_error *err)
{
    struct dtx_device_reduction r = *reduction;
    struct piece piece = {.kind = REDUCE};

    r.terms = dtx_double_reveal(r.terms);
    r.out = dtx_double_reveal(r.out);
    dtx_reduce_job_make(&r, &piece.of.reduce.job);
    piece.of.reduce.outcome = outcome;
    return tell(device, lane, &piece, err);
}

static enum dtx_status
double_mark(struct dtx_device *device, enum dtx_lane lane_index, int mark,
            struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];

    (void)err;
    lane->marks[mark] = lane->count;
    return DTX_OK;
}

static enum dtx_status
double_await(struct dtx_device *device, enum dtx_lane lane_index, int mark,
             struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];

    (void)err;
    run(lane, lane->marks[mark]);
    return DTX_OK;
}

static bool
double_has(struct dtx_device *device, const void *address)
{
    return self_of(device)->is_open || ((uintptr_t)address & HIDDEN) != 0;
}

static enum dtx_status
double_finish(struct dtx_device *device, enum dtx_lane lane_index,
              struct dtx_error *err)
{
    struct lane *lane = &self_of(device)->lanes[lane_index];

    (void)err;
    run(lane, lane->count);
    return DTX_OK;
}

static void
double_destroy(struct dtx_device *device)
{
    int i;

    for (i = 0; i < DTX_LANE_COUNT; i++) {
        dtx_free(self_of(device)->lanes[i].pieces);
    }
    dtx_free(device);
}

static const struct dtx_device_ops double_ops = {
    .allocate = double_allocate,
    .release = double_release,
    .copy_box = double_copy_box,
    .destroy = double_destroy,
};

static const struct dtx_device_apart_ops double_apart_ops = {
    .allocate_near = double_allocate_near,
    .release_near = double_release_near,
    .upload = double_copy_bytes,
    .download = double_copy_bytes,
    .convert = double_convert,
    .reduce = double_reduce,
    .mark = double_mark,
    .await = double_await,
    .has = double_has,
    .finish = double_finish,
};

enum dtx_status
dtx_double_device_create(size_t memory_bytes, bool is_open,
                         struct dtx_device **device_out, struct dtx_error *err)
{
    struct double_device *self = dtx_alloc(1, sizeof *self);

    if (self == NULL) {
        return dtx_error_memory(err);
    }
    self->base.ops = &double_ops;
    self->base.apart = &double_apart_ops;
    self->limit = memory_bytes;
    self->is_open = is_open;
    *device_out = &self->base;
    return DTX_OK;
}

void
dtx_double_device_fail(struct dtx_device *device, int64_t k)
{
    self_of(device)->fail_after = k;
}
