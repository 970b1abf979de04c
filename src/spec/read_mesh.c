/*
 * The mesh and the ranks of its positions.
 */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "spec/codes.h"
#include "spec/reader.h"

void *
spec_alloc(struct spec_reader *reader, int count, size_t size)
{
    void *memory = dtx_arena_alloc(&reader->layout->arena, (size_t)count, size);

    reader->report.failed = reader->report.failed || memory == NULL;
    return memory;
}

int
spec_axis(struct spec_reader *reader, const struct yaml_node *node)
{
    const struct dtx_mesh *mesh = &reader->layout->mesh;
    struct dtx_diagnostic *d;
    int axis;

    if (node->kind == YAML_INVALID) {
        return -1;
    }
    if (node->kind != YAML_SCALAR) {
        spec_error(&reader->report, SPEC_TYPE, node->mark,
                   "an axis is given by its name");
        return -1;
    }
    axis = dtx_mesh_find_axis(mesh, node->text);
    if (axis >= 0 || !reader->axes_known) {
        return axis;
    }
    d = spec_error(&reader->report, SPEC_UNKNOWN_AXIS, node->mark,
                   "the mesh has no axis '%s'", node->text);
    d->help = mesh->axis_count == 0
                  ? "the mesh has no axes: it is a single rank"
                  : spec_did_you_mean(&reader->report, node->text, mesh->names,
                                      mesh->axis_count);
    return -1;
}

/* Axis names stand in templates as fields, beside {rank} and {name}. */
static bool
is_axis_name(const char *name)
{
    if (isdigit((unsigned char)name[0]) || name[0] == '\0') {
        return false;
    }
    for (; *name != '\0'; name++) {
        if (!isalnum((unsigned char)*name) && *name != '_') {
            return false;
        }
    }
    return true;
}

static bool
check_axis_name(struct spec_reader *reader, const struct yaml_node *key)
{
    if (!is_axis_name(key->text)) {
        spec_error(&reader->report, SPEC_AXIS_NAME, key->mark,
                   "'%s' can't name an axis", key->text)
            ->help = "an axis name is made of letters, digits and '_'";
        return false;
    }
    if (strcmp(key->text, "rank") == 0 || strcmp(key->text, "name") == 0) {
        spec_error(&reader->report, SPEC_AXIS_NAME, key->mark,
                   "an axis can't be named '%s'", key->text)
            ->help =
            spec_format(&reader->report,
                        "{%s} means something else in templates", key->text);
        return false;
    }
    return true;
}

static void
read_axis(struct spec_reader *reader, const struct yaml_node *key,
          const struct yaml_node *value)
{
    static const struct spec_number number = {"the size of an axis", 1, INT_MAX,
                                              SPEC_AXIS_SIZE};
    struct dtx_mesh *mesh = &reader->layout->mesh;
    int64_t size = 1;

    if (key->kind != YAML_SCALAR || !check_axis_name(reader, key)) {
        reader->axes_known = false;
        reader->sizes_known = false;
        return;
    }
    if (!spec_integer(&reader->report, value, &number, &size)) {
        reader->sizes_known = false;
    }
    mesh->names[mesh->axis_count] =
        dtx_arena_string(&reader->layout->arena, key->text);
    if (mesh->names[mesh->axis_count] == NULL) {
        reader->report.failed = true;
        return;
    }
    mesh->sizes[mesh->axis_count++] = (int)size;
}

static void
read_axes(struct spec_reader *reader, const struct yaml_node *node)
{
    for (int i = 0; i < node->count; i++) {
        const struct yaml_node *key = yaml_key(node, i);

        if (reader->layout->mesh.axis_count == DTX_AXIS_MAX) {
            spec_error(&reader->report, SPEC_AXIS_COUNT, key->mark,
                       "a mesh has at most %d axes", DTX_AXIS_MAX);
            reader->axes_known = false;
            reader->sizes_known = false;
            return;
        }
        read_axis(reader, key, yaml_value(node, i));
    }
}

/* A mesh in which every later step finds its way, whatever was wrong. */
static void
make_single(struct dtx_mesh *mesh)
{
    for (int i = 0; i < mesh->axis_count; i++) {
        mesh->sizes[i] = 1;
        mesh->strides[i] = 1;
    }
    mesh->position_count = 1;
}

void
spec_read_mesh(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_mesh *mesh = &reader->layout->mesh;

    reader->axes_known = true;
    reader->sizes_known = true;
    if (node != NULL && !spec_is(&reader->report, node, YAML_MAP, "mesh")) {
        reader->axes_known = false;
        reader->sizes_known = false;
    } else if (node != NULL) {
        read_axes(reader, node);
    }
    if (reader->sizes_known && !dtx_mesh_finish(mesh)) {
        spec_error(&reader->report, SPEC_POSITION_COUNT, node->mark,
                   "the mesh has more than %d positions", INT_MAX);
        reader->sizes_known = false;
    }
    if (!reader->sizes_known) {
        make_single(mesh);
    }
}

void
spec_read_ranks(struct spec_reader *reader, const struct yaml_node *node)
{
    static const struct spec_number number = {"a rank", 0, INT64_MAX,
                                              SPEC_RANK};
    struct dtx_mesh *mesh = &reader->layout->mesh;
    int64_t *ranks;
    bool good = true;

    if (node == NULL || !spec_is(&reader->report, node, YAML_LIST, "ranks")) {
        return;
    }
    ranks = spec_alloc(reader, node->count, sizeof *ranks);
    for (int i = 0; ranks != NULL && i < node->count; i++) {
        good = spec_integer(&reader->report, &node->items[i], &number,
                            &ranks[i]) &&
               good;
    }
    if (ranks == NULL || !good) {
        return;
    }
    spec_check_distinct(reader, node, ranks, SPEC_RANK_TWICE, "rank");
    if (reader->sizes_known && node->count != mesh->position_count) {
        spec_error(&reader->report, SPEC_RANK_COUNT, node->mark,
                   "%d ranks for a mesh of %d", node->count,
                   mesh->position_count);
        return;
    }
    mesh->ranks = ranks;
}
