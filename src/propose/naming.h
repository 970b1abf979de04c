/*
 * Naming: the fields in the names of a checkpoint's files.
 *
 * Names are cut into text and numbers. All must have the same text; a number
 * that differs is a field: an axis, where the word before it names one, or
 * the rank.
 */
#ifndef DTX_PROPOSE_NAMING_H
#define DTX_PROPOSE_NAMING_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>

#include "layout/limits.h"
#include "util/arena.h"

/* A stretch of all names. */
struct name_part {
    bool is_number;
    const char *text; /* of the first name; not ended */
    int length;
    int field; /* numbers: into fields; -1: the same in all names */
};

struct name_field {
    const char *axis; /* NULL: the rank */
    int part;         /* the first that has it */
    int width;        /* zero-padded to it; 0: none */
    int size;         /* of an axis */
};

struct naming {
    struct dtx_arena arena;
    int file_count;
    int part_count;
    struct name_part *parts;
    int64_t *numbers; /* [file_count * part_count] */
    int *digits;      /* [file_count * part_count] how many each has */
    int field_count;
    struct name_field fields[DTX_AXIS_MAX + 1];
};

/* Finds the fields. Fails with DTX_ERR_SOURCE where the names differ in their
 * text, or have no usable fields. To be finished even then. */
enum dtx_status naming_find(struct naming *n, const char *const *paths,
                            int path_count, struct dtx_error *err);
void naming_finish(struct naming *n);

/* The number that a file has in a field. */
int64_t naming_number(const struct naming *n, int file, int field);

#endif
