/*
 * Verifying on a given seam; what dtx_verify() does on HDF5 files, and tests in
 * memory.
 */
#ifndef DTX_ENGINE_COMPARE_VERIFY_H
#define DTX_ENGINE_COMPARE_VERIFY_H

#include <dtx/verify.h>

#include "storage/storage.h"

/* As dtx_verify(). storage is borrowed. Collective. */
enum dtx_status engine_verify(const struct dtx_layout *manifest,
                              struct dtx_transport *transport,
                              struct dtx_storage *storage,
                              const struct dtx_verify_options *options,
                              struct dtx_diagnostics *list,
                              struct dtx_verification **verification_out,
                              struct dtx_error *err);

#endif
