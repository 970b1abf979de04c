/*
 * Comparing on given seams; what dtx_compare() does on HDF5 files, and tests in
 * memory.
 */
#ifndef DTX_ENGINE_COMPARE_COMPARE_H
#define DTX_ENGINE_COMPARE_COMPARE_H

#include <dtx/verify.h>

#include "storage/storage.h"

/* As dtx_compare(). storages [2] are borrowed. Collective. */
enum dtx_status engine_compare(const struct dtx_layout *const *layouts,
                               const struct dtx_catalog *const *catalogs,
                               struct dtx_transport *transport,
                               struct dtx_storage *const *storages,
                               const struct dtx_compare_options *options,
                               struct dtx_diagnostics *list,
                               struct dtx_comparison **comparison_out,
                               struct dtx_error *err);

#endif
