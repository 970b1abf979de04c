#include "manifest/path.h"

#include <string.h>

#include "manifest/manifest.h"

/* True where all positions have the same path. */
static bool
is_one_file(const struct dtx_template *path)
{
    for (int i = 0; i < path->part_count; i++) {
        if (path->parts[i].field != DTX_FIELD_LITERAL) {
            return false;
        }
    }
    return true;
}

size_t
manifest_folder_length(const struct dtx_template *path)
{
    const char *slash;

    if (!is_one_file(path)) {
        return (size_t)dtx_template_folder_length(path);
    }
    slash = strrchr(path->source, '/');
    return slash == NULL ? 0 : (size_t)(slash - path->source) + 1;
}

/* Adds text of a template without fields: "{{" is a brace. */
static void
add_literal(struct dtx_text *text, const char *source, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        i += (source[i] == '{' || source[i] == '}') && i + 1 < length;
        dtx_text_add_bytes(text, source + i, 1);
    }
}

void
manifest_add_folder(const struct dtx_layout *target, struct dtx_text *text)
{
    const char *source = target->path.source;
    size_t length = strlen(target->folder);

    if (source[0] != '/' && length > 0 && strcmp(target->folder, ".") != 0) {
        dtx_text_add(text, target->folder);
        dtx_text_add(text, target->folder[length - 1] == '/' ? "" : "/");
    }
    add_literal(text, source, manifest_folder_length(&target->path));
}

void
dtx_manifest_path(const struct dtx_layout *target, struct dtx_text *path)
{
    if (is_one_file(&target->path)) {
        dtx_layout_file(target, 0, path);
        dtx_text_add(path, ".manifest.yaml");
        return;
    }
    manifest_add_folder(target, path);
    dtx_text_add(path, "manifest.yaml");
}

void
dtx_manifest_journal_path(const struct dtx_layout *target,
                          struct dtx_text *path)
{
    dtx_manifest_path(target, path);
    if (!path->failed) {
        path->length -= strlen("yaml");
        path->data[path->length] = '\0';
    }
    dtx_text_add(path, "journal");
}
