#include "util/names.h"

#include <limits.h>
#include <string.h>

#include "util/alloc.h"

enum { FIRST_SLOT_COUNT = 64 };

/* FNV-1a, 64 bits. */
static size_t
hash_string(const char *string)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *string != '\0'; string++) {
        hash = (hash ^ (unsigned char)*string) * 0x100000001b3u;
    }
    return (size_t)(hash ^ hash >> 32);
}

/* The slot where a string is or belongs; slot_count is a power of two and
 * some slot is always free. */
static size_t
find_slot(const struct dtx_names *names, const char *string)
{
    size_t slot = hash_string(string) & (names->slot_count - 1);

    while (names->slots[slot] >= 0 &&
           strcmp(names->strings[names->slots[slot]], string) != 0) {
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return slot;
}

/* Doubles the table; -1 when out of memory, and the old one still stands. */
static int
grow_slots(struct dtx_names *names)
{
    size_t slot_count =
        names->slot_count == 0 ? FIRST_SLOT_COUNT : names->slot_count * 2;
    int *slots = dtx_alloc(slot_count, sizeof *slots);

    if (slots == NULL) {
        return -1;
    }
    memset(slots, 0xFF, slot_count * sizeof *slots);
    dtx_free(names->slots);
    names->slots = slots;
    names->slot_count = slot_count;
    for (int i = 0; i < names->count; i++) {
        slots[find_slot(names, names->strings[i])] = i;
    }
    return 0;
}

int
dtx_names_add(struct dtx_names *names, const char *string)
{
    size_t count = (size_t)names->count;
    size_t slot = names->slot_count > 0 ? find_slot(names, string) : 0;
    const char *copy;

    if (names->slot_count > 0 && names->slots[slot] >= 0) {
        return names->slots[slot];
    }
    if (2 * (count + 1) > names->slot_count) {
        if (grow_slots(names) != 0) {
            return -1;
        }
        slot = find_slot(names, string);
    }
    if (names->count == INT_MAX ||
        dtx_grow(&names->strings, count, &names->capacity,
                 sizeof *names->strings) != 0) {
        return -1;
    }
    copy = dtx_arena_string(&names->arena, string);
    if (copy == NULL) {
        return -1;
    }
    names->slots[slot] = names->count;
    names->strings[names->count] = copy;
    return names->count++;
}

int
dtx_names_find(const struct dtx_names *names, const char *string)
{
    return names->slot_count == 0 ? -1 : names->slots[find_slot(names, string)];
}

void
dtx_names_finish(struct dtx_names *names)
{
    dtx_arena_finish(&names->arena);
    dtx_free(names->strings);
    dtx_free(names->slots);
    *names = (struct dtx_names){0};
}
