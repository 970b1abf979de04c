/*
 * What conversions lose: how far values are from what they were.
 *
 * Only floats that become narrower, or another kind of their width, lose
 * anything: all else is exact or refused.
 */
#ifndef DTX_ENGINE_STEP_LOSS_H
#define DTX_ENGINE_STEP_LOSS_H

#include <stdbool.h>
#include <stddef.h>

#include <dtx/dtype.h>
#include <dtx/reshard.h>

#include "device/device.h"
#include "transport/transport.h"

/* True where a conversion can change a value. */
bool loss_is_possible(enum dtx_dtype from, enum dtx_dtype to);

/*
 * Converts count elements in place, as dtx_convert() does, and adds to the
 * largest error what that changes. For conversions of which
 * loss_is_possible() is true; each value has a place in the result, so that
 * it can't fail.
 */
void loss_convert(enum dtx_dtype from, enum dtx_dtype to, void *elements,
                  size_t count, int tensor, struct dtx_conversion_error *loss);

/* Adds what a device has found. */
void loss_add(const struct dtx_device_outcome *outcome, int tensor,
              struct dtx_conversion_error *loss);

/* The larger of both goes to a. */
void loss_merge(struct dtx_conversion_error *a,
                const struct dtx_conversion_error *b);

/* The largest of all processes. Collective. */
enum dtx_status loss_combine(struct dtx_transport *transport,
                             struct dtx_conversion_error *loss,
                             struct dtx_error *err);

#endif
