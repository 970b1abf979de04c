/*
 * Copies past the caches: for what is so much that the caches would hold
 * neither end of it. A plain store reads a line before it writes it, and what
 * it keeps drives out what others use.
 */
#ifndef DTX_DEVICE_STREAM_H
#define DTX_DEVICE_STREAM_H

#include <stddef.h>

/* Copies bytes, which other threads see after dtx_stream_end() only. Where the
 * machine has no such stores, a plain copy. */
void dtx_stream_copy(char *dst, const char *src, size_t bytes);
void dtx_stream_end(void);

#endif
