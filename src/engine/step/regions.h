/*
 * The regions of a step, one after another, at either end.
 */
#ifndef DTX_ENGINE_STEP_REGIONS_H
#define DTX_ENGINE_STEP_REGIONS_H

#include "engine/engine.h"
#include "engine/step/chunk.h"

typedef enum dtx_status engine_region_work(struct slot *slot,
                                           const struct dtx_region *region,
                                           struct dtx_error *err);

/*
 * Works on all regions that a slot's step reads, or writes, until one fails;
 * it fails through engine_fail(), with the tensor and the rank said. Adds the
 * time that it took to the engine's.
 */
void engine_each_region(struct slot *slot, bool reads,
                        engine_region_work *work);

/*
 * Goes on to a region's next piece: false at its end, and once this process
 * has failed or was poisoned. What is left undone is then nobody's concern:
 * why it is was said by whoever failed. Fails itself some time after a request
 * to stop. Any thread.
 */
bool engine_next_piece(struct engine *e, struct dtx_chunks *pieces);

/* Says in an error that it was here, and about which rank. */
void engine_say_where(const struct dtx_transport *transport,
                      const struct dtx_plan *plan, enum dtx_role role,
                      int position, struct dtx_error *err);

/* Says in an error which tensor and which rank it is about, if it doesn't yet.
 */
void engine_describe_region(const struct engine *e,
                            const struct dtx_region *region, bool reads,
                            struct dtx_error *err);

#endif
