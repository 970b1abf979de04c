/*
 * Levelling: an amount divided among holders of loads, so that the largest of
 * the loads becomes as small as possible.
 */
#ifndef DTX_PLAN_SEND_LEVEL_H
#define DTX_PLAN_SEND_LEVEL_H

#include <stdint.h>

struct dtx_level_part {
    int64_t load;       /* before */
    int64_t amount;     /* set: what it takes on top */
    int index, process; /* the caller's */
};

/* Divides total >= 0 among count >= 1 parts, which are reordered: the least
 * loaded are filled up to one level. */
void dtx_level(struct dtx_level_part *parts, int count, int64_t total);

#endif
