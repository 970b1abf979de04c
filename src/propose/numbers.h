/*
 * Numbers in names that an axis divides: layers over stages, experts over
 * expert-parallel ranks.
 */
#ifndef DTX_PROPOSE_NUMBERS_H
#define DTX_PROPOSE_NUMBERS_H

#include "propose/evidence.h"
#include "propose/style.h"
#include "util/names.h"
#include "util/text.h"

struct numbers {
    const struct evidence *e;
    const struct dtx_mesh *mesh;
    struct dtx_names patterns; /* "layers.{n}.**" */
    size_t entry_count, entry_capacity;
    struct numbers_entry *entries; /* [patterns.count] by axis and pattern */
    int *entry_of;                 /* [tensors * axes] -1: not numbered there */
};

struct numbers_entry {
    int axis;
    int pattern;
    bool is_local; /* each coordinate counts from 0 */
    bool is_used;
    bool is_valid;
    size_t count, capacity;
    struct numbers_of {
        int64_t number;
        int coordinate; /* the only one that has it; -1: several have */
    } * numbers;
};

/* The next component of a name that is a number, from *at; false where there
 * is none. *at goes behind it. */
bool numbers_next(const char *name, size_t *at, int64_t *number_out);

/* Finds the entries. -1 when out of memory; to be finished even then. */
int numbers_find(struct numbers *n, const struct evidence *e,
                 const struct dtx_mesh *mesh, const enum propose_style *styles);
void numbers_finish(struct numbers *n);

/* The entry that says where a tensor is along an axis, or NULL. */
const struct numbers_entry *numbers_entry_of(const struct numbers *n,
                                             int tensor, int axis);

/* Adds `numbered:`, where there is anything to say. */
void numbers_write(const struct numbers *n, struct dtx_text *text);

#endif
