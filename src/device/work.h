/*
 * Work of the device seam made ready for a device's threads, and what devices
 * with memory of their own refuse alike.
 */
#ifndef DTX_DEVICE_WORK_H
#define DTX_DEVICE_WORK_H

#include "device/device.h"
#include "device/kernel_reduce.h"

void dtx_convert_job_make(const struct dtx_device_conversion *conversion,
                          struct dtx_convert_job *job_out);

void dtx_reduce_job_make(const struct dtx_device_reduction *reduction,
                         struct dtx_reduce_job *job_out);

/* DTX_ERR_DEVICE: what is wanted of a device's memory, and what is left. */
enum dtx_status dtx_device_refuse_memory(size_t bytes, size_t left,
                                         struct dtx_error *err);

#endif
