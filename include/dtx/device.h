/*
 * Devices: what accelerators this machine has.
 */
#ifndef DTX_DEVICE_H
#define DTX_DEVICE_H

#include <stddef.h>

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where shards live while they move. AUTO: on the host, since what goes from
 * file to file needs no device, but where the carrier is CUDA. */
enum dtx_device_kind { DTX_DEVICE_AUTO, DTX_DEVICE_CPU, DTX_DEVICE_CUDA };

/* "auto", "cpu", "cuda". Static text. Local. */
DTX_API const char *dtx_device_kind_name(enum dtx_device_kind kind);

/*
 * Says in a few words what CUDA finds: "2 devices, NVIDIA H200", "no device
 * (...)" with the reason, or "not built in". Local.
 *
 * text, bytes  receives the words, cut off where they don't fit
 */
DTX_API void dtx_cuda_describe(char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
