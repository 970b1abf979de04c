/*
 * Arenas: many small allocations that live and die together.
 *
 * `= {0}` is an empty arena. Memory is zeroed and aligned for any type.
 */
#ifndef DTX_UTIL_ARENA_H
#define DTX_UTIL_ARENA_H

#include <stddef.h>

#include <dtx/status.h>

struct dtx_arena_block;

struct dtx_arena {
    struct dtx_arena_block *head;
    size_t total_bytes; /* handed out so far */
};

/* count elements of size bytes; NULL when out of memory. */
void *dtx_arena_alloc(struct dtx_arena *arena, size_t count, size_t size);
char *dtx_arena_string(struct dtx_arena *arena, const char *string);
char *dtx_arena_format(struct dtx_arena *arena, const char *format, ...)
    DTX_PRINTF(2, 3);
/* A copy of count elements; NULL when out of memory. */
void *dtx_arena_copy(struct dtx_arena *arena, const void *from, size_t count,
                     size_t size);

/* Forgets everything but keeps one block for reuse. */
void dtx_arena_reset(struct dtx_arena *arena);
/* Frees everything; the arena is empty again. */
void dtx_arena_finish(struct dtx_arena *arena);

#endif
