/*
 * Time, as the engine measures it, and what is due about once a second.
 */
#ifndef DTX_ENGINE_CLOCK_H
#define DTX_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Monotonic time. */
uint64_t engine_now_ns(void);

/* The seconds since then. */
double engine_seconds_since(uint64_t then_ns);

/* Work that shows about once a second how far it is. */
struct engine_beat {
    uint64_t begin_ns, next_ns;
};

struct engine_beat engine_beat_begin(void);

/* True where a second has gone by; the next one counts from now. seconds_out
 * is then set: since the beginning. */
bool engine_beat_is_due(struct engine_beat *beat, double *seconds_out);

#endif
