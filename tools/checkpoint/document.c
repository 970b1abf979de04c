#include "document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

static enum dtx_status
read_text(const char *path, char **text_out, struct dtx_error *err)
{
    struct dtx_text text = {0};
    char buffer[1 << 14];
    FILE *file = fopen(path, "r");
    size_t count;

    if (file == NULL) {
        return dtx_error_set(err, DTX_ERR_SOURCE, "cannot open '%s': %s", path,
                             strerror(errno));
    }
    dtx_text_add(&text, "");
    while ((count = fread(buffer, 1, sizeof(buffer), file)) > 0) {
        dtx_text_add_bytes(&text, buffer, count);
    }
    if (ferror(file)) {
        dtx_error_set(err, DTX_ERR_SOURCE, "cannot read '%s': %s", path,
                      strerror(errno));
    } else if (text.failed) {
        dtx_error_memory(err);
    } else {
        *text_out = text.data;
        fclose(file);
        return DTX_OK;
    }
    fclose(file);
    dtx_text_finish(&text);
    return err->status;
}

static void
draw(struct spec_report *report)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char *text = NULL;

    if (list != NULL) {
        spec_report_deliver(report, list);
        text = dtx_diagnostics_draw(list);
    }
    if (text != NULL) {
        fputs(text, stderr);
    }
    dtx_string_free(text);
    dtx_diagnostics_destroy(list);
}

enum dtx_status
document_read(const char *path, struct document *document,
              struct dtx_error *err)
{
    struct spec_report report = {.file = path};
    enum dtx_status status;

    *document = (struct document){.path = path};
    status = read_text(path, &document->text, err);
    if (status != DTX_OK) {
        return status;
    }
    report.text = document->text;
    document->root = yaml_tree_read(document->text, &document->arena, &report);
    if (report.failed) {
        status = dtx_error_memory(err);
    } else if (report.error_count > 0 || document->root == NULL ||
               document->root->kind != YAML_MAP) {
        draw(&report);
        status = dtx_error_set(err, DTX_ERR_INVALID,
                               "'%s' isn't a map of keys in YAML", path);
    }
    spec_report_finish(&report);
    return status;
}

void
document_finish(struct document *document)
{
    dtx_free(document->text);
    dtx_free(document->edits);
    dtx_arena_finish(&document->arena);
}

const struct yaml_node *
document_get(const struct yaml_node *map, const char *key)
{
    if (map == NULL || map->kind != YAML_MAP) {
        return NULL;
    }
    for (int i = 0; i < map->count; i++) {
        const struct yaml_node *name = yaml_key(map, i);

        if (name->kind == YAML_SCALAR && strcmp(name->text, key) == 0) {
            return yaml_value(map, i);
        }
    }
    return NULL;
}

bool
document_number(const struct yaml_node *node, int64_t *number_out)
{
    char *end;

    if (node == NULL || node->kind != YAML_SCALAR || *node->text == '\0') {
        return false;
    }
    *number_out = strtoll(node->text, &end, 10);
    return *end == '\0';
}

static void
add_edit(struct document *document, size_t offset, size_t length,
         const char *text)
{
    if (text == NULL ||
        dtx_grow(&document->edits, document->edit_count,
                 &document->edit_capacity, sizeof(*document->edits)) != 0) {
        document->failed = true;
        return;
    }
    document->edits[document->edit_count++] =
        (struct edit){offset, length, text};
}

void
document_replace(struct document *document, const struct yaml_node *scalar,
                 const char *text)
{
    const char *begin = document->text + scalar->offset;
    const char *end = begin;

    /* The mark counts code points. */
    for (int i = 0; i < scalar->mark.length; i++) {
        do {
            end++;
        } while ((*end & 0xc0) == 0x80);
    }
    add_edit(document, scalar->offset, (size_t)(end - begin),
             dtx_arena_string(&document->arena, text));
}

void
document_replace_number(struct document *document,
                        const struct yaml_node *scalar, int64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)number);
    document_replace(document, scalar, text);
}

void
document_remove(struct document *document, const struct yaml_node *map,
                const char *key)
{
    size_t begin = 0;
    const char *end;

    for (int i = 0; i < map->count; i++) {
        const struct yaml_node *name = yaml_key(map, i);

        if (name->kind != YAML_SCALAR || strcmp(name->text, key) != 0) {
            continue;
        }
        begin = name->offset;
        while (begin > 0 && document->text[begin - 1] != '\n') {
            begin--;
        }
        end = strchr(document->text + yaml_value(map, i)->offset, '\n');
        end = end == NULL ? strchr(document->text, '\0') : end + 1;
        add_edit(document, begin, (size_t)(end - document->text) - begin, "");
    }
}

static int
compare_edits(const void *a, const void *b)
{
    size_t x = ((const struct edit *)a)->offset;
    size_t y = ((const struct edit *)b)->offset;

    return (x > y) - (x < y);
}

void
document_render(struct document *document, struct dtx_text *text)
{
    const char *at = document->text;

    if (document->edit_count > 0) {
        qsort(document->edits, document->edit_count, sizeof(*document->edits),
              compare_edits);
    }
    for (size_t i = 0; i < document->edit_count; i++) {
        const struct edit *edit = &document->edits[i];

        dtx_text_add_bytes(text, at,
                           (size_t)(document->text + edit->offset - at));
        dtx_text_add(text, edit->text);
        at = document->text + edit->offset + edit->length;
    }
    dtx_text_add(text, at);
    text->failed = text->failed || document->failed;
}
