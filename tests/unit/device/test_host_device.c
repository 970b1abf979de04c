#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>

#include "device/device.h"
#include "util/alloc.h"

static struct dtx_device *
make_device(void)
{
    struct dtx_device *device = NULL;
    struct dtx_error err;

    cr_assert_eq(dtx_host_device_create(&device, &err), DTX_OK);
    return device;
}

Test(host_device, buffers_are_aligned_and_zero)
{
    static const size_t sizes[] = {1, 4095, 4096, 2 << 20, (5 << 20) + 3};
    struct dtx_device *device = make_device();
    struct dtx_error err;

    for (int i = 0; i < 5; i++) {
        size_t alignment = sizes[i] >= 2 << 20 ? 2 << 20 : 4096;
        void *buffer;
        char *bytes;

        cr_assert_eq(device->ops->allocate(device, sizes[i], &buffer, &err),
                     DTX_OK);
        cr_expect_eq((uintptr_t)buffer % alignment, 0);
        bytes = buffer;
        for (size_t k = 0; k < sizes[i]; k++) {
            cr_assert_eq(bytes[k], 0);
        }
        memset(buffer, 1, sizes[i]);
        device->ops->release(device, buffer);
    }
    device->ops->destroy(device);
}

Test(host_device, a_buffer_of_nothing_is_none)
{
    struct dtx_device *device = make_device();
    struct dtx_error err;
    void *buffer = device;

    cr_assert_eq(device->ops->allocate(device, 0, &buffer, &err), DTX_OK);
    cr_expect_null(buffer);
    device->ops->release(device, buffer);
    device->ops->destroy(device);
}

Test(host_device, reports_lack_of_memory)
{
    struct dtx_device *device = make_device();
    struct dtx_error err;
    void *buffer = device;

    dtx_alloc_fail_after(0);
    cr_expect_eq(device->ops->allocate(device, 100, &buffer, &err),
                 DTX_ERR_LIMIT);
    dtx_alloc_fail_after(-1);
    cr_expect_eq(device->ops->allocate(device, SIZE_MAX, &buffer, &err),
                 DTX_ERR_LIMIT);
    cr_expect_eq(buffer, device);
    device->ops->destroy(device);
}

Test(host_device, copies_boxes)
{
    struct dtx_device *device = make_device();
    struct dtx_error err;
    const int64_t len[] = {2, 2};
    const int64_t zero[] = {0, 0};
    const int64_t lo[] = {1, 1};
    const int64_t shape[] = {3, 3};
    struct dtx_box_copy copy = {.ndim = 2,
                                .element_bytes = 1,
                                .len = len,
                                .dst_shape = len,
                                .dst_lo = zero,
                                .src_shape = shape,
                                .src_lo = lo};
    char dst[4];

    cr_assert_eq(device->ops->copy_box(device, DTX_LANE_READ, &copy, dst,
                                       "abcdefghi", &err),
                 DTX_OK);
    cr_expect_eq(memcmp(dst, "efhi", 4), 0);
    device->ops->destroy(device);
}

Test(cuda, is_described_in_a_few_words)
{
    char text[80] = "";
    char short_text[4];

    dtx_cuda_describe(text, sizeof text);
    cr_expect(text[0] != '\0');
    dtx_cuda_describe(short_text, sizeof short_text);
    cr_expect_eq(strlen(short_text), 3);
    cr_expect_eq(strncmp(short_text, text, 3), 0);
}
