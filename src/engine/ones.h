/*
 * The ones of pending products.
 */
#ifndef DTX_ENGINE_ONES_H
#define DTX_ENGINE_ONES_H

#include "engine/engine.h"

/* Fills the datasets of a file, which this process has created, that are all
 * ones; their padding stays zero. Local. */
enum dtx_status engine_write_ones(struct engine *e,
                                  const struct dtx_target_file *file,
                                  struct dtx_error *err);

#endif
