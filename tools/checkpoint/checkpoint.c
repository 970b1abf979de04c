#include "checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "element.h"
#include "layout/listing.h"
#include "util/error.h"
#include "util/names.h"
#include "util/text.h"

/* Draws what is in a list; its errors then need no further words. */
static void
draw(const struct dtx_diagnostics *list)
{
    char *text = dtx_diagnostics_draw(list);

    if (text != NULL) {
        fputs(text, stderr);
    }
    dtx_string_free(text);
}

/* A layout may be a source's or a target's; each has keys of its own. */
static enum dtx_status
load_layout(const char *path, struct dtx_layout **layout_out,
            struct dtx_error *err)
{
    static const enum dtx_role roles[] = {DTX_SOURCE, DTX_TARGET};
    struct dtx_diagnostics *lists[] = {dtx_diagnostics_create(),
                                       dtx_diagnostics_create()};
    enum dtx_status status = DTX_ERR_INVALID;

    for (int i = 0; i < 2 && status == DTX_ERR_INVALID; i++) {
        status = lists[i] == NULL ? dtx_error_memory(err)
                                  : dtx_layout_load(path, roles[i], lists[i],
                                                    layout_out, err);
    }
    if (status == DTX_ERR_INVALID) {
        draw(lists[0]);
    }
    dtx_diagnostics_destroy(lists[0]);
    dtx_diagnostics_destroy(lists[1]);
    return status;
}

/* The table is read as if the layout's `catalog` named it. */
static enum dtx_status
load_table(struct checkpoint *c, struct dtx_error *err)
{
    struct dtx_layout with_table = c->layout;
    const char *path = c->options->table;
    const char *slash = strrchr(path, '/');
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    enum dtx_status status;

    with_table.catalog = slash == NULL ? path : slash + 1;
    with_table.folder = slash == NULL
                            ? "."
                            : dtx_arena_format(&c->arena, "%.*s",
                                               (int)(slash - path) + 1, path);
    if (list == NULL || with_table.folder == NULL) {
        status = dtx_error_memory(err);
    } else {
        status = dtx_catalog_load_table(&with_table, list, &c->table, err);
        draw(list);
    }
    dtx_diagnostics_destroy(list);
    return status;
}

static enum dtx_status
find_rule(struct checkpoint *c, struct tensor *tensor, struct dtx_error *err)
{
    const struct dtx_rule *rule;

    tensor->rule = dtx_layout_find_rule(&c->layout, tensor->name);
    if (tensor->rule < 0) {
        return dtx_error_set(err, DTX_ERR_INVALID, "no rule of %s matches '%s'",
                             c->options->layout, tensor->name);
    }
    rule = &c->layout.rules[tensor->rule];
    if (rule->has_dtype && rule->dtype != tensor->type.dtype) {
        dtx_error_set(
            err, DTX_ERR_INVALID, "%s gives '%s' as %s, and the table as %s",
            c->options->layout, tensor->name, dtx_dtype_name(rule->dtype),
            dtx_dtype_name(tensor->type.dtype));
        dtx_error_hint(err, "elements are checked bit for bit, not converted");
        return DTX_ERR_INVALID;
    }
    return DTX_OK;
}

static enum dtx_status
make_tensor(struct checkpoint *c, const struct dtx_table_entry *entry,
            struct tensor *tensor, struct dtx_error *err)
{
    int64_t *shape =
        dtx_arena_alloc(&c->arena, (size_t)entry->ndim, sizeof(*shape));

    tensor->name = dtx_layout_rename(&c->layout, entry->name, &c->arena);
    if (shape == NULL || tensor->name == NULL) {
        return dtx_error_memory(err);
    }
    for (int d = 0; d < entry->ndim; d++) {
        shape[d] = scale_extent(&c->options->scale, d, entry->shape[d]);
    }
    tensor->key = element_key(entry->name, c->options->seed);
    tensor->type = entry->type;
    tensor->ndim = entry->ndim;
    tensor->shape = shape;
    return find_rule(c, tensor, err);
}

static enum dtx_status
make_tensors(struct checkpoint *c, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    c->tensor_count = c->table->entry_count;
    c->tensors = dtx_arena_alloc(&c->arena, (size_t)c->tensor_count,
                                 sizeof(*c->tensors));
    if (c->tensors == NULL) {
        return dtx_error_memory(err);
    }
    for (int i = 0; i < c->tensor_count && status == DTX_OK; i++) {
        status = make_tensor(c, &c->table->entries[i], &c->tensors[i], err);
    }
    return status;
}

/* Splits a tensor once; what is wrong with its rule goes to the list. */
static enum dtx_status
check_tensor(const struct checkpoint *c, const struct tensor *t,
             struct dtx_arena *scratch, struct dtx_diagnostics *list,
             struct dtx_error *err)
{
    const struct dtx_rule *rule = &c->layout.rules[t->rule];
    int before = dtx_diagnostics_error_count(list);
    struct dtx_presence presence;

    if (dtx_tiling_create(scratch, &c->layout, rule, t->name, t->ndim, t->shape,
                          list) == NULL &&
        dtx_diagnostics_error_count(list) == before) {
        return dtx_error_memory(err);
    }
    return dtx_layout_presence(&c->layout, rule, t->name, scratch, &presence,
                               err);
}

static enum dtx_status
refuse_layout(const struct checkpoint *c, const struct dtx_diagnostics *list,
              struct dtx_error *err)
{
    draw(list);
    dtx_error_set(err, DTX_ERR_INVALID, "%s doesn't fit the tensors of %s",
                  c->options->layout, c->options->table);
    if (c->options->is_scaled) {
        dtx_error_hint(err, "`dtx-checkpoint layout` scales a layout as well");
    }
    return DTX_ERR_INVALID;
}

/* Finds the mistakes that only show with the shapes: one for each rule. */
static enum dtx_status
check_tensors(struct checkpoint *c, struct dtx_error *err)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_arena scratch = {0};
    bool *is_wrong = dtx_arena_alloc(&c->arena, (size_t)c->layout.rule_count,
                                     sizeof(*is_wrong));
    enum dtx_status status = DTX_OK;

    if (list == NULL || is_wrong == NULL) {
        dtx_diagnostics_destroy(list);
        return dtx_error_memory(err);
    }
    for (int i = 0; i < c->tensor_count && status == DTX_OK; i++) {
        const struct tensor *t = &c->tensors[i];
        int before = dtx_diagnostics_error_count(list);

        if (!is_wrong[t->rule]) {
            status = check_tensor(c, t, &scratch, list, err);
            is_wrong[t->rule] = dtx_diagnostics_error_count(list) > before;
        }
        dtx_arena_reset(&scratch);
    }
    if (status == DTX_OK && dtx_diagnostics_error_count(list) > 0) {
        status = refuse_layout(c, list, err);
    }
    dtx_arena_finish(&scratch);
    dtx_diagnostics_destroy(list);
    return status;
}

enum dtx_status
checkpoint_open(const struct options *options, struct checkpoint *c,
                struct dtx_error *err)
{
    enum dtx_status status;

    *c = (struct checkpoint){.options = options};
    status = load_layout(options->layout, &c->loaded, err);
    if (status == DTX_OK) {
        c->layout = *c->loaded;
        if (options->root != NULL) {
            c->layout.folder = options->root;
        }
        status = load_table(c, err);
    }
    if (status == DTX_OK) {
        status = make_tensors(c, err);
    }
    if (status == DTX_OK) {
        status = check_tensors(c, err);
    }
    if (status == DTX_OK) {
        c->file_count = dtx_catalog_paths(&c->layout, &c->arena,
                                          &c->position_file, &c->files);
        status = c->file_count < 0 ? dtx_error_memory(err) : DTX_OK;
    }
    return status;
}

void
checkpoint_close(struct checkpoint *c)
{
    dtx_catalog_destroy(c->table);
    dtx_layout_destroy(c->loaded);
    dtx_arena_finish(&c->arena);
}

/* The items of a file that are being gathered. */
struct gathering {
    const struct checkpoint *checkpoint;
    struct dtx_arena *arena;
    struct dtx_names paths; /* of the items so far */
    struct items *items;
};

/* Adds the dataset of a tensor and a position, unless another position has
 * the same. */
static enum dtx_status
add_item(struct gathering *g, const struct tensor *tensor, int position,
         struct dtx_error *err)
{
    const struct dtx_layout *layout = &g->checkpoint->layout;
    const char *stored =
        dtx_layout_stored_name(layout, tensor->name, position, g->arena);
    struct dtx_text path = {0};
    int index = -1;

    if (stored != NULL) {
        dtx_template_render(&layout->dataset, &layout->mesh, position, stored,
                            &path);
        index = path.failed ? -1 : dtx_names_add(&g->paths, path.data);
    }
    dtx_text_finish(&path);
    if (index < 0) {
        return dtx_error_memory(err);
    }
    if (index < g->items->count) {
        return DTX_OK;
    }
    g->items->items[g->items->count++] = (struct item){
        tensor, position, dtx_arena_string(g->arena, g->paths.strings[index])};
    return g->items->items[index].path == NULL ? dtx_error_memory(err) : DTX_OK;
}

static enum dtx_status
add_tensor(struct gathering *g, const struct tensor *tensor, int file,
           struct dtx_error *err)
{
    const struct checkpoint *c = g->checkpoint;
    const struct dtx_mesh *mesh = &c->layout.mesh;
    struct dtx_presence presence;
    enum dtx_status status =
        dtx_layout_presence(&c->layout, &c->layout.rules[tensor->rule],
                            tensor->name, g->arena, &presence, err);

    for (int p = 0; p < mesh->position_count && status == DTX_OK; p++) {
        if (c->position_file[p] == file &&
            dtx_presence_holds(&presence, mesh, p)) {
            status = add_item(g, tensor, p, err);
        }
    }
    return status;
}

enum dtx_status
checkpoint_items(const struct checkpoint *c, int file, struct dtx_arena *arena,
                 struct items *items_out, struct dtx_error *err)
{
    struct gathering g = {.checkpoint = c, .arena = arena, .items = items_out};
    enum dtx_status status = DTX_OK;
    size_t positions = 0;

    for (int p = 0; p < c->layout.mesh.position_count; p++) {
        positions += c->position_file[p] == file;
    }
    items_out->count = 0;
    items_out->items = dtx_arena_alloc(
        arena, positions * (size_t)c->tensor_count, sizeof(*items_out->items));
    if (items_out->items == NULL) {
        return dtx_error_memory(err);
    }
    for (int i = 0; i < c->tensor_count && status == DTX_OK; i++) {
        status = add_tensor(&g, &c->tensors[i], file, err);
    }
    dtx_names_finish(&g.paths);
    return status;
}

enum dtx_status
checkpoint_shard(const struct checkpoint *c, const struct item *item,
                 struct dtx_arena *arena, struct shard *shard_out,
                 struct dtx_error *err)
{
    const struct tensor *t = item->tensor;
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    const struct dtx_tiling *tiling = NULL;

    if (list != NULL) {
        tiling = dtx_tiling_create(arena, &c->layout, &c->layout.rules[t->rule],
                                   t->name, t->ndim, t->shape, list);
    }
    dtx_diagnostics_destroy(list);
    if (tiling == NULL ||
        !shard_make(&c->layout, t, tiling, item->position, arena, shard_out)) {
        return dtx_error_memory(err);
    }
    return DTX_OK;
}
