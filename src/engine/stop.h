/*
 * The request to stop, as the engine sees it; see <dtx/stop.h>.
 */
#ifndef DTX_ENGINE_STOP_H
#define DTX_ENGINE_STOP_H

#include <stdbool.h>

#include <dtx/stop.h>

bool engine_must_stop(void);

/* The failure of a run that must stop: "stopped by SIGTERM". */
enum dtx_status engine_stopped(struct dtx_error *err);

#endif
