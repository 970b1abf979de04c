/*
 * Values: what every element of a case's tensors is, and what it becomes.
 */
#ifndef TESTS_ENGINE_VALUES_H
#define TESTS_ENGINE_VALUES_H

#include "support/scene.h"

enum { ELEMENT_BYTES_MOST = 16 };

/* An element of a term, in the source's type; a function of its place. */
void value_of_term(const struct scene *scene, int tensor, int term,
                   int64_t element, char *out);

/* An element as the target has it: reduced and converted. */
void value_in_target(const struct scene *scene, int tensor, int64_t element,
                     char *out);

/* The element that stands at a target position for which a pending reduction
 * leaves nothing but its neutral element; false where the position has the
 * value. */
bool value_is_neutral(const struct scene *scene, int tensor, int position,
                      char *out);

/* What stands in a source's padding: anything, and on each rank another. */
void value_of_padding(enum dtx_dtype dtype, int position, char *out);

#endif
