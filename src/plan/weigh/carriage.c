#include "plan/weigh/carriage.h"

#include "util/error.h"

const char *
dtx_carrier_name(enum dtx_carrier carrier)
{
    static const char *const names[] = {[DTX_CARRIER_AUTO] = "auto",
                                        [DTX_CARRIER_MPI] = "mpi",
                                        [DTX_CARRIER_CUDA] = "cuda"};

    return names[carrier];
}

const char *
dtx_device_kind_name(enum dtx_device_kind kind)
{
    static const char *const names[] = {[DTX_DEVICE_AUTO] = "auto",
                                        [DTX_DEVICE_CPU] = "cpu",
                                        [DTX_DEVICE_CUDA] = "cuda"};

    return names[kind];
}

enum dtx_status
dtx_carriage_settle(struct dtx_plan_options *options, struct dtx_error *err)
{
    bool is_carried = options->transport == DTX_CARRIER_CUDA;

    if (options->device == DTX_DEVICE_AUTO) {
        options->device = is_carried ? DTX_DEVICE_CUDA : DTX_DEVICE_CPU;
    }
    if (options->transport == DTX_CARRIER_AUTO) {
        options->transport = options->device == DTX_DEVICE_CUDA
                                 ? DTX_CARRIER_CUDA
                                 : DTX_CARRIER_MPI;
    }
    if (options->device == DTX_DEVICE_CPU && is_carried) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "the transport 'cuda' carries what is on a device, and "
                      "the device is 'cpu'");
        dtx_error_hint(err, "leave one of --device and --transport out");
        return DTX_ERR_INVALID;
    }
    return DTX_OK;
}
