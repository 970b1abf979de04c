/*
 * Layout files: the parts of one, in the order in which they need each other.
 */
#include <string.h>

#include "spec/codes.h"
#include "spec/reader.h"
#include "spec/text_file.h"
#include "util/alloc.h"
#include "util/error.h"

/* The last two only in manifests. In memory there is no checkpoint. */
#define LAYOUT_KEYS(needs_checkpoint)                                          \
    {                                                                          \
        {"mesh", false}, {"ranks", false}, {"checkpoint", needs_checkpoint},   \
            {"split", false}, {"tensors", true}, {"numbered", false},          \
            {"catalog", false}, {"rename", false}, {"dtx", false},             \
            {"files", false},                                                  \
    }
static const struct spec_key layout_keys[] = LAYOUT_KEYS(true);
static const struct spec_key memory_keys[] = LAYOUT_KEYS(false);
enum {
    MANIFEST_KEY_COUNT = sizeof layout_keys / sizeof *layout_keys,
    LAYOUT_KEY_COUNT = MANIFEST_KEY_COUNT - 2,
    MANIFEST_VERSION = 1,
};

/* `dtx: {manifest: 1}` makes a manifest of a layout. */
static void
read_version(struct spec_reader *reader, const struct yaml_node *node)
{
    static const struct spec_key keys[] = {{"manifest", true}};
    static const struct spec_number number = {"the version of a manifest", 1,
                                              INT64_MAX, SPEC_VERSION};
    const struct yaml_node *value;
    int64_t version = 0;

    reader->layout->is_manifest = true;
    if (!spec_map(&reader->report, node, "dtx", keys, 1)) {
        return;
    }
    value = spec_find(node, "manifest");
    if (value != NULL &&
        spec_integer(&reader->report, value, &number, &version) &&
        version != MANIFEST_VERSION) {
        spec_error(&reader->report, SPEC_VERSION, value->mark,
                   "this manifest is of version %lld, known is %d",
                   (long long)version, MANIFEST_VERSION)
            ->help = "a newer dtx wrote it";
    }
}

static void
read_split(struct spec_reader *reader, const struct yaml_node *node)
{
    if (node != NULL) {
        reader->layout->split_mark = node->mark;
        (void)spec_split(&reader->report, node, &reader->layout->split);
    }
}

static void
read_catalog(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_layout *layout = reader->layout;

    if (node != NULL) {
        layout->catalog_mark = node->mark;
        (void)spec_text(&reader->report, node, "catalog", &layout->arena,
                        &layout->catalog);
    }
}

/* A layout can be the target of one run and the source of the next. */
static void
warn_of_side(struct spec_reader *reader, const struct yaml_node *root,
             const char *name, enum dtx_role side)
{
    const struct yaml_node *key = spec_find_key(root, name);

    if (key == NULL || reader->role == side || reader->role == DTX_MEMORY ||
        reader->role == DTX_COMPARED) {
        return;
    }
    spec_warning(&reader->report, SPEC_OTHER_SIDE, key->mark,
                 "'%s' counts only in a %s", name,
                 side == DTX_SOURCE ? "source" : "target")
        ->help = "it changes nothing here";
}

static void
read_files(struct spec_reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *key = spec_find_key(root, "files");

    if (key != NULL && !reader->layout->is_manifest) {
        spec_error(&reader->report, SPEC_MANIFEST_ONLY, key->mark,
                   "'files' stands in manifests only");
    } else if (key != NULL) {
        spec_read_files(reader, spec_find(root, "files"));
    }
}

static void
read_root(struct spec_reader *reader, const struct yaml_node *root)
{
    bool is_manifest =
        root->kind == YAML_MAP && (spec_find_key(root, "dtx") != NULL ||
                                   spec_find_key(root, "files") != NULL);

    if (!spec_map(&reader->report, root, "a layout",
                  reader->role == DTX_MEMORY ? memory_keys : layout_keys,
                  is_manifest ? MANIFEST_KEY_COUNT : LAYOUT_KEY_COUNT)) {
        return;
    }
    if (spec_find(root, "dtx") != NULL) {
        read_version(reader, spec_find(root, "dtx"));
    }
    spec_read_mesh(reader, spec_find(root, "mesh"));
    spec_read_ranks(reader, spec_find(root, "ranks"));
    read_split(reader, spec_find(root, "split"));
    spec_read_checkpoint(reader, spec_find(root, "checkpoint"));
    if (reader->role == DTX_MEMORY) {
        spec_forget_checkpoint(reader);
    }
    spec_read_rules(reader, spec_find(root, "tensors"));
    spec_read_numbered(reader, spec_find(root, "numbered"));
    spec_read_renames(reader, spec_find(root, "rename"));
    read_catalog(reader, spec_find(root, "catalog"));
    read_files(reader, root);
    warn_of_side(reader, root, "rename", DTX_TARGET);
    warn_of_side(reader, root, "catalog", DTX_SOURCE);
}

/* Copies what the layout keeps of its own. */
static bool
start(struct spec_reader *reader, const char *text, const char *file,
      const char *folder)
{
    struct dtx_layout *layout = reader->layout;

    layout->text =
        dtx_arena_string(&layout->arena, text + spec_mark_length(text));
    layout->file = dtx_arena_string(&layout->arena, file);
    layout->folder = dtx_arena_string(&layout->arena, folder);
    reader->report.text = layout->text;
    reader->report.file = layout->file;
    return layout->text != NULL && layout->file != NULL &&
           layout->folder != NULL;
}

static enum dtx_status
read_text(struct spec_reader *reader, struct dtx_error *err)
{
    const struct yaml_node *root =
        yaml_tree_read(reader->layout->text, &reader->scratch, &reader->report);
    enum dtx_status status;

    if (root != NULL) {
        read_root(reader, root);
    }
    status = spec_report_status(&reader->report, err);
    if (status == DTX_OK && !dtx_layout_index_rules(reader->layout)) {
        status = dtx_error_memory(err);
    }
    return status;
}

enum dtx_status
dtx_layout_parse(const char *text, const char *file, const char *folder,
                 enum dtx_role role, struct dtx_diagnostics *list,
                 struct dtx_layout **layout_out, struct dtx_error *err)
{
    struct spec_reader reader = {.role = role};
    enum dtx_status status;

    reader.layout = dtx_alloc(1, sizeof *reader.layout);
    if (reader.layout == NULL) {
        return dtx_error_memory(err);
    }
    status = start(&reader, text, file, folder) ? read_text(&reader, err)
                                                : dtx_error_memory(err);
    spec_report_deliver(&reader.report, list);
    spec_report_finish(&reader.report);
    dtx_arena_finish(&reader.scratch);
    if (status == DTX_OK) {
        *layout_out = reader.layout;
    } else {
        dtx_layout_destroy(reader.layout);
    }
    return status;
}
