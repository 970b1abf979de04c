/*
 * Regions that are put together from messages in a device's memory.
 *
 * What goes to storage is gathered, reduced and converted on the device, and
 * copied to near memory while what was copied before is written from there. An
 * array of the device is filled within it.
 */
#ifndef DTX_ENGINE_STEP_APART_WRITE_H
#define DTX_ENGINE_STEP_APART_WRITE_H

#include "engine/step/writing.h"

/* Where the device's memory is apart: writes a region, and reduces what the
 * messages bring of a shard's terms and keeps the values. */
enum dtx_status writing_apart(const struct writing *w, bool is_direct,
                              struct dtx_error *err);
enum dtx_status writing_keep_apart(const struct writing *w,
                                   struct dtx_error *err);

#endif
