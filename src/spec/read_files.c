/*
 * `files` of a manifest: what was written, and how large each file is.
 */
#include "spec/codes.h"
#include "spec/reader.h"

static void
read_file(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_written_file *file)
{
    static const struct spec_key keys[] = {{"path", true}, {"bytes", true}};
    static const struct spec_number number = {"bytes", 0, INT64_MAX,
                                              SPEC_FILE_BYTES};
    const struct yaml_node *value;

    if (!spec_map(&reader->report, node, "a file", keys, 2)) {
        return;
    }
    value = spec_find(node, "path");
    if (value != NULL) {
        (void)spec_text(&reader->report, value, "path", &reader->layout->arena,
                        &file->path);
    }
    value = spec_find(node, "bytes");
    if (value != NULL) {
        (void)spec_integer(&reader->report, value, &number, &file->bytes);
    }
}

void
spec_read_files(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_layout *layout = reader->layout;
    struct dtx_written_file *files;

    if (!spec_is(&reader->report, node, YAML_LIST, "files")) {
        return;
    }
    files = spec_alloc(reader, node->count, sizeof *files);
    if (files == NULL) {
        return;
    }
    for (int i = 0; i < node->count; i++) {
        read_file(reader, &node->items[i], &files[i]);
    }
    layout->written_file_count = node->count;
    layout->written_files = files;
}
