/*
 * Fields: typed values out of YAML nodes.
 *
 * Each function reports what is wrong and returns false; a value that is
 * already known to be wrong (YAML_INVALID) is refused in silence. Outputs are
 * set on success only. `what` names the value in messages: "an extent".
 */
#ifndef DTX_SPEC_FIELDS_H
#define DTX_SPEC_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/dtype.h>

#include "layout/layout.h"
#include "spec/report.h"
#include "spec/yaml_tree.h"

/* A key that a map can have. */
struct spec_key {
    const char *name;
    bool required;
};

/* What an integer is, its range, and the code of a value beyond that. */
struct spec_number {
    const char *what; /* "an extent" */
    int64_t lo;
    int64_t hi;
    const char *code;
};

/* Numbers of a list. */
struct spec_integers {
    int count;
    const int64_t *values;
};

/* Refuses another kind than a list or map. */
bool spec_is(struct spec_report *report, const struct yaml_node *node,
             enum yaml_kind kind, const char *what);

/* A map whose keys are all known and with none missing. Goes on after a
 * mistake in the keys: false only where it is no map. */
bool spec_map(struct spec_report *report, const struct yaml_node *node,
              const char *what, const struct spec_key *keys, int key_count);

/* The value of a key, or NULL. */
const struct yaml_node *spec_find(const struct yaml_node *map,
                                  const char *name);
/* The key itself, or NULL. */
const struct yaml_node *spec_find_key(const struct yaml_node *map,
                                      const char *name);

/* A text that is not empty, copied to the arena. */
bool spec_text(struct spec_report *report, const struct yaml_node *node,
               const char *what, struct dtx_arena *arena,
               const char **text_out);

bool spec_integer(struct spec_report *report, const struct yaml_node *node,
                  const struct spec_number *number, int64_t *value_out);

/* The integers of a list, whose sum must fit; in the arena. */
bool spec_integer_list(struct spec_report *report, const struct yaml_node *node,
                       const char *what, const struct spec_number *number,
                       struct dtx_arena *arena, struct spec_integers *list_out);

/* A dimension as written, maybe negative. */
bool spec_dim(struct spec_report *report, const struct yaml_node *node,
              int *dim_out);

/* One of a few words, by its index. */
bool spec_word(struct spec_report *report, const struct yaml_node *node,
               const char *what, const char *const *words, int word_count,
               int *index_out);

bool spec_split(struct spec_report *report, const struct yaml_node *node,
                enum dtx_split *split_out);

bool spec_dtype(struct spec_report *report, const struct yaml_node *node,
                enum dtx_dtype *dtype_out);

/* The place of a byte of a scalar's text: of the field that begins there, or
 * the whole scalar where escapes make it hard to tell. */
struct dtx_mark spec_mark_within(const struct spec_report *report,
                                 const struct yaml_node *node, int offset);

/* True where a scalar is written as nothing at all, "~" or "null". */
bool spec_is_null(const struct yaml_node *node);

#endif
