#include <string.h>

#include <criterion/criterion.h>

#include "device/double_device.h"
#include "support/device_claims.h"

static struct dtx_device *
make_double(void)
{
    struct dtx_device *device = NULL;
    struct dtx_error err;

    cr_assert_eq(dtx_double_device_create(0, false, &device, &err), DTX_OK);
    return device;
}

Test(double_device, copies_boxes_as_the_host_does, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_boxes(device);
    device->ops->destroy(device);
}

Test(double_device, copies_many_boxes_in_one_batch, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_batches(device);
    device->ops->destroy(device);
}

Test(double_device, copies_what_was_copied_before_it, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_chains(device);
    device->ops->destroy(device);
}

Test(double_device, converts_to_the_bits_of_the_host, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_conversions(device);
    device->ops->destroy(device);
}

Test(double_device, converts_every_code_of_floats_of_16_bits, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_codes(device);
    device->ops->destroy(device);
}

Test(double_device, measures_what_conversions_lose, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_losses(device);
    device->ops->destroy(device);
}

Test(double_device, reduces_to_the_bits_of_the_host, .timeout = 60)
{
    struct dtx_device *device = make_double();

    device_claims_reductions(device);
    device->ops->destroy(device);
}

Test(double_device, does_nothing_before_somebody_waits)
{
    struct dtx_device *device = make_double();
    const struct dtx_device_apart_ops *apart = device->apart;
    char result[8] = "";
    struct dtx_error err;
    void *far;

    cr_assert_eq(device->ops->allocate(device, 8, &far, &err), DTX_OK);
    cr_assert_eq(apart->upload(device, DTX_LANE_READ, far, "first", 6, &err),
                 DTX_OK);
    cr_assert_eq(apart->mark(device, DTX_LANE_READ, 1, &err), DTX_OK);
    cr_assert_eq(apart->download(device, DTX_LANE_READ, result, far, 6, &err),
                 DTX_OK);
    cr_expect_str_empty((char *)dtx_double_reveal(far));
    cr_assert_eq(apart->await(device, DTX_LANE_READ, 1, &err), DTX_OK);
    cr_expect_str_eq((char *)dtx_double_reveal(far), "first");
    cr_expect_str_empty(result);
    cr_assert_eq(apart->finish(device, DTX_LANE_READ, &err), DTX_OK);
    cr_expect_str_eq(result, "first");
    device->ops->release(device, far);
    device->ops->destroy(device);
}

Test(double_device, gives_no_more_memory_than_it_has)
{
    struct dtx_device *device;
    struct dtx_error err;
    void *a, *more;

    cr_assert_eq(dtx_double_device_create(1000, false, &device, &err), DTX_OK);
    cr_assert_eq(device->ops->allocate(device, 600, &a, &err), DTX_OK);
    cr_expect_eq(device->ops->allocate(device, 401, &more, &err),
                 DTX_ERR_DEVICE);
    cr_expect(strstr(err.message, "memory is short") != NULL);
    device->ops->release(device, a);
    cr_assert_eq(device->ops->allocate(device, 1000, &a, &err), DTX_OK);
    device->ops->release(device, a);
    device->ops->destroy(device);
}

Test(cuda_device, is_refused_in_words_where_there_is_none)
{
    struct dtx_device *device = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = dtx_cuda_device_create(0, 1, &device, &err);

    if (status == DTX_OK) { /* this machine has one */
        device->ops->destroy(device);
        return;
    }
    cr_expect_eq(status, DTX_ERR_DEVICE);
    cr_expect(strlen(err.message) > 10);
}
