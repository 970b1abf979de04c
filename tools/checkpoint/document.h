/*
 * YAML files as trees, and copies of them with some values replaced, comments
 * and all.
 */
#ifndef CHECKPOINT_DOCUMENT_H
#define CHECKPOINT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "spec/yaml_tree.h"
#include "util/arena.h"
#include "util/text.h"

/* A part of the text and what stands in its place. */
struct edit {
    size_t offset;
    size_t length;
    const char *text;
};

struct document {
    struct dtx_arena arena;
    const char *path;
    char *text; /* owned */
    const struct yaml_node *root;
    struct edit *edits;
    size_t edit_count;
    size_t edit_capacity;
    bool failed; /* out of memory while editing */
};

/* Reads a file whose root is a map. Mistakes are drawn on standard error.
 * Finish it in any case. */
enum dtx_status document_read(const char *path, struct document *document,
                              struct dtx_error *err);
void document_finish(struct document *document);

/* The value of a key of a map, or NULL. */
const struct yaml_node *document_get(const struct yaml_node *map,
                                     const char *key);
/* A scalar as a whole number; false where it is none. */
bool document_number(const struct yaml_node *node, int64_t *number_out);

/* Replaces a scalar that stands on one line. */
void document_replace(struct document *document, const struct yaml_node *scalar,
                      const char *text);
void document_replace_number(struct document *document,
                             const struct yaml_node *scalar, int64_t number);
/* Removes a key with its value, where they have lines of their own. */
void document_remove(struct document *document, const struct yaml_node *map,
                     const char *key);

/* Adds the edited text. */
void document_render(struct document *document, struct dtx_text *text);

#endif
