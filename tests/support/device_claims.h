/*
 * What every device with memory of its own does as the host does it: claims
 * for the double of one, and for CUDA's where there is one.
 */
#ifndef TESTS_SUPPORT_DEVICE_CLAIMS_H
#define TESTS_SUPPORT_DEVICE_CLAIMS_H

#include "device/device.h"

/* One of so many random trials is made; 1: all. */
extern int device_claims_thinning;

/* Random boxes, alone and in batches. */
void device_claims_boxes(struct dtx_device *device);
void device_claims_batches(struct dtx_device *device);

/* Boxes of which the later are made of the earlier. */
void device_claims_chains(struct dtx_device *device);

/* All pairs of types, and all codes of floats of 16 bits and fewer. */
void device_claims_conversions(struct dtx_device *device);
void device_claims_codes(struct dtx_device *device);
void device_claims_losses(struct dtx_device *device);

void device_claims_reductions(struct dtx_device *device);

#endif
