/*
 * Calibration: work that is repeated, on all processes at once, until it takes
 * long enough to be timed.
 *
 * Every process goes through every measurement, and agrees on its time; those
 * that have no part in the work do nothing in it.
 */
#ifndef DTX_ENGINE_CALIBRATE_CALIBRATE_H
#define DTX_ENGINE_CALIBRATE_CALIBRATE_H

#include <stdint.h>

#include <dtx/calibrate.h>

#include "device/device.h"
#include "storage/trial.h"
#include "transport/transport.h"

/* Of each of the two buffers. What the last caches hold is smaller. */
enum { CALIBRATE_BUFFER_BYTES = 8 << 20 };

/* Who takes part in reading and writing. */
enum calibrate_group {
    CALIBRATE_ALONE, /* process 0 */
    CALIBRATE_NODE,  /* all of node 0 */
    CALIBRATE_ALL
};

/* Nodes and neighbours, as far as a process needs to know them. */
struct calibrate_places {
    int node_count;
    int largest; /* processes of the largest node */
    int near[2]; /* two processes of one node; -1: there are none */
    int far[2];  /* two processes of two nodes */
    /* Whom this process sends to and receives from in a ring within its node,
     * and to and from its like on the nodes beside; -1: it has none. */
    int ring_next, ring_last;
    int node_next, node_last;
};

struct calibration {
    struct dtx_transport *transport;
    struct dtx_device *device;
    const struct dtx_calibrate_options *options;
    struct calibrate_places places;
    char *buffers[2];       /* [CALIBRATE_BUFFER_BYTES] each */
    struct dtx_device *gpu; /* NULL: there is none */
    void *arrays[2];        /* [CALIBRATE_BUFFER_BYTES] each, of the gpu */
    void *near;             /* [CALIBRATE_BUFFER_BYTES] */
    struct dtx_trial trial;
    struct dtx_trial other; /* that is written while the trial is read */
    enum calibrate_group group;
    bool is_far;          /* of messages: between nodes */
    uint64_t file_bytes;  /* that fill the trial's file */
    uint64_t other_bytes; /* that fill the other one in the same time */
    struct dtx_machine machine;
};

/* Work that can be timed. */
struct calibrate_work {
    /* Does so much of it, on this process. Local but for messages. */
    enum dtx_status (*run)(struct calibration *c, uint64_t amount,
                           struct dtx_error *err);
    /* Makes ready for it, untimed; NULL: nothing to do. */
    void (*prepare)(struct calibration *c);
    uint64_t first, last; /* the least and the most to try */
    double enough_seconds;
};

/*
 * Times work: more and more of it until that takes long enough, and the same
 * once more. Collective.
 *
 * seconds_out  of one unit of it, on the slowest process
 * amount_out   that was done at last; may be NULL
 */
enum dtx_status calibrate_time(struct calibration *c,
                               const struct calibrate_work *work,
                               double *seconds_out, uint64_t *amount_out,
                               struct dtx_error *err);

/* What calibrate_copy() copies each time. */
enum { CALIBRATE_COPY_BYTES = CALIBRATE_BUFFER_BYTES / 2 };

/* Copies every other half of the rows of a buffer, so many times; on a device
 * apart it may not be done yet. Local. */
enum dtx_status calibrate_copy(struct dtx_device *device, void *dst,
                               const void *src, uint64_t amount,
                               struct dtx_error *err);

/* Finds the processes' places. */
void calibrate_find_places(const struct dtx_transport *transport,
                           struct calibrate_places *places_out);

/* Each measures a part of c->machine. Collective. */
enum dtx_status calibrate_memory(struct calibration *c, struct dtx_error *err);
enum dtx_status calibrate_messages(struct calibration *c,
                                   struct dtx_error *err);
/* Measures nothing where a process has no device. */
enum dtx_status calibrate_device(struct calibration *c, struct dtx_error *err);
enum dtx_status calibrate_storage(struct calibration *c, struct dtx_error *err);
enum dtx_status calibrate_overlap(struct calibration *c, struct dtx_error *err);

/* True where this process is of the group that is measured. */
bool calibrate_takes_part(const struct calibration *c);

#endif
