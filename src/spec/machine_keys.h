/*
 * The keys of a machine file: one table, by which it is read and written.
 */
#ifndef DTX_SPEC_MACHINE_KEYS_H
#define DTX_SPEC_MACHINE_KEYS_H

#include <stddef.h>

#include <dtx/machine.h>

enum machine_unit {
    MACHINE_RATE, /* bytes per second */
    MACHINE_SECONDS,
    MACHINE_SHARE /* above 0, at most 1 */
};

/* A number of struct dtx_machine, under its own name. */
struct machine_key {
    const char *name;
    size_t offset;
    enum machine_unit unit;
    const char *about;
    const char *group; /* a comment above it; NULL: it goes with the last */
};

extern const struct machine_key machine_keys[];
extern const int machine_key_count;

static inline double *
machine_number(struct dtx_machine *machine, const struct machine_key *key)
{
    return (double *)(void *)((char *)machine + key->offset);
}

#endif
