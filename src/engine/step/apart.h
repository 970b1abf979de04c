/*
 * A device whose memory is apart from the host's.
 *
 * Messages, what is kept between rounds and all that is converted or reduced
 * stand in the device's memory. Regions of files pass through the threads'
 * stages, which are near memory of the host and have counterparts on the
 * device: each is cut in halves, so that one is copied while the other is
 * filled or emptied. Where the transport can't read the device's memory, each
 * slot has a mirror of its messages in near memory: a step is copied there and
 * back by the threads that read and write, while the other slot's travels.
 */
#ifndef DTX_ENGINE_STEP_APART_H
#define DTX_ENGINE_STEP_APART_H

#include "engine/engine.h"

/* A half of a lane's stages. */
struct engine_half {
    int mark;    /* that is set once the device is done with it */
    char *near;  /* [bytes] on the host */
    char *stage; /* [bytes] on the device */
    char *converted;
    size_t bytes;
    /* Of a reduction, and of a conversion. */
    struct dtx_device_outcome *reduced, *outcome;
};

static inline bool
engine_is_apart(const struct engine *e)
{
    return e->device->apart != NULL;
}

/*
 * Opens the device that a plan asks for: of a node's, the processes there take
 * one after another. Local.
 *
 * Fails with DTX_ERR_DEVICE where there is none.
 */
enum dtx_status engine_open_device(enum dtx_device_kind kind,
                                   const struct dtx_transport *transport,
                                   struct dtx_device **device_out,
                                   struct dtx_error *err);

/* Memory of the device; is_near: of the host, as the device likes it. */
enum dtx_status engine_allocate(struct engine *e, bool is_near, size_t bytes,
                                char **buffer_out, struct dtx_error *err);
void engine_release(struct engine *e, bool is_near, char *buffer);

/* Makes what the lanes take; nothing where the device isn't apart. */
enum dtx_status engine_prepare_lanes(struct engine *e, struct dtx_error *err);
void engine_finish_lanes(struct engine *e);

/* The bytes of a half, for chunks of elements that need so many. */
size_t engine_half_bytes(const struct engine *e, size_t element_bytes);

/*
 * Goes on to the next half of a lane's stages, once the device is done with
 * what was there.
 *
 * near           the thread's stage
 * element_bytes  as above; the same for all chunks of a region
 */
enum dtx_status engine_next_half(struct engine *e, enum dtx_lane lane,
                                 char *near, size_t element_bytes,
                                 struct engine_half *half,
                                 struct dtx_error *err);

/* Makes a mirror of a slot's buffer where it needs one. */
enum dtx_status engine_allocate_mirror(struct engine *e, size_t bytes,
                                       char **mirror_out,
                                       struct dtx_error *err);

/* Copies a step's messages from the device to where they are sent from, and
 * back; waits for all of a lane. Failures go through engine_fail(). */
void engine_end_reading(struct slot *slot);
void engine_begin_writing(struct slot *slot);
void engine_end_writing(struct slot *slot);

/* Copies a dense box of the host, of a stage's bytes at most, into an array of
 * the device, and waits for that. Of the thread that writes. */
enum dtx_status engine_put_box(struct engine *e,
                               const struct dtx_box_copy *copy, void *array,
                               const void *buffer, struct dtx_error *err);

/* Brings bytes of the device to the host, and waits for that. */
enum dtx_status engine_fetch(struct engine *e, enum dtx_lane lane, void *near,
                             const char *place, size_t bytes,
                             struct dtx_error *err);

#endif
