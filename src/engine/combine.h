/*
 * Putting together what each process has a part of.
 */
#ifndef DTX_ENGINE_COMBINE_H
#define DTX_ENGINE_COMBINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

/*
 * Sets each value to the XOR of all processes' values. In pieces that are
 * small however many processes there are. Collective.
 */
enum dtx_status engine_combine(struct dtx_transport *transport,
                               uint64_t *values, size_t count,
                               struct dtx_error *err);

/*
 * Sets each flag that is set on any process. What travels is the numbers of
 * those that are, which should be few. Collective and settled.
 */
enum dtx_status engine_combine_flags(struct dtx_transport *transport,
                                     bool *flags, size_t count,
                                     struct dtx_error *err);

/*
 * What all processes give, in the order of the processes, for each of them.
 * Collective and settled.
 *
 * status         of making it: a failure is everyone's, and nothing travels
 * bytes, size    what this one gives
 * all_out        [*total_out]; owned by the caller
 * total_out      in bytes
 */
enum dtx_status engine_gather(struct dtx_transport *transport,
                              enum dtx_status status, const void *bytes,
                              size_t size, char **all_out, size_t *total_out,
                              struct dtx_error *err);

/* The sum of all processes' values. Collective. */
enum dtx_status engine_sum(struct dtx_transport *transport, uint64_t value,
                           uint64_t *sum_out, struct dtx_error *err);

#endif
