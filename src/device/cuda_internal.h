/*
 * What the files that know CUDA share.
 */
#ifndef DTX_DEVICE_CUDA_INTERNAL_H
#define DTX_DEVICE_CUDA_INTERNAL_H

#include <cuda_runtime_api.h>

#include <dtx/status.h>

/* Sets DTX_ERR_DEVICE: "cannot WHAT: " and CUDA's own words for the code. */
enum dtx_status dtx_cuda_fail(struct dtx_error *err, const char *what,
                              cudaError_t code);

/* How many devices there are; with none, err says why (DTX_ERR_DEVICE). */
int dtx_cuda_count(struct dtx_error *err);

#endif
