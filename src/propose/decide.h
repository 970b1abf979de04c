/*
 * Decisions: what each axis does to each group of tensors, from evidence, and
 * where that doesn't tell from convention.
 */
#ifndef DTX_PROPOSE_DECIDE_H
#define DTX_PROPOSE_DECIDE_H

#include "propose/evidence.h"
#include "propose/style.h"
#include "util/text.h"

/* Why a dim was taken. */
enum decide_reason {
    TOLD,      /* by shapes */
    BY_CUSTOM, /* by the tensor's name */
    GUESSED
};

struct decision {
    int dim; /* that the axis shards; -1: none */
    enum decide_reason reason;
    bool is_untold; /* whether it shards is not known: values are constant */
    bool is_term;   /* a scalar that differs */
};

struct decisions {
    const struct evidence *e;
    const struct dtx_catalog *table; /* or NULL */
    const struct dtx_mesh *mesh;
    enum propose_style styles[DTX_AXIS_MAX];
    int64_t width; /* of the model: how long most whole vectors are; -1 */
    bool inputs_first;
    /* [groups * axes] */
    struct axis_evidence *evidence;
    struct decision *decisions;
};

/* Decides. mesh's axes without a name (NULL) get one. -1 when out of memory;
 * to be finished even then. */
int decide(struct decisions *d, const struct evidence *e,
           const struct dtx_catalog *table, struct dtx_mesh *mesh,
           struct dtx_arena *arena);
void decisions_finish(struct decisions *d);

const struct decision *decide_get(const struct decisions *d, int group,
                                  int axis);

/* The whole extent of a group's dim, as its shards add up. */
int64_t decide_stored(const struct decisions *d, int group, int dim);

/* The logical extent that the table gives, or -1. */
int64_t decide_logical(const struct decisions *d, int group, int dim);

#endif
