#include "copy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "document.h"
#include "util/error.h"

/* Scales the items of a list, all by one dim's factor or (dim -1) each by its
 * own. */
static void
scale_list(struct document *document, const struct scale *scale,
           const struct yaml_node *list, int dim)
{
    int64_t number;

    if (list == NULL || list->kind != YAML_LIST) {
        return;
    }
    for (int i = 0; i < list->count && i < DTX_NDIM_MAX; i++) {
        if (document_number(&list->items[i], &number)) {
            document_replace_number(
                document, &list->items[i],
                scale_extent(scale, dim < 0 ? i : dim, number));
        }
    }
}

static void
scale_number(struct document *document, const struct scale *scale,
             const struct yaml_node *scalar, int dim)
{
    int64_t number;

    if (document_number(scalar, &number)) {
        document_replace_number(document, scalar,
                                scale_extent(scale, dim, number));
    }
}

/* `shape` or `pad`: a list, or a map from dim to extent. */
static void
scale_extents(struct document *document, const struct scale *scale,
              const struct yaml_node *extents)
{
    int64_t dim;

    scale_list(document, scale, extents, -1);
    if (extents == NULL || extents->kind != YAML_MAP) {
        return;
    }
    for (int i = 0; i < extents->count; i++) {
        if (document_number(yaml_key(extents, i), &dim) && dim < DTX_NDIM_MAX) {
            scale_number(document, scale, yaml_value(extents, i),
                         dim < 0 ? 0 : (int)dim);
        }
    }
}

/* A placement as a map: its sizes, segments and block are of one dim. */
static enum dtx_status
scale_placement(struct document *document, const struct scale *scale,
                const struct yaml_node *placement, struct dtx_error *err)
{
    int64_t dim;

    if (!document_number(document_get(placement, "shard"), &dim) ||
        dim >= DTX_NDIM_MAX) {
        return DTX_OK;
    }
    if (dim < 0 && !scale_is_uniform(scale)) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "%s:%d: a dim counted from the end can be scaled "
                             "only like all others",
                             document->path, placement->mark.line);
    }
    dim = dim < 0 ? 0 : dim;
    scale_list(document, scale, document_get(placement, "sizes"), (int)dim);
    scale_list(document, scale, document_get(placement, "segments"), (int)dim);
    scale_number(document, scale, document_get(placement, "block"), (int)dim);
    return DTX_OK;
}

static enum dtx_status
scale_rule(struct document *document, const struct scale *scale,
           const struct yaml_node *rule, struct dtx_error *err)
{
    const struct yaml_node *placements = document_get(rule, "placements");
    enum dtx_status status = DTX_OK;
    bool is_map = placements != NULL && placements->kind == YAML_MAP;

    scale_extents(document, scale, document_get(rule, "shape"));
    scale_extents(document, scale, document_get(rule, "pad"));
    if (placements == NULL || (!is_map && placements->kind != YAML_LIST)) {
        return DTX_OK;
    }
    for (int i = 0; i < placements->count && status == DTX_OK; i++) {
        status = scale_placement(
            document, scale,
            is_map ? yaml_value(placements, i) : &placements->items[i], err);
    }
    return status;
}

/* Applies work to each map in the list `tensors`. */
static enum dtx_status
for_each_tensor(struct document *document, const struct scale *scale,
                enum dtx_status (*work)(struct document *, const struct scale *,
                                        const struct yaml_node *,
                                        struct dtx_error *),
                struct dtx_error *err)
{
    const struct yaml_node *tensors = document_get(document->root, "tensors");
    enum dtx_status status = DTX_OK;

    if (tensors == NULL || tensors->kind != YAML_LIST) {
        return dtx_error_set(err, DTX_ERR_INVALID, "'%s' has no list 'tensors'",
                             document->path);
    }
    for (int i = 0; i < tensors->count && status == DTX_OK; i++) {
        status = work(document, scale, &tensors->items[i], err);
    }
    return status;
}

/* An entry of a table. */
static enum dtx_status
scale_entry(struct document *document, const struct scale *scale,
            const struct yaml_node *entry, struct dtx_error *err)
{
    (void)err;
    scale_extents(document, scale, document_get(entry, "shape"));
    document_remove(document, entry, "bytes_each");
    return DTX_OK;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Writes the edited document under its own name in the folder. */
static enum dtx_status
save(struct document *document, const char *folder, struct dtx_error *err)
{
    const char *path = dtx_arena_format(&document->arena, "%s/%s", folder,
                                        base_name(document->path));
    struct dtx_text text = {0};
    FILE *file = NULL;
    bool is_written = false;

    document_render(document, &text);
    if (path == NULL || text.failed) {
        dtx_text_finish(&text);
        return dtx_error_memory(err);
    }
    file = fopen(path, "w");
    if (file != NULL) {
        is_written = fwrite(text.data, 1, text.length, file) == text.length;
        is_written = fclose(file) == 0 && is_written;
    }
    dtx_text_finish(&text);
    if (!is_written) {
        return dtx_error_set(err, DTX_ERR_TARGET, "cannot write '%s': %s", path,
                             strerror(errno));
    }
    return DTX_OK;
}

static enum dtx_status
copy_table(const char *path, const struct options *options,
           struct dtx_error *err)
{
    struct document document;
    enum dtx_status status = document_read(path, &document, err);

    if (status == DTX_OK && options->is_scaled) {
        document_remove(&document, document.root, "totals");
        document_remove(&document, document.root, "checked_against");
        status = for_each_tensor(&document, &options->scale, scale_entry, err);
    }
    if (status == DTX_OK) {
        status = save(&document, options->root, err);
    }
    document_finish(&document);
    return status;
}

/* Copies the table and lets the layout name the copy. */
static enum dtx_status
copy_catalog(struct document *document, const struct options *options,
             struct dtx_error *err)
{
    const struct yaml_node *catalog = document_get(document->root, "catalog");
    const char *file = document->path;
    const char *path;

    if (catalog == NULL || catalog->kind != YAML_SCALAR) {
        return DTX_OK;
    }
    if (options->for_target) {
        document_remove(document, document->root, "catalog");
        return DTX_OK;
    }
    path = *catalog->text == '/'
               ? catalog->text
               : dtx_arena_format(&document->arena, "%.*s%s",
                                  (int)(base_name(file) - file), file,
                                  catalog->text);
    if (path == NULL) {
        return dtx_error_memory(err);
    }
    document_replace(
        document, catalog,
        dtx_arena_format(&document->arena, "\"%s\"", base_name(path)));
    return copy_table(path, options, err);
}

/* Makes a folder and those above it. */
static enum dtx_status
make_folders(const char *path, struct dtx_arena *arena, struct dtx_error *err)
{
    char *part = dtx_arena_string(arena, path);

    if (part == NULL) {
        return dtx_error_memory(err);
    }
    for (char *at = part + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(part, 0777);
            *at = '/';
        }
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return dtx_error_set(err, DTX_ERR_TARGET,
                             "cannot make the folder '%s': %s", path,
                             strerror(errno));
    }
    return DTX_OK;
}

enum dtx_status
copy_layout(const struct options *options, struct dtx_error *err)
{
    struct document document;
    enum dtx_status status = document_read(options->layout, &document, err);

    if (status == DTX_OK) {
        status = make_folders(options->root, &document.arena, err);
    }
    if (status == DTX_OK) {
        status = copy_catalog(&document, options, err);
    }
    if (status == DTX_OK && options->is_scaled) {
        status = for_each_tensor(&document, &options->scale, scale_rule, err);
    }
    if (status == DTX_OK) {
        status = save(&document, options->root, err);
    }
    document_finish(&document);
    return status;
}
