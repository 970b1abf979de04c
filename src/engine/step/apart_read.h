/*
 * Regions on their way into messages that stand in a device's memory.
 *
 * What comes from storage is summed in near memory, copied to the device, and
 * there converted and scattered. An array of the device never leaves it.
 */
#ifndef DTX_ENGINE_STEP_APART_READ_H
#define DTX_ENGINE_STEP_APART_READ_H

#include "engine/step/reading.h"

/* Reads a region where the device's memory is apart. */
enum dtx_status reading_apart(const struct reading *r, struct dtx_error *err);

#endif
