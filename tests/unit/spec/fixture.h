/*
 * What all tests of layout files share: texts to layouts in one call.
 */
#ifndef DTX_TEST_SPEC_FIXTURE_H
#define DTX_TEST_SPEC_FIXTURE_H

#include <criterion/criterion.h>

#include <dtx/catalog.h>

#include "layout/layout.h"

/* A layout with whatever was said about it. */
struct parsed {
    enum dtx_status status;
    struct dtx_error err;
    struct dtx_layout *layout; /* NULL after a mistake */
    char *drawing;
    int error_count;
    int warning_count;
};

struct parsed parse_as(const char *text, enum dtx_role role);
/* A text with one rule's keys put in: "mesh: {dp: 2, tp: 4}" stands before. */
struct parsed parse_rule(const char *rule);
struct parsed load_as(const char *path, enum dtx_role role);
void parsed_finish(struct parsed *parsed);

/* Checks that a text is right and gives its layout. */
struct parsed parse_right(const char *text);

/* The whole of a file; to be freed with free(). */
char *read_file(const char *path);

/* Starts the text of a layout whose mesh is {dp: 2, tp: 4}. */
#define HEAD                                                                   \
    "mesh: {dp: 2, tp: 4}\n"                                                   \
    "checkpoint: {path: \"step/rank-{rank:05}.h5\"}\n"

#endif
