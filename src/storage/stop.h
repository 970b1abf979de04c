/*
 * The request to stop, as those see it who must; see <dtx/stop.h>.
 */
#ifndef DTX_STORAGE_STOP_H
#define DTX_STORAGE_STOP_H

#include <stdbool.h>

#include <dtx/stop.h>

bool dtx_must_stop(void);

/* True a second or two later: what ends soon has ended, and what goes on is
 * to be given up. */
bool dtx_must_hurry(void);

/* The failure of a run that must stop: "stopped by SIGTERM". */
enum dtx_status dtx_stopped(struct dtx_error *err);

/* That failure once this process must stop, else DTX_OK: for loops over files,
 * any of which can be slow. Local. */
enum dtx_status dtx_stop_heard(struct dtx_error *err);

#endif
