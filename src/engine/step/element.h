/*
 * A tensor's element on its way: the type in which it travels, and at which
 * end it is converted.
 */
#ifndef DTX_ENGINE_STEP_ELEMENT_H
#define DTX_ENGINE_STEP_ELEMENT_H

#include "plan/plan.h"
#include "plan/step/step.h"

struct element {
    struct dtx_type src, wire, dst;
    bool converts_on_read;  /* src -> wire */
    bool converts_on_write; /* wire -> dst */
    int term_count;
};

struct element element_of(const struct dtx_plan *plan, int tensor);

/* A box of a region, dense, and where in the tensor the region's slices are. */
struct element_box {
    int ndim;
    const int64_t *lo; /* [ndim] in the region */
    const int64_t *len;
    int slice_count;
    const struct dtx_slice *slices;
};

/*
 * Says in an error which tensor and which of its elements it is about.
 *
 * box  NULL where it isn't known
 * at   the row-major number of the element in the box
 */
void element_describe(struct dtx_error *err, const char *tensor,
                      const struct element_box *box, int64_t at);

/* "the value 300 of int16 …": names the element that doesn't fit. */
enum dtx_status element_refuse(const void *element, enum dtx_dtype from,
                               enum dtx_dtype to, struct dtx_error *err);

#endif
