/*
 * Setting errors. The first function that knows the cause sets the message;
 * callers add only what they alone know. Nothing here allocates.
 */
#ifndef DTX_UTIL_ERROR_H
#define DTX_UTIL_ERROR_H

#include <dtx/status.h>

/* Clears *err and sets status and message; returns the status. */
enum dtx_status dtx_error_set(struct dtx_error *err, enum dtx_status status,
                              const char *format, ...) DTX_PRINTF(3, 4);

/* Sets the hint, tensor or place of an error whose message stands. */
void dtx_error_hint(struct dtx_error *err, const char *format, ...)
    DTX_PRINTF(2, 3);
void dtx_error_tensor(struct dtx_error *err, const char *format, ...)
    DTX_PRINTF(2, 3);
void dtx_error_where(struct dtx_error *err, const char *format, ...)
    DTX_PRINTF(2, 3);

/* "out of memory" with DTX_ERR_LIMIT. */
enum dtx_status dtx_error_memory(struct dtx_error *err);

#endif
