/*
 * What the rule of a tensor says, from decisions.
 */
#ifndef DTX_PROPOSE_RULE_H
#define DTX_PROPOSE_RULE_H

#include "propose/decide.h"
#include "propose/evidence.h"
#include "propose/numbers.h"
#include "propose/write.h"
#include "util/names.h"
#include "util/text.h"

/* A proposal while it is made. */
struct proposal {
    const struct evidence *e;
    struct dtx_mesh mesh;
    struct decisions decisions;
    struct numbers numbers;
    struct dtx_names words; /* bodies and notes */
    struct dtx_text body, note;
    struct proposed_tensor *tensors;
};

/* Sets body and note to those of a tensor. */
void rule_describe(struct proposal *p, int tensor);

#endif
