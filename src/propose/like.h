/*
 * A layout for another mesh, while it is made.
 */
#ifndef DTX_PROPOSE_LIKE_H
#define DTX_PROPOSE_LIKE_H

#include "propose/propose.h"
#include "propose/style.h"
#include "util/names.h"
#include "util/text.h"

struct like {
    const struct dtx_layout *layout;
    const struct propose_known *tensors;
    int count;
    struct dtx_mesh mesh;
    enum propose_style styles[DTX_AXIS_MAX];
    int old_axis[DTX_AXIS_MAX]; /* of the layout, for each new one; or -1 */
    int new_axis[DTX_AXIS_MAX]; /* the other way round */
    int64_t width;
    bool inputs_first;
    bool has_head; /* a tensor for the output of words */
    struct dtx_names words, patterns;
    struct dtx_text body, note;
};

/* Adds `numbered:`, where there is anything to say. -1 when out of memory. */
int like_add_numbered(struct like *k, struct dtx_text *text);

#endif
