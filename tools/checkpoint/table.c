#include "table.h"

#include <string.h>

#include "util/error.h"

static const char *
get_text(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *node = document_get(map, key);

    if (node == NULL || node->kind != YAML_SCALAR ||
        (node->is_plain && strcmp(node->text, "null") == 0)) {
        return NULL;
    }
    return node->text;
}

static int64_t
get_number(const struct yaml_node *map, const char *key, int64_t otherwise)
{
    int64_t number;

    return document_number(document_get(map, key), &number) ? number
                                                            : otherwise;
}

static bool
read_shape(const struct yaml_node *shape, struct table_entry *entry)
{
    if (shape == NULL || shape->kind != YAML_LIST ||
        shape->count > DTX_NDIM_MAX) {
        return false;
    }
    entry->ndim = shape->count;
    for (int d = 0; d < shape->count; d++) {
        if (!document_number(&shape->items[d], &entry->shape[d])) {
            return false;
        }
    }
    return true;
}

static bool
read_keys(const struct yaml_node *range, struct table_entry *entry)
{
    if (range == NULL) {
        return true;
    }
    if (range->kind != YAML_MAP || range->count > TABLE_KEY_MAX) {
        return false;
    }
    entry->key_count = range->count;
    for (int i = 0; i < range->count; i++) {
        const struct yaml_node *limits = yaml_value(range, i);
        struct table_key *key = &entry->keys[i];

        if (limits->kind != YAML_LIST || limits->count != 2 ||
            yaml_key(range, i)->kind != YAML_SCALAR ||
            !document_number(&limits->items[0], &key->first) ||
            !document_number(&limits->items[1], &key->last)) {
            return false;
        }
        key->name = yaml_key(range, i)->text;
    }
    return true;
}

static enum table_stage
read_stage(const struct yaml_node *node)
{
    const char *stage = get_text(node, "pp");

    if (stage != NULL && strcmp(stage, "first") == 0) {
        return STAGE_FIRST;
    }
    return stage != NULL && strcmp(stage, "last") == 0 ? STAGE_LAST : STAGE_ANY;
}

/* A list in `fused` names equal parts; words describe what no rule can say. */
static bool
read_fused(const struct yaml_node *fused, struct table_entry *entry)
{
    if (fused == NULL) {
        return true;
    }
    if (fused->kind != YAML_LIST || entry->tp_dim < 0 || fused->count == 0) {
        return false;
    }
    entry->fused_count = fused->count;
    return entry->shape[entry->tp_dim] % fused->count == 0;
}

static const char *
read_entry(const struct yaml_node *node, struct table_entry *entry)
{
    entry->name = get_text(node, "name");
    if (entry->name == NULL) {
        return "has no name";
    }
    if (!read_shape(document_get(node, "shape"), entry)) {
        return "has no shape";
    }
    if (!read_keys(document_get(node, "range"), entry)) {
        return "has a range that is no map from keys to [first, last]";
    }
    entry->tp_dim = (int)get_number(node, "tp_dim", -1);
    if (entry->tp_dim < -1 || entry->tp_dim >= entry->ndim) {
        return "has a tp_dim that its shape lacks";
    }
    entry->ep_index = get_text(node, "ep_index");
    entry->stage = read_stage(node);
    entry->heads = get_number(node, "heads", 0);
    entry->head_dim = get_number(node, "head_dim", 0);
    if (!read_fused(document_get(node, "fused"), entry)) {
        return "is fused from parts that aren't equal";
    }
    return NULL;
}

enum dtx_status
table_read(const char *path, struct table *table, struct dtx_error *err)
{
    const struct yaml_node *tensors;
    enum dtx_status status;

    *table = (struct table){0};
    status = document_read(path, &table->document, err);
    if (status != DTX_OK) {
        return status;
    }
    tensors = document_get(table->document.root, "tensors");
    table->model = get_text(table->document.root, "model");
    if (tensors == NULL || tensors->kind != YAML_LIST) {
        return dtx_error_set(err, DTX_ERR_INVALID, "'%s' has no list 'tensors'",
                             path);
    }
    table->entry_count = tensors->count;
    table->entries =
        dtx_arena_alloc(&table->document.arena, (size_t)tensors->count,
                        sizeof(*table->entries));
    if (table->entries == NULL) {
        return dtx_error_memory(err);
    }
    for (int i = 0; i < tensors->count; i++) {
        const char *wrong = read_entry(&tensors->items[i], &table->entries[i]);

        if (wrong != NULL) {
            return dtx_error_set(err, DTX_ERR_INVALID, "%s:%d: this tensor %s",
                                 path, tensors->items[i].mark.line, wrong);
        }
    }
    return DTX_OK;
}

void
table_finish(struct table *table)
{
    document_finish(&table->document);
}
