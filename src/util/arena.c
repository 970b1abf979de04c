#include "util/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/math.h"

enum { FIRST_BLOCK_BYTES = 4096, LARGEST_BLOCK_BYTES = 1 << 20 };

struct dtx_arena_block {
    struct dtx_arena_block *next;
    size_t capacity; /* bytes of data */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

/* Rounds up so that what follows is aligned too; true on overflow. */
static bool
round_up_overflows(size_t bytes, size_t *rounded_out)
{
    size_t align = alignof(max_align_t);

    if (dtx_add_overflows(bytes, align - 1, &bytes)) {
        return true;
    }
    *rounded_out = bytes / align * align;
    return false;
}

/* Adds a block with room for `bytes`. A request that is large for the blocks
 * of its time gets one of its own behind the head, which stays in use. */
static struct dtx_arena_block *
add_block(struct dtx_arena *arena, size_t bytes)
{
    struct dtx_arena_block *head = arena->head;
    struct dtx_arena_block *block;
    size_t capacity = FIRST_BLOCK_BYTES;
    size_t total;

    if (head != NULL && head->capacity < LARGEST_BLOCK_BYTES) {
        capacity = head->capacity * 2;
    } else if (head != NULL) {
        capacity = LARGEST_BLOCK_BYTES;
    }
    if (bytes > capacity) {
        capacity = bytes;
    }
    if (dtx_add_overflows(sizeof *block, capacity, &total)) {
        return NULL;
    }
    block = dtx_alloc(total, 1);
    if (block == NULL) {
        return NULL;
    }
    block->capacity = capacity;
    if (head != NULL && capacity == bytes) {
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    return block;
}

void *
dtx_arena_alloc(struct dtx_arena *arena, size_t count, size_t size)
{
    struct dtx_arena_block *block = arena->head;
    size_t bytes;
    void *result;

    if (dtx_mul_overflows(count, size, &bytes) ||
        round_up_overflows(bytes == 0 ? 1 : bytes, &bytes)) {
        return NULL;
    }
    if (block == NULL || block->capacity - block->used < bytes) {
        block = add_block(arena, bytes);
        if (block == NULL) {
            return NULL;
        }
    }
    result = block->data + block->used;
    block->used += bytes;
    arena->total_bytes += bytes;
    return result;
}

char *
dtx_arena_string(struct dtx_arena *arena, const char *string)
{
    return dtx_arena_copy(arena, string, strlen(string) + 1, 1);
}

char *
dtx_arena_format(struct dtx_arena *arena, const char *format, ...)
{
    va_list args;
    va_list again;
    char *string = NULL;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length >= 0) {
        string = dtx_arena_alloc(arena, (size_t)length + 1, 1);
    }
    if (string != NULL) {
        vsnprintf(string, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(args);
    return string;
}

void *
dtx_arena_copy(struct dtx_arena *arena, const void *from, size_t count,
               size_t size)
{
    void *copy = dtx_arena_alloc(arena, count, size);

    if (copy != NULL && count > 0) {
        memcpy(copy, from, count * size);
    }
    return copy;
}

static void
free_blocks(struct dtx_arena_block *block)
{
    while (block != NULL) {
        struct dtx_arena_block *next = block->next;

        dtx_free(block);
        block = next;
    }
}

void
dtx_arena_reset(struct dtx_arena *arena)
{
    struct dtx_arena_block *head = arena->head;

    arena->total_bytes = 0;
    if (head != NULL) {
        free_blocks(head->next);
        head->next = NULL;
        memset(head->data, 0, head->used);
        head->used = 0;
    }
}

void
dtx_arena_finish(struct dtx_arena *arena)
{
    free_blocks(arena->head);
    *arena = (struct dtx_arena){0};
}
