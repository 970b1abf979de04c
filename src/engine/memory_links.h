/*
 * Links: where an array needs no message between it and what it means.
 */
#ifndef DTX_ENGINE_MEMORY_LINKS_H
#define DTX_ENGINE_MEMORY_LINKS_H

#include "engine/memory.h"

/* Adds what could be linked in a step that is built and laid out. */
enum dtx_status memory_find_links(struct engine_memory *m, int64_t step,
                                  struct dtx_error *err);

/* Links what can be with the arrays that are given now, and says so to the
 * slots. Allocates nothing. */
void memory_set_links(struct engine_memory *m);

/* Copies from array to array what a step's process keeps. */
void memory_copy_links(struct engine_memory *m, int64_t step);

#endif
