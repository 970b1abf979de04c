/*
 * The engine's work on given seams; what dtx_reshard() and dtx_catalog_read()
 * do on HDF5 files, and tests in memory.
 */
#ifndef DTX_ENGINE_RESHARD_H
#define DTX_ENGINE_RESHARD_H

#include <dtx/reshard.h>

#include "device/device.h"
#include "storage/storage.h"
#include "transport/transport.h"

/* As dtx_reshard(). storage and device are borrowed. Collective. */
enum dtx_status
engine_reshard(const struct dtx_plan *plan, struct dtx_transport *transport,
               struct dtx_storage *storage, struct dtx_device *device,
               const struct dtx_reshard_options *options,
               struct dtx_reshard_summary *summary_out, struct dtx_error *err);

/* As dtx_catalog_read_with(); options may be NULL. storage is borrowed.
 * Collective. */
enum dtx_status engine_read_catalog(const struct dtx_layout *layout,
                                    struct dtx_transport *transport,
                                    const struct dtx_catalog_options *options,
                                    struct dtx_storage *storage,
                                    struct dtx_catalog **catalog_out,
                                    struct dtx_error *err);

/*
 * The catalog of a target whose files still have their temporary names, by
 * which they go in the catalog. storage is borrowed. Collective.
 */
enum dtx_status engine_read_temporaries(const struct dtx_layout *target,
                                        struct dtx_transport *transport,
                                        const struct dtx_readers *readers,
                                        struct dtx_storage *storage,
                                        struct dtx_catalog **catalog_out,
                                        struct dtx_error *err);

#endif
