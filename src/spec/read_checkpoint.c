/*
 * Where the checkpoint stands and in which form.
 */
#include <string.h>

#include "layout/places.h"
#include "layout/target.h"
#include "spec/codes.h"
#include "spec/reader.h"
#include "util/math.h"
#include "util/path.h"

enum { DESCRIPTION_TEXT = 256 };

/* HDF5 keeps the size of a chunk in 32 bits. */
static const int64_t chunk_elements_max = UINT32_MAX;

static void
read_template(struct spec_reader *reader, const struct yaml_node *node,
              const char *what, bool allow_name,
              struct dtx_template *template_out)
{
    struct dtx_layout *layout = reader->layout;
    const char *code = allow_name ? SPEC_DATASET_TEMPLATE : SPEC_PATH_TEMPLATE;
    const char *source;
    const char *problem;
    int offset = 0;

    if (!spec_text(&reader->report, node, what, &layout->arena, &source) ||
        !reader->axes_known) {
        return;
    }
    problem = dtx_template_parse(&layout->arena, source, &layout->mesh,
                                 allow_name, template_out, &offset);
    if (problem != NULL && strcmp(problem, "out of memory") == 0) {
        reader->report.failed = true;
    } else if (problem != NULL) {
        *template_out = (struct dtx_template){0};
        spec_error(&reader->report, code,
                   spec_mark_within(&reader->report, node, offset), "%s: %s",
                   what, problem);
    }
}

/* True where ".." stands behind a field: "{rank}/../a.h5" is one file. */
static bool
leads_up(const struct dtx_template *path)
{
    bool is_behind = false;

    for (int i = 0; i < path->part_count; i++) {
        const char *at = path->parts[i].literal;

        is_behind |= at == NULL;
        at = is_behind && at != NULL ? strstr(at, "/..") : NULL;
        while (at != NULL) {
            if (at[3] == '/' || (at[3] == '\0' && i + 1 == path->part_count)) {
                return true;
            }
            at = strstr(at + 1, "/..");
        }
    }
    return false;
}

static void
read_path(struct spec_reader *reader, const struct yaml_node *node)
{
    size_t length;

    reader->layout->path_mark = node->mark;
    read_template(reader, node, "path", false, &reader->layout->path);
    if (leads_up(&reader->layout->path)) {
        spec_error(&reader->report, SPEC_PATH_TEMPLATE, node->mark,
                   "path: '..' stands behind a field")
            ->help = "leave the folder out that it leads back from";
    }
    length = node->kind == YAML_SCALAR ? strlen(node->text) : 0;
    if (length > 0 && node->text[length - 1] == '/') {
        spec_error(&reader->report, SPEC_PATH_TEMPLATE, node->mark,
                   "path: this names a folder, not a file")
            ->help = "name the files too, as in \"step-1/rank-{rank:05}.h5\"";
    }
}

static void
read_dataset(struct spec_reader *reader, const struct yaml_node *node)
{
    static const struct yaml_node name_only = {
        .kind = YAML_SCALAR, .text = "{name}", .mark = {1, 1, 1}};

    const char *text;

    node = node != NULL ? node : &name_only;
    read_template(reader, node, "dataset", true, &reader->layout->dataset);
    text = node->kind == YAML_SCALAR ? node->text : "x";
    text += strspn(text, "/");
    if (text[0] != '\0' && dtx_path_has_idle_part(text)) {
        spec_error(&reader->report, SPEC_DATASET_TEMPLATE, node->mark,
                   "dataset: a part between slashes is empty or '.'");
    }
}

/* The first field that differs between positions, for people; NULL: none. */
static const char *
telling_field(const struct dtx_layout *layout,
              const struct dtx_template *template)
{
    const struct dtx_mesh *mesh = &layout->mesh;

    for (int i = 0; i < template->part_count; i++) {
        int field = template->parts[i].field;

        if (field == DTX_FIELD_RANK && mesh->position_count > 1) {
            return "rank";
        }
        if (field >= 0 && mesh->sizes[field] > 1) {
            return mesh->names[field];
        }
    }
    return NULL;
}

static void
check_shared(struct spec_reader *reader, const struct yaml_node *node,
             const struct dtx_template *template, const struct yaml_node *view)
{
    const char *field = telling_field(reader->layout, template);
    struct dtx_diagnostic *d;

    if (field == NULL) {
        return;
    }
    d = spec_error(&reader->report, SPEC_GLOBAL_FIELD, node->mark,
                   "'view: global' needs one place for all ranks");
    d->label = spec_format(&reader->report, "{%s} tells them apart", field);
    d->second_mark = view->mark;
    d->second_label = "every dataset holds the whole tensor";
}

static void
read_view(struct spec_reader *reader, const struct yaml_node *node,
          const struct yaml_node *path, const struct yaml_node *dataset)
{
    static const char *const words[] = {
        [DTX_VIEW_LOCAL] = "local", [DTX_VIEW_GLOBAL] = "global"};
    struct dtx_layout *layout = reader->layout;
    int index;

    if (!spec_word(&reader->report, node, "view", words, 2, &index)) {
        return;
    }
    layout->view = (enum dtx_view)index;
    if (layout->view == DTX_VIEW_LOCAL) {
        return;
    }
    if (path != NULL) {
        check_shared(reader, path, &layout->path, node);
    }
    if (dataset != NULL) {
        check_shared(reader, dataset, &layout->dataset, node);
    }
}

static void
read_chunks(struct spec_reader *reader, const struct yaml_node *node)
{
    static const struct spec_number number = {"an extent of a chunk", 1,
                                              INT64_MAX, SPEC_CHUNKS};
    struct spec_integers list;
    int64_t count = 1;

    if (!spec_integer_list(&reader->report, node, "chunks", &number,
                           &reader->layout->arena, &list)) {
        return;
    }
    if (list.count == 0 || list.count > DTX_NDIM_MAX) {
        spec_error(&reader->report, SPEC_CHUNKS, node->mark,
                   "chunks has 1 to %d extents", DTX_NDIM_MAX);
        return;
    }
    for (int i = 0; i < list.count; i++) {
        if (dtx_mul_overflows(count, list.values[i], &count) ||
            count > chunk_elements_max) {
            spec_error(&reader->report, SPEC_CHUNKS, node->mark,
                       "a chunk stays below 4 GiB");
            return;
        }
    }
    reader->layout->chunk_count = list.count;
    reader->layout->chunks = list.values;
}

static void
read_compression(struct spec_reader *reader, const struct yaml_node *node)
{
    static const char *const words[] = {"none", "gzip"};
    int index;

    if (spec_word(&reader->report, node, "compression", words, 2, &index)) {
        reader->layout->gzip = index == 1;
    }
}

static bool
ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);

    return length >= end && strcmp(text + length - end, ending) == 0;
}

/* What dtx itself names so would be replaced, or replace it. */
static bool
is_name_of_ours(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".journal") ||
           ends_with(path, DTX_TEMPORARY_ENDING);
}

static void
read_global(struct spec_reader *reader, const struct yaml_node *node,
            const struct yaml_node *path)
{
    struct dtx_layout *layout = reader->layout;
    const char *text;

    if (!spec_text(&reader->report, node, "global", &layout->arena, &text)) {
        return;
    }
    layout->global = text;
    layout->global_mark = node->mark;
    if (ends_with(text, "/")) {
        spec_error(&reader->report, SPEC_GLOBAL_FILE, node->mark,
                   "global: this names a folder, not a file")
            ->help = "name the file too, as in \"step-1/model.h5\"";
    } else if (is_name_of_ours(text)) {
        spec_error(&reader->report, SPEC_GLOBAL_FILE, node->mark,
                   "global: a name like this is dtx's own")
            ->help = "an HDF5 file is written, as in \"model.h5\"";
    } else if (path != NULL && path->kind == YAML_SCALAR &&
               (path->text[0] == '/') != (text[0] == '/')) {
        spec_error(&reader->report, SPEC_GLOBAL_FILE, node->mark,
                   "'global' and 'path' are to be both relative, or both "
                   "absolute")
            ->help = "the file finds its parts relative to itself";
    }
}

/* How files are stored is the writer's choice; a reader sees it in them. */
static void
warn_of_storage(struct spec_reader *reader, const struct yaml_node *map,
                const char *name)
{
    const struct yaml_node *key = spec_find_key(map, name);

    if (key == NULL || reader->role != DTX_SOURCE ||
        reader->layout->is_manifest) {
        return;
    }
    spec_warning(&reader->report, SPEC_OTHER_SIDE, key->mark,
                 "'%s' counts only in a target", name)
        ->help = "a source is read however it is stored";
}

/* What fields are to tell apart must be apart, whatever the coordinates. */
static void
check_places(struct spec_reader *reader)
{
    const struct dtx_layout *layout = reader->layout;
    struct dtx_diagnostic *d = NULL;
    char texts[2][DESCRIPTION_TEXT];
    int positions[2];

    if (layout->path.part_count == 0 || layout->dataset.part_count == 0 ||
        !reader->sizes_known) {
        return;
    }
    switch (dtx_layout_places(layout, positions)) {
    case DTX_PLACES_APART:
        return;
    case DTX_PLACES_NO_MEMORY:
        reader->report.failed = true;
        return;
    case DTX_PLACES_UNSURE:
        d = spec_error(&reader->report, SPEC_SAME_PLACE, layout->path_mark,
                       "fields of path or dataset run into one another");
        break;
    case DTX_PLACES_ALIKE:
        for (int i = 0; i < 2; i++) {
            dtx_layout_describe_position(layout, positions[i], texts[i],
                                         DESCRIPTION_TEXT);
        }
        d = spec_error(&reader->report, SPEC_SAME_PLACE, layout->path_mark,
                       "%s and %s would have one place", texts[0], texts[1]);
        break;
    }
    d->help =
        "put something between fields, or give them a width, as in '{tp:02}'";
}

static const struct spec_key checkpoint_keys[] = {
    {"path", true},    {"dataset", false},     {"view", false},
    {"chunks", false}, {"compression", false}, {"global", false},
};

void
spec_read_checkpoint(struct spec_reader *reader, const struct yaml_node *node)
{
    const struct yaml_node *path;
    const struct yaml_node *dataset;
    const struct yaml_node *value;

    if (node == NULL ||
        !spec_map(&reader->report, node, "checkpoint", checkpoint_keys,
                  (int)(sizeof checkpoint_keys / sizeof *checkpoint_keys))) {
        return;
    }
    reader->layout->checkpoint_mark = node->mark;
    path = spec_find(node, "path");
    dataset = spec_find(node, "dataset");
    if (path != NULL) {
        read_path(reader, path);
    }
    read_dataset(reader, dataset);
    check_places(reader);
    value = spec_find(node, "view");
    if (value != NULL) {
        read_view(reader, value, path, dataset);
    }
    value = spec_find(node, "chunks");
    if (value != NULL) {
        read_chunks(reader, value);
    }
    value = spec_find(node, "compression");
    if (value != NULL) {
        read_compression(reader, value);
    }
    value = spec_find(node, "global");
    if (value != NULL) {
        read_global(reader, value, path);
    }
    warn_of_storage(reader, node, "chunks");
    warn_of_storage(reader, node, "compression");
    warn_of_storage(reader, node, "global");
}

void
spec_forget_checkpoint(struct spec_reader *reader)
{
    static const struct yaml_node rank_only = {
        .kind = YAML_SCALAR, .text = "{rank}", .mark = {1, 1, 1}};
    struct dtx_layout *layout = reader->layout;

    layout->is_memory = true;
    layout->view = DTX_VIEW_LOCAL;
    layout->chunk_count = 0;
    layout->gzip = false;
    read_template(reader, &rank_only, "path", false, &layout->path);
    read_dataset(reader, NULL);
}
