/*
 * Random pairs of layouts, as text, and the tensors that they are for.
 *
 * What a case says is always right: every layout parses, every tensor fits.
 * Tensors are small, so that all their elements can be gone through one by
 * one; all that the layout language has is in some case.
 */
#ifndef TESTS_SUPPORT_LAYOUT_CASE_H
#define TESTS_SUPPORT_LAYOUT_CASE_H

#include <dtx/dtype.h>

#include "support/random.h"
#include "util/text.h"

enum { CASE_TENSORS_MOST = 8, CASE_NDIM_MOST = 4, CASE_NAME_BYTES = 80 };

struct case_tensor {
    char name[CASE_NAME_BYTES];        /* global, in the source */
    char target_name[CASE_NAME_BYTES]; /* after rename */
    int ndim;
    int64_t shape[CASE_NDIM_MOST];
    enum dtx_dtype src_dtype;
    enum dtx_dtype dst_dtype;
    bool is_like_last; /* the same rules as the tensor before it */
};

struct layout_case {
    struct dtx_text source, target;
    int tensor_count;
    struct case_tensor tensors[CASE_TENSORS_MOST];
};

/* Makes a case whose meshes have at most this many positions. */
void layout_case_make(struct random *random, int positions_most,
                      struct layout_case *out);
void layout_case_finish(struct layout_case *c);

#endif
