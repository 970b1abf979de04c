/*
 * The device seam: where shards live while they move.
 *
 * A device has memory for messages and staging buffers and copies boxes within
 * it. Host memory is the one implementation that every machine has. A device
 * whose memory is apart from the host's (CUDA) also moves bytes between the
 * two, converts and reduces; its double (double_device.h) does all that in the
 * host's memory.
 *
 * Work goes into lanes, one for each thread that has any. What a lane is told
 * is done in that order, and is sure to be done once dtx_device_finish(), or a
 * mark that was set after it, has been waited for; until then all buffers stay
 * the device's. In host memory everything is done on return.
 *
 * All calls are local. Two threads may call at a time, in different lanes.
 */
#ifndef DTX_DEVICE_DEVICE_H
#define DTX_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/device.h>
#include <dtx/dtype.h>
#include <dtx/status.h>

#include "device/box_copy.h"
#include "layout/reduce.h"

struct dtx_device;

enum dtx_lane { DTX_LANE_READ, DTX_LANE_WRITE, DTX_LANE_COUNT };

/* Places in a lane that can be waited for, numbered. */
enum { DTX_MARK_COUNT = 2 };

struct dtx_device_ops {
    /*
     * Gets a buffer, zeroed. Large ones of the host begin at a huge page.
     *
     * buffer_out  set on success only; NULL for 0 bytes
     */
    enum dtx_status (*allocate)(struct dtx_device *device, size_t bytes,
                                void **buffer_out, struct dtx_error *err);

    /* Gives a buffer back; NULL is fine. */
    void (*release)(struct dtx_device *device, void *buffer);

    /* Copies a box between arrays in the device's memory. copy is copied. */
    enum dtx_status (*copy_box)(struct dtx_device *device, enum dtx_lane lane,
                                const struct dtx_box_copy *copy, void *dst,
                                const void *src, struct dtx_error *err);

    void (*destroy)(struct dtx_device *device);
};

/* What became of elements that were converted or reduced. */
struct dtx_device_outcome {
    int64_t bad; /* the first whose value doesn't fit; -1: all do */
    /* How far floats are from what they were, at most; see <dtx/reshard.h>. */
    double absolute, relative;
};

/* Of dense elements in the device's memory, which all begin at a multiple of
 * 16 bytes. */
struct dtx_device_conversion {
    enum dtx_dtype from, to; /* dtx_convert_is_possible() */
    const void *in;
    void *out; /* shares nothing with in */
    size_t count;
    bool measures_loss; /* between floats only */
};

struct dtx_device_reduction {
    const struct dtx_reduction *how; /* copied */
    const void *terms;               /* one after another, count elements */
    void *out;                       /* may be the first term */
    size_t count;
};

/* What only devices with memory of their own have. */
struct dtx_device_apart_ops {
    /* Memory of the host which the device reads and writes quickly; as
     * allocate() and release(). */
    enum dtx_status (*allocate_near)(struct dtx_device *device, size_t bytes,
                                     void **buffer_out, struct dtx_error *err);
    void (*release_near)(struct dtx_device *device, void *buffer);

    /* Copies bytes from the host's memory to the device's, and back. */
    enum dtx_status (*upload)(struct dtx_device *device, enum dtx_lane lane,
                              void *dst, const void *src, size_t bytes,
                              struct dtx_error *err);
    enum dtx_status (*download)(struct dtx_device *device, enum dtx_lane lane,
                                void *dst, const void *src, size_t bytes,
                                struct dtx_error *err);

    /*
     * As dtx_convert() and dtx_reduce_terms(), to the same bits. Elements
     * whose values don't fit are left out.
     *
     * outcome  near memory; set when the work is done
     */
    enum dtx_status (*convert)(struct dtx_device *device, enum dtx_lane lane,
                               const struct dtx_device_conversion *conversion,
                               struct dtx_device_outcome *outcome,
                               struct dtx_error *err);
    enum dtx_status (*reduce)(struct dtx_device *device, enum dtx_lane lane,
                              const struct dtx_device_reduction *reduction,
                              struct dtx_device_outcome *outcome,
                              struct dtx_error *err);

    /* Sets a mark, in place of what it was, and waits until a lane has come to
     * one; at once where it was never set. */
    enum dtx_status (*mark)(struct dtx_device *device, enum dtx_lane lane,
                            int mark, struct dtx_error *err);
    enum dtx_status (*await)(struct dtx_device *device, enum dtx_lane lane,
                             int mark, struct dtx_error *err);

    /* True for an address in this device's memory, whoever got it. */
    bool (*has)(struct dtx_device *device, const void *address);

    /* Waits until all of a lane is done. */
    enum dtx_status (*finish)(struct dtx_device *device, enum dtx_lane lane,
                              struct dtx_error *err);
};

struct dtx_device {
    const struct dtx_device_ops *ops;
    /* NULL: the device's memory is the host's. */
    const struct dtx_device_apart_ops *apart;
    /* the implementation's own data follows */
};

/* Host memory. Owned by the caller: device->ops->destroy(). */
DTX_NODISCARD enum dtx_status
dtx_host_device_create(struct dtx_device **device_out, struct dtx_error *err);

/*
 * A CUDA device of this machine, of which there is one or more.
 *
 * place, sharers  this is one of so many processes that use the machine's
 *                 devices: they take the devices in turn, and what memory one
 *                 has left is divided among those that share it
 *
 * Fails with DTX_ERR_DEVICE where there is none, or CUDA wasn't built in.
 */
DTX_NODISCARD enum dtx_status
dtx_cuda_device_create(int place, int sharers, struct dtx_device **device_out,
                       struct dtx_error *err);

/* The CUDA device in whose memory an address is. Fails with DTX_ERR_DEVICE
 * where it is in none's. */
DTX_NODISCARD enum dtx_status dtx_cuda_device_of(const void *address,
                                                 struct dtx_device **device_out,
                                                 struct dtx_error *err);

/* DTX_OK where there is a CUDA device, else DTX_ERR_DEVICE, with the reason. */
DTX_NODISCARD enum dtx_status dtx_cuda_check(struct dtx_error *err);

/* Waits for a lane, where there is anything to wait for. */
static inline enum dtx_status
dtx_device_finish(struct dtx_device *device, enum dtx_lane lane,
                  struct dtx_error *err)
{
    return device->apart == NULL ? DTX_OK
                                 : device->apart->finish(device, lane, err);
}

#endif
