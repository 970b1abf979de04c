/*
 * Stopping: how a signal ends a run at its next safe point.
 *
 * A run that is asked to stop makes durable what it has, and leaves on all
 * processes with DTX_ERR_INTERRUPTED; a later one goes on from there (see
 * `resume` in <dtx/reshard.h>). One process that is asked is enough.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_STOP_H
#define DTX_STOP_H

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Asks what runs in this process to stop. May be called by signal handlers,
 * from any thread, and again and again; the first call counts.
 *
 * signal_number  named in messages; 0: none
 */
DTX_API void dtx_stop_request(int signal_number);

/* Forgets the request, so that another run may begin. */
DTX_API void dtx_stop_forget(void);

/* DTX_ERR_INTERRUPTED and a message once this process was asked to stop, for
 * work before anything was written; else DTX_OK. Local. */
DTX_API DTX_NODISCARD enum dtx_status dtx_stop_check(struct dtx_error *err);

#ifdef __cplusplus
}
#endif
#endif
