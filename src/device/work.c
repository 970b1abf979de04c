#include "device/work.h"

#include "util/error.h"
#include "util/size.h"

static enum dtx_dtype
part_of(enum dtx_dtype dtype)
{
    if (dtype == DTX_COMPLEX64) {
        return DTX_FLOAT32;
    }
    return dtype == DTX_COMPLEX128 ? DTX_FLOAT64 : dtype;
}

void
dtx_convert_job_make(const struct dtx_device_conversion *conversion,
                     struct dtx_convert_job *job_out)
{
    enum dtx_dtype from = part_of(conversion->from);
    uint64_t parts = from == conversion->from ? 1 : 2;

    *job_out =
        (struct dtx_convert_job){.from = from,
                                 .to = part_of(conversion->to),
                                 .in = conversion->in,
                                 .out = conversion->out,
                                 .count = conversion->count * parts,
                                 .parts = parts,
                                 .measures_loss = conversion->measures_loss};
}

void
dtx_reduce_job_make(const struct dtx_device_reduction *reduction,
                    struct dtx_reduce_job *job_out)
{
    const struct dtx_reduction *how = reduction->how;
    int i;

    *job_out = (struct dtx_reduce_job){.dtype = how->dtype,
                                       .accumulator =
                                           dtx_reduce_accumulator(how->dtype),
                                       .axis_count = how->axis_count,
                                       .terms = reduction->terms,
                                       .out = reduction->out,
                                       .count = reduction->count};
    for (i = 0; i < how->axis_count; i++) {
        job_out->sizes[i] = how->sizes[i];
        job_out->ops[i] = how->ops[i];
    }
}

enum dtx_status
dtx_device_refuse_memory(size_t bytes, size_t left, struct dtx_error *err)
{
    char wanted[DTX_SIZE_TEXT], free_text[DTX_SIZE_TEXT];

    dtx_error_set(err, DTX_ERR_DEVICE,
                  "the device's memory is short: %s are needed, %s are left "
                  "for this process",
                  dtx_size_format(bytes, wanted),
                  dtx_size_format(left, free_text));
    dtx_error_hint(err, "lower --memory, or use fewer processes per device");
    return DTX_ERR_DEVICE;
}
