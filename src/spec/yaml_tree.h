/*
 * YAML texts as trees of nodes, each with its place in the text.
 *
 * Only what layout files use is let through: one document of maps, lists and
 * scalars. Aliases, anchors, tags, deep nesting and duplicate keys are
 * reported where they stand; such a value becomes YAML_INVALID, so that the
 * rest can still be read and nobody reports it twice.
 */
#ifndef DTX_SPEC_YAML_TREE_H
#define DTX_SPEC_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <dtx/diagnostic.h>

#include "spec/report.h"
#include "util/arena.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP, YAML_INVALID };

enum {
    YAML_DEPTH_MAX = 16,
    YAML_KEYS_MAX = 64, /* of one map */
};

struct yaml_node {
    enum yaml_kind kind;
    bool is_plain;        /* a scalar without quotes */
    struct dtx_mark mark; /* one line of it at most */
    size_t offset;        /* bytes in the text where it begins */
    int count;            /* items of a list, pairs of a map */
    const char *text;     /* of a scalar */
    /* [count] items, or [2 * count] keys and values in turn. */
    const struct yaml_node *items;
};

static inline const struct yaml_node *
yaml_key(const struct yaml_node *map, int pair)
{
    return &map->items[2 * pair];
}

static inline const struct yaml_node *
yaml_value(const struct yaml_node *map, int pair)
{
    return &map->items[2 * pair + 1];
}

/*
 * Reads a text, UTF-8 without a byte order mark.
 *
 * report  receives what is wrong with it as YAML
 *
 * Returns the tree, in the arena; NULL after a mistake that leaves nothing to
 * go on with, or when out of memory (report->failed).
 */
const struct yaml_node *yaml_tree_read(const char *text,
                                       struct dtx_arena *arena,
                                       struct spec_report *report);

#endif
