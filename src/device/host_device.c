#define _DEFAULT_SOURCE /* madvise */

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "device/device.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

#define HUGE_BYTES ((size_t)2 << 20)
#define PAGE_BYTES ((size_t)4096)

/* Large buffers begin at a huge page, small ones at a page. */
static size_t
alignment_of(size_t bytes)
{
    return bytes >= HUGE_BYTES ? HUGE_BYTES : PAGE_BYTES;
}

/* What stands right before a buffer: the block it was cut from. */
struct label {
    void *block;
};

static void *
align_in(void *block, size_t alignment)
{
    uintptr_t first = (uintptr_t)block + sizeof(struct label);
    uintptr_t aligned = (first + alignment - 1) / alignment * alignment;
    char *buffer = (char *)block + (aligned - (uintptr_t)block);
    struct label label = {.block = block};

    memcpy(buffer - sizeof(label), &label, sizeof(label));
    return buffer;
}

/* Asks for huge pages. Only a wish: without them the copy is slower, not wrong.
 * They are made when they are touched, for much of what is asked for may never
 * be: what goes straight from file to file has a place in a step, unused. */
static void
ask_for_huge_pages(void *buffer, size_t bytes)
{
    if (bytes >= HUGE_BYTES) {
        (void)madvise(buffer, bytes / HUGE_BYTES * HUGE_BYTES, MADV_HUGEPAGE);
    }
}

static enum dtx_status
host_allocate(struct dtx_device *device, size_t bytes, void **buffer_out,
              struct dtx_error *err)
{
    size_t alignment = alignment_of(bytes);
    size_t block_bytes;
    void *block;

    (void)device;
    if (bytes == 0) {
        *buffer_out = NULL;
        return DTX_OK;
    }
    if (dtx_add_overflows(bytes, alignment + sizeof(struct label),
                          &block_bytes)) {
        return dtx_error_memory(err);
    }
    block = dtx_alloc(block_bytes, 1);
    if (block == NULL) {
        return dtx_error_memory(err);
    }
    *buffer_out = align_in(block, alignment);
    ask_for_huge_pages(*buffer_out, bytes);
    return DTX_OK;
}

static void
host_release(struct dtx_device *device, void *buffer)
{
    struct label label;

    (void)device;
    if (buffer != NULL) {
        memcpy(&label, (char *)buffer - sizeof(label), sizeof(label));
        dtx_free(label.block);
    }
}

static enum dtx_status
host_copy_box(struct dtx_device *device, enum dtx_lane lane,
              const struct dtx_box_copy *copy, void *dst, const void *src,
              struct dtx_error *err)
{
    (void)device;
    (void)lane;
    (void)err;
    dtx_box_copy(copy, dst, src);
    return DTX_OK;
}

static void
host_destroy(struct dtx_device *device)
{
    dtx_free(device);
}

static const struct dtx_device_ops host_ops = {
    .allocate = host_allocate,
    .release = host_release,
    .copy_box = host_copy_box,
    .destroy = host_destroy,
};

enum dtx_status
dtx_host_device_create(struct dtx_device **device_out, struct dtx_error *err)
{
    struct dtx_device *device = dtx_alloc(1, sizeof(*device));

    if (device == NULL) {
        return dtx_error_memory(err);
    }
    device->ops = &host_ops;
    *device_out = device;
    return DTX_OK;
}
