/*
 * The parts of a proposed layout as text.
 */
#ifndef DTX_PROPOSE_WRITE_H
#define DTX_PROPOSE_WRITE_H

#include <stdbool.h>

#include "layout/mesh.h"
#include "util/arena.h"
#include "util/names.h"
#include "util/text.h"

/* "mesh: {dp: 2, tp: 4}", and the line's end. */
void write_mesh(struct dtx_text *text, const struct dtx_mesh *mesh);

/* "ranks: [1, 2]", and the line's end; nothing where they are 0, 1, … */
void write_ranks(struct dtx_text *text, const struct dtx_mesh *mesh);

/* Comment lines of at most so many columns after an indentation. */
void write_comment(struct dtx_text *text, int indent, const char *comment);

/* What the rule of a tensor must say. */
struct proposed_tensor {
    const char *name;
    const char *body; /* all of the rule but its name; interned: equal ones
                         are the same pointer */
    const char *note; /* a comment, interned; NULL: none */
};

/*
 * Adds rules that give each tensor its own body: one for all names that differ
 * only in their numbers where that is right, else one a tensor. What most
 * rules would say is left to "**" at the end.
 *
 * plain           the body of replicas, interned like the others
 * is_plain_last   leaves these to "**", where there are any
 *
 * -1 when out of memory.
 */
int write_rules(struct dtx_text *text, const struct proposed_tensor *tensors,
                int count, const char *plain, bool is_plain_last);

#endif
