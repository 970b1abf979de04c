/*
 * Rules: what is said about the tensors whose name matches.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "layout/shape.h"
#include "spec/codes.h"
#include "spec/reader.h"
#include "util/glob.h"

enum { DIGEST_LENGTH = 16 };

static void
read_name(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_rule *rule)
{
    const char *problem;

    rule->mark = node->mark;
    if (!spec_text(&reader->report, node, "name", &reader->layout->arena,
                   &rule->glob)) {
        return;
    }
    problem = dtx_glob_check(rule->glob);
    if (problem != NULL) {
        spec_error(&reader->report, SPEC_GLOB, node->mark, "name: %s", problem)
            ->help = "a character is taken as it is in brackets, as in \"[[]\"";
    }
}

static int
compare_ints(const void *a, const void *b)
{
    int first = *(const int *)a;
    int second = *(const int *)b;

    return first < second ? -1 : first > second;
}

/* Reads one coordinate as written, -1 for the last. */
static bool
read_coordinate(struct spec_reader *reader, const struct yaml_node *node,
                int axis, int64_t *written)
{
    static const struct spec_number any = {"a coordinate", INT64_MIN, INT64_MAX,
                                           SPEC_COORDINATE};
    const struct dtx_mesh *mesh = &reader->layout->mesh;
    int size = mesh->sizes[axis];
    struct dtx_diagnostic *d;

    if (!spec_integer(&reader->report, node, &any, written)) {
        return false;
    }
    if (!reader->sizes_known || (*written >= -size && *written < size)) {
        return reader->sizes_known;
    }
    d = spec_error(&reader->report, SPEC_COORDINATE, node->mark,
                   "axis '%s' has no coordinate %lld", mesh->names[axis],
                   (long long)*written);
    d->help = spec_format(&reader->report, "it has %d: 0 to %d, or %d to -1",
                          size, size - 1, -size);
    return false;
}

/* [0, -1] on an axis of one is both, and no mistake; [0, 0] is one. */
static void
read_coordinates(struct spec_reader *reader, const struct yaml_node *list,
                 struct dtx_where *where)
{
    int size = reader->layout->mesh.sizes[where->axis];
    int64_t *written = spec_alloc(reader, list->count, sizeof *written);
    int *coordinates = spec_alloc(reader, list->count, sizeof *coordinates);
    bool good = written != NULL && coordinates != NULL;

    for (int i = 0; good && i < list->count; i++) {
        good =
            read_coordinate(reader, &list->items[i], where->axis, &written[i]);
        coordinates[i] = (int)(written[i] < 0 ? written[i] + size : written[i]);
    }
    if (!good) {
        return;
    }
    spec_check_distinct(reader, list, written, SPEC_COORDINATE_LIST,
                        "coordinate");
    qsort(coordinates, (size_t)list->count, sizeof *coordinates, compare_ints);
    for (int i = 0; i < list->count; i++) {
        if (i == 0 || coordinates[i] != coordinates[i - 1]) {
            coordinates[where->coordinate_count++] = coordinates[i];
        }
    }
    where->coordinates = coordinates;
}

static void
read_where_axis(struct spec_reader *reader, const struct yaml_node *key,
                const struct yaml_node *value, struct dtx_where *where)
{
    struct yaml_node single = {.kind = YAML_LIST, .count = 1, .items = value};

    where->axis = spec_axis(reader, key);
    where->mark = key->mark;
    if (where->axis < 0 || value->kind == YAML_INVALID) {
        return;
    }
    if (value->kind == YAML_LIST && value->count == 0) {
        spec_error(&reader->report, SPEC_COORDINATE_LIST, value->mark,
                   "no coordinate: nobody would hold the tensor");
        return;
    }
    read_coordinates(reader, value->kind == YAML_LIST ? value : &single, where);
}

static void
read_where(struct spec_reader *reader, const struct yaml_node *node,
           struct dtx_rule *rule)
{
    struct dtx_where *where;

    if (!spec_is(&reader->report, node, YAML_MAP, "where")) {
        return;
    }
    where = spec_alloc(reader, node->count, sizeof *where);
    if (where == NULL) {
        return;
    }
    rule->where = where;
    for (int i = 0; i < node->count; i++) {
        read_where_axis(reader, yaml_key(node, i), yaml_value(node, i),
                        &where[rule->where_count]);
        rule->where_count += where[rule->where_count].coordinate_count > 0;
    }
}

/* Reads the dimension of a key of `shape` or `pad`; known are those before it.
 * One number can be written in several ways. */
static bool
read_dim(struct spec_reader *reader, const struct yaml_node *key,
         struct dtx_extent *extent, const struct dtx_extent *known, int count)
{
    struct dtx_diagnostic *d;

    if (!spec_dim(&reader->report, key, &extent->dim)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (known[i].dim == extent->dim) {
            d = spec_error(&reader->report, SPEC_DUPLICATE, key->mark,
                           "dimension %d stands twice", extent->dim);
            d->label = "again here";
            d->second_mark = known[i].mark;
            d->second_label = "first here";
            return false;
        }
    }
    return true;
}

static bool
read_extent(struct spec_reader *reader, const struct yaml_node *node,
            struct dtx_extent *extent)
{
    static const struct spec_number number = {"an extent", 0, INT64_MAX,
                                              SPEC_EXTENT};

    extent->mark = node->mark;
    return spec_integer(&reader->report, node, &number, &extent->extent);
}

static void
read_shape_list(struct spec_reader *reader, const struct yaml_node *node,
                struct dtx_rule *rule, struct dtx_extent *shape)
{
    int64_t extents[DTX_NDIM_MAX];
    bool good = true;

    for (int i = 0; i < node->count; i++) {
        shape[i].dim = i;
        good = read_extent(reader, &node->items[i], &shape[i]) && good;
        extents[i] = shape[i].extent;
    }
    if (good && dtx_shape_count(node->count, extents) < 0) {
        spec_error(&reader->report, SPEC_EXTENT, node->mark,
                   "the number of elements does not fit in 64 bits");
        good = false;
    }
    rule->shape_is_list = good;
    rule->shape_count = good ? node->count : 0;
}

static void
read_shape_map(struct spec_reader *reader, const struct yaml_node *node,
               struct dtx_rule *rule, struct dtx_extent *shape)
{
    for (int i = 0; i < node->count; i++) {
        struct dtx_extent *extent = &shape[rule->shape_count];

        if (read_dim(reader, yaml_key(node, i), extent, shape,
                     rule->shape_count) &&
            read_extent(reader, yaml_value(node, i), extent)) {
            rule->shape_count++;
        }
    }
}

static void
read_shape(struct spec_reader *reader, const struct yaml_node *node,
           struct dtx_rule *rule)
{
    struct dtx_extent *shape;

    if (node->kind == YAML_SCALAR) {
        spec_error(&reader->report, SPEC_TYPE, node->mark,
                   "shape must be a list, or a map from dimensions");
    }
    if (node->kind != YAML_LIST && node->kind != YAML_MAP) {
        return;
    }
    if (node->count > DTX_NDIM_MAX) {
        spec_error(&reader->report, SPEC_EXTENT, node->mark,
                   "a tensor has at most %d dimensions", DTX_NDIM_MAX);
        return;
    }
    shape = spec_alloc(reader, node->count, sizeof *shape);
    if (shape == NULL) {
        return;
    }
    rule->has_shape = true;
    rule->shape_mark = node->mark;
    rule->shape = shape;
    if (node->kind == YAML_LIST) {
        read_shape_list(reader, node, rule, shape);
    } else {
        read_shape_map(reader, node, rule, shape);
    }
}

static bool
read_pad_value(struct spec_reader *reader, const struct yaml_node *node,
               struct dtx_extent *pad)
{
    static const struct spec_key keys[] = {{"multiple", true}};
    static const struct spec_number extents = {"a padded extent", 0, INT64_MAX,
                                               SPEC_PAD};
    static const struct spec_number multiples = {"multiple", 1, INT64_MAX,
                                                 SPEC_PAD};
    const struct yaml_node *multiple;

    pad->mark = node->mark;
    if (node->kind != YAML_MAP) {
        return spec_integer(&reader->report, node, &extents, &pad->extent);
    }
    pad->extent = -1;
    multiple = spec_find(node, "multiple");
    return spec_map(&reader->report, node, "a pad", keys, 1) &&
           multiple != NULL &&
           spec_integer(&reader->report, multiple, &multiples, &pad->multiple);
}

static void
read_pad(struct spec_reader *reader, const struct yaml_node *node,
         struct dtx_rule *rule)
{
    struct dtx_extent *pad;

    if (!spec_is(&reader->report, node, YAML_MAP, "pad")) {
        return;
    }
    pad = spec_alloc(reader, node->count, sizeof *pad);
    if (pad == NULL) {
        return;
    }
    rule->pad = pad;
    for (int i = 0; i < node->count; i++) {
        struct dtx_extent *extent = &pad[rule->pad_count];

        if (read_dim(reader, yaml_key(node, i), extent, pad, rule->pad_count) &&
            read_pad_value(reader, yaml_value(node, i), extent)) {
            rule->pad_count++;
        }
    }
}

/* Reads a key with a digest; NULL where it has none, or a mistake. */
static const char *
read_digest(struct spec_reader *reader, const struct yaml_node *map,
            const char *name)
{
    const struct yaml_node *key = spec_find_key(map, name);
    const struct yaml_node *value = spec_find(map, name);
    const char *digest;
    size_t length = 0;

    if (key == NULL) {
        return NULL;
    }
    if (!reader->layout->is_manifest) {
        spec_error(&reader->report, SPEC_MANIFEST_ONLY, key->mark,
                   "'%s' stands in manifests only", name);
        return NULL;
    }
    while (value->kind == YAML_SCALAR && length <= DIGEST_LENGTH &&
           strchr("0123456789abcdef", value->text[length]) != NULL &&
           value->text[length] != '\0') {
        length++;
    }
    if (value->kind != YAML_SCALAR || length != DIGEST_LENGTH ||
        value->text[length] != '\0') {
        spec_error(&reader->report, SPEC_DIGEST, value->mark,
                   "a digest is %d hexadecimal digits", DIGEST_LENGTH);
        return NULL;
    }
    digest = dtx_arena_string(&reader->layout->arena, value->text);
    reader->report.failed = reader->report.failed || digest == NULL;
    return digest;
}

static void
read_split(struct spec_reader *reader, const struct yaml_node *node,
           struct dtx_rule *rule)
{
    rule->split = reader->layout->split;
    rule->split_mark = reader->layout->split_mark;
    if (node != NULL) {
        rule->has_split = spec_split(&reader->report, node, &rule->split);
        rule->split_mark = node->mark;
    }
}

static const struct spec_key rule_keys[] = {
    {"name", true},   {"placements", false}, {"where", false},
    {"shape", false}, {"pad", false},        {"split", false},
    {"dtype", false}, {"digest", false},     {"places", false},
};
enum {
    MANIFEST_KEY_COUNT = sizeof rule_keys / sizeof *rule_keys,
    RULE_KEY_COUNT = MANIFEST_KEY_COUNT - 2
};

static void
read_rule(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_rule *rule)
{
    /* Only a manifest's rules have the last keys. */
    int key_count =
        reader->layout->is_manifest ? MANIFEST_KEY_COUNT : RULE_KEY_COUNT;
    const struct yaml_node *value;

    if (spec_find_key(node, "digest") != NULL ||
        spec_find_key(node, "places") != NULL) {
        key_count = MANIFEST_KEY_COUNT;
        rule->digest = read_digest(reader, node, "digest");
        rule->places = read_digest(reader, node, "places");
    }
    if (!spec_map(&reader->report, node, "a rule", rule_keys, key_count)) {
        return;
    }
    value = spec_find(node, "name");
    if (value != NULL) {
        read_name(reader, value, rule);
    }
    value = spec_find(node, "placements");
    if (value != NULL) {
        spec_read_placements(reader, value, rule);
    }
    value = spec_find(node, "where");
    if (value != NULL) {
        read_where(reader, value, rule);
    }
    value = spec_find(node, "shape");
    if (value != NULL) {
        read_shape(reader, value, rule);
    }
    value = spec_find(node, "pad");
    if (value != NULL) {
        read_pad(reader, value, rule);
    }
    read_split(reader, spec_find(node, "split"), rule);
    value = spec_find(node, "dtype");
    if (value != NULL) {
        rule->has_dtype = spec_dtype(&reader->report, value, &rule->dtype);
        rule->dtype_mark = value->mark;
    }
    spec_check_rule(reader, rule);
}

void
spec_read_rules(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_layout *layout = reader->layout;

    if (node == NULL || !spec_is(&reader->report, node, YAML_LIST, "tensors")) {
        return;
    }
    layout->rules = spec_alloc(reader, node->count, sizeof *layout->rules);
    for (int i = 0; i < node->count && !reader->report.failed; i++) {
        const struct yaml_node *item = &node->items[i];
        struct dtx_rule *rule = &layout->rules[i];

        rule->mark = item->mark;
        if (item->kind == YAML_MAP) {
            read_rule(reader, item, rule);
        } else {
            spec_is(&reader->report, item, YAML_MAP, "a rule");
        }
        layout->rule_count = i + 1;
    }
}
