#include <string.h>

#include "plan/weigh/carriage.h"
#include "plan/weigh/cost.h"
#include "planned.h"

Test(carriage, says_what_auto_means)
{
    static const struct {
        enum dtx_device_kind device, device_out;
        enum dtx_carrier transport, transport_out;
    } cases[] = {
        {DTX_DEVICE_AUTO, DTX_DEVICE_CPU, DTX_CARRIER_AUTO, DTX_CARRIER_MPI},
        {DTX_DEVICE_AUTO, DTX_DEVICE_CPU, DTX_CARRIER_MPI, DTX_CARRIER_MPI},
        {DTX_DEVICE_AUTO, DTX_DEVICE_CUDA, DTX_CARRIER_CUDA, DTX_CARRIER_CUDA},
        {DTX_DEVICE_CUDA, DTX_DEVICE_CUDA, DTX_CARRIER_AUTO, DTX_CARRIER_CUDA},
        {DTX_DEVICE_CUDA, DTX_DEVICE_CUDA, DTX_CARRIER_MPI, DTX_CARRIER_MPI},
        {DTX_DEVICE_CPU, DTX_DEVICE_CPU, DTX_CARRIER_AUTO, DTX_CARRIER_MPI},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct dtx_plan_options options = {.device = cases[i].device,
                                           .transport = cases[i].transport};
        struct dtx_error err;

        cr_assert_eq(dtx_carriage_settle(&options, &err), DTX_OK);
        cr_expect_eq(options.device, cases[i].device_out, "case %zu", i);
        cr_expect_eq(options.transport, cases[i].transport_out, "case %zu", i);
    }
}

Test(carriage, from_a_device_needs_one)
{
    struct dtx_plan_options options = {.device = DTX_DEVICE_CPU,
                                       .transport = DTX_CARRIER_CUDA};
    struct dtx_error err = {0};

    cr_expect_eq(dtx_carriage_settle(&options, &err), DTX_ERR_INVALID);
    cr_expect_not_null(strstr(err.message, "'cpu'"));
}

static double
seconds_of(const struct dtx_machine *machine, const struct dtx_work *work,
           enum dtx_device_kind device, bool goes_through_host)
{
    struct dtx_work node = {0};
    struct dtx_site site = {.machine = machine,
                            .process_count = 1,
                            .device = device,
                            .goes_through_host = goes_through_host,
                            .node_works = &node};

    return dtx_cost_seconds(&site, work, NULL, 1, 1, NULL);
}

/* What is copied and converted much is quicker on a device, what is only
 * moved is slower, and slower yet where messages go through the host. */
Test(carriage, costs_what_the_way_to_a_device_costs)
{
    struct dtx_machine machine = *dtx_machine_default();
    struct dtx_work moved = {.bytes = {.read = 1 << 30,
                                       .sent = 1 << 30,
                                       .received = 1 << 30,
                                       .written = 1 << 30},
                             .fetched = 1 << 30};
    struct dtx_work converted = moved;
    double host, device;

    converted.converted = converted.copied = 64e9;
    host = seconds_of(&machine, &moved, DTX_DEVICE_CPU, true);
    device = seconds_of(&machine, &moved, DTX_DEVICE_CUDA, false);
    cr_expect_lt(host, device);
    cr_expect_lt(device, seconds_of(&machine, &moved, DTX_DEVICE_CUDA, true));
    cr_expect_lt(seconds_of(&machine, &converted, DTX_DEVICE_CUDA, true),
                 seconds_of(&machine, &converted, DTX_DEVICE_CPU, true));
    machine.device_rate *= 10; /* NVLink, say */
    cr_expect_lt(seconds_of(&machine, &moved, DTX_DEVICE_CUDA, false), device);
}
