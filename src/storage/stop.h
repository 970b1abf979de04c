/*
 * The request to stop, as those see it who must; see <dtx/stop.h>.
 */
#ifndef DTX_STORAGE_STOP_H
#define DTX_STORAGE_STOP_H

#include <stdbool.h>

#include <dtx/stop.h>

bool dtx_must_stop(void);

/* The failure of a run that must stop: "stopped by SIGTERM". */
enum dtx_status dtx_stopped(struct dtx_error *err);

#endif
