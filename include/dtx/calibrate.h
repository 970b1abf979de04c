/*
 * Calibration: this machine measured, for the cost model.
 */
#ifndef DTX_CALIBRATE_H
#define DTX_CALIBRATE_H

#include <stdbool.h>

#include <dtx/machine.h>
#include <dtx/status.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_calibrate_options {
    const char *folder; /* whose files are measured */
    bool is_cached;     /* read what the system still has in memory */
};

/*
 * Measures the machine, in some seconds. Collective.
 *
 * machine_out  set on success only, on every process alike; what can't be
 *              measured with these processes is 0
 *
 * Fails with DTX_ERR_TARGET where the folder can't be written. Leaves no file.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_calibrate(struct dtx_transport *transport,
              const struct dtx_calibrate_options *options,
              struct dtx_machine *machine_out, struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
