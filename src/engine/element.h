/*
 * A tensor's element on its way: the type in which it travels, and at which
 * end it is converted.
 */
#ifndef DTX_ENGINE_ELEMENT_H
#define DTX_ENGINE_ELEMENT_H

#include "plan/plan.h"

struct element {
    struct dtx_type src, wire, dst;
    bool converts_on_read;  /* src -> wire */
    bool converts_on_write; /* wire -> dst */
    int term_count;
};

struct element element_of(const struct dtx_plan *plan, int tensor);

/* "no value of float16 …": names the element that doesn't fit. */
enum dtx_status element_refuse(const struct dtx_plan *plan, int tensor,
                               enum dtx_dtype from, enum dtx_dtype to,
                               const void *element, struct dtx_error *err);

#endif
