#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "manifest/manifest.h"
#include "manifest/path.h"
#include "util/glob.h"
#include "util/path.h"

/* Readers of YAML 1.1 take some words for booleans or nothing. */
static bool
is_plain_name(const char *name)
{
    static const char *const taken[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcasecmp(name, taken[i]) == 0) {
            return false;
        }
    }
    for (const char *at = name; *at != '\0'; at++) {
        if (!isalpha((unsigned char)*at) &&
            !(at > name && (isdigit((unsigned char)*at) || *at == '_'))) {
            return false;
        }
    }
    return true;
}

/* Adds a name without quotes where every YAML reader takes it as text. */
static void
add_name(struct dtx_text *text, const char *name)
{
    if (is_plain_name(name)) {
        dtx_text_add(text, name);
    } else {
        dtx_text_quote(text, name);
    }
}

static void
add_mesh(struct dtx_text *text, const struct dtx_mesh *mesh)
{
    dtx_text_add(text, "mesh: {");
    for (int i = 0; i < mesh->axis_count; i++) {
        dtx_text_add(text, i > 0 ? ", " : "");
        add_name(text, mesh->names[i]);
        dtx_text_format(text, ": %d", mesh->sizes[i]);
    }
    dtx_text_add(text, "}\n");
    if (mesh->ranks != NULL) {
        dtx_text_add(text, "ranks: ");
        dtx_text_list(text, mesh->ranks, mesh->position_count);
        dtx_text_add(text, "\n");
    }
}

static void
add_checkpoint(struct dtx_text *text, const struct dtx_layout *target)
{
    const char *path = target->path.source;

    dtx_text_add(text, "checkpoint:\n  path: ");
    dtx_text_quote(text, path + manifest_folder_length(&target->path));
    dtx_text_add(text, "\n  dataset: ");
    dtx_text_quote(text, target->dataset.source);
    dtx_text_add(text,
                 target->view == DTX_VIEW_GLOBAL ? "\n  view: global\n" : "\n");
    if (target->chunk_count > 0) {
        dtx_text_add(text, "  chunks: ");
        dtx_text_list(text, target->chunks, target->chunk_count);
        dtx_text_add(text, "\n");
    }
    dtx_text_add(text, target->gzip ? "  compression: gzip\n" : "");
}

static void
add_ranges(struct dtx_text *text, const struct dtx_numbered *numbered,
           int coordinate)
{
    int first = numbered->range_first[coordinate];
    int end = numbered->range_first[coordinate + 1];

    dtx_text_add(text, "[");
    for (int i = first; i < end; i++) {
        const struct dtx_numbers *range = &numbered->ranges[i];

        dtx_text_add(text, i > first ? ", " : "");
        dtx_text_format(text, "%" PRId64, range->first);
        if (range->last > range->first) {
            dtx_text_format(text, "-%" PRId64, range->last);
        }
    }
    dtx_text_add(text, "]");
}

static void
add_numbered(struct dtx_text *text, const struct dtx_layout *target)
{
    dtx_text_add(text, target->numbered_count > 0 ? "numbered:\n" : "");
    for (int i = 0; i < target->numbered_count; i++) {
        const struct dtx_numbered *numbered = &target->numbered[i];
        struct dtx_text name = {0};

        dtx_text_format(&name, "%s{n}%s", numbered->glob_before,
                        numbered->glob_after);
        dtx_text_add(text, "  - {name: ");
        dtx_text_quote(text, name.failed ? "" : name.data);
        text->failed = text->failed || name.failed;
        dtx_text_finish(&name);
        dtx_text_add(text, ", axis: ");
        add_name(text, target->mesh.names[numbered->axis]);
        dtx_text_add(text, ", held: [");
        for (int c = 0; c < target->mesh.sizes[numbered->axis]; c++) {
            dtx_text_add(text, c > 0 ? ", " : "");
            add_ranges(text, numbered, c);
        }
        dtx_text_add(text,
                     numbered->stored_local ? "], stored: local}\n" : "]}\n");
    }
}

static void
add_placements(struct dtx_text *text, const struct dtx_mesh *mesh,
               const struct dtx_rule *rule)
{
    dtx_text_add(text, ", placements: {");
    for (int i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *placement = &rule->placements[i];

        dtx_text_add(text, i > 0 ? ", " : "");
        add_name(text, mesh->names[placement->axis]);
        dtx_text_add(text, ": ");
        dtx_placement_write(placement, text);
    }
    dtx_text_add(text, "}");
}

static void
add_where(struct dtx_text *text, const struct dtx_mesh *mesh,
          const struct dtx_rule *rule)
{
    if (rule->where_count == 0) {
        return;
    }
    dtx_text_add(text, ", where: {");
    for (int i = 0; i < rule->where_count; i++) {
        const struct dtx_where *where = &rule->where[i];

        dtx_text_add(text, i > 0 ? ", " : "");
        add_name(text, mesh->names[where->axis]);
        dtx_text_add(text, ": [");
        for (int c = 0; c < where->coordinate_count; c++) {
            dtx_text_format(text, "%s%d", c > 0 ? ", " : "",
                            where->coordinates[c]);
        }
        dtx_text_add(text, "]");
    }
    dtx_text_add(text, "}");
}

static void
add_pad(struct dtx_text *text, const struct dtx_rule *rule)
{
    if (rule->pad_count == 0) {
        return;
    }
    dtx_text_add(text, ", pad: {");
    for (int i = 0; i < rule->pad_count; i++) {
        const struct dtx_extent *pad = &rule->pad[i];

        dtx_text_format(text, "%s%d: ", i > 0 ? ", " : "", pad->dim);
        if (pad->multiple > 0) {
            dtx_text_format(text, "{multiple: %" PRId64 "}", pad->multiple);
        } else {
            dtx_text_format(text, "%" PRId64, pad->extent);
        }
    }
    dtx_text_add(text, "}");
}

static void
add_tensor(struct dtx_text *text, const struct dtx_layout *target,
           const struct dtx_manifest_tensor *tensor)
{
    const struct dtx_rule *rule = &target->rules[tensor->rule];
    struct dtx_text glob = {0};

    dtx_glob_quote(&glob, tensor->name);
    dtx_text_add(text, "  - {name: ");
    dtx_text_quote(text, glob.data == NULL ? "" : glob.data);
    text->failed = text->failed || glob.failed;
    dtx_text_finish(&glob);
    add_placements(text, &target->mesh, rule);
    add_where(text, &target->mesh, rule);
    add_pad(text, rule);
    if (rule->has_split) {
        dtx_text_format(text, ", split: %s", dtx_split_names[rule->split]);
    }
    if (tensor->ndim >= 0) {
        dtx_text_add(text, ", shape: ");
        dtx_text_list(text, tensor->shape, tensor->ndim);
    }
    if (tensor->dtype != DTX_RAW) {
        dtx_text_format(text, ", dtype: %s", dtx_dtype_name(tensor->dtype));
    }
    if (tensor->digest != NULL) {
        dtx_text_add(text, ", digest: ");
        dtx_text_quote(text, tensor->digest);
    }
    if (tensor->places != NULL) {
        dtx_text_add(text, ", places: ");
        dtx_text_quote(text, tensor->places);
    }
    dtx_text_add(text, "}\n");
}

static void
add_files(struct dtx_text *text, const struct dtx_manifest *manifest)
{
    struct dtx_text folder = {0};

    manifest_add_folder(manifest->target, &folder);
    dtx_text_add(text, manifest->file_count > 0 ? "files:\n" : "files: []\n");
    for (int i = 0; i < manifest->file_count && !folder.failed; i++) {
        const struct dtx_manifest_file *file = &manifest->files[i];
        struct dtx_text way = {0};

        /* What can't be told from here stays as it is: it is absolute. */
        dtx_text_add(text, "  - {path: ");
        if (dtx_path_relative(folder.data == NULL ? "" : folder.data,
                              file->path, &way)) {
            dtx_text_quote(text, way.failed ? "" : way.data);
        } else {
            dtx_text_quote(text, file->path);
        }
        dtx_text_format(text, ", bytes: %" PRIu64 "}\n", file->bytes);
        text->failed = text->failed || way.failed;
        dtx_text_finish(&way);
    }
    text->failed = text->failed || folder.failed;
    dtx_text_finish(&folder);
}

void
dtx_manifest_write(const struct dtx_manifest *manifest, struct dtx_text *text)
{
    const struct dtx_layout *target = manifest->target;

    dtx_text_add(text, "# Written by dtx when all files were complete: a "
                       "layout file of this checkpoint.\n"
                       "dtx: {manifest: 1}\n");
    add_mesh(text, &target->mesh);
    add_checkpoint(text, target);
    dtx_text_format(text, "split: %s\n", dtx_split_names[target->split]);
    add_numbered(text, target);
    dtx_text_add(text,
                 manifest->tensor_count > 0 ? "tensors:\n" : "tensors: []\n");
    for (int i = 0; i < manifest->tensor_count; i++) {
        add_tensor(text, target, &manifest->tensors[i]);
    }
    add_files(text, manifest);
}
