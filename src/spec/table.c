#include "spec/table.h"

#include <string.h>

#include <dtx/catalog.h>

#include "spec/codes.h"
#include "spec/fields.h"
#include "spec/text_file.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

static const char format_word[] = "tensor-table-1";

/* What a table sums up to. */
struct totals {
    int64_t tensors;
    int64_t params;
    int64_t bytes;
};

/* Adds what a line stands for; true on overflow. */
static bool
sum_overflows(struct totals *totals, const struct table_line *line)
{
    int64_t elements;
    int64_t bytes;

    totals->tensors += line->count;
    return dtx_mul_overflows(line->elements, line->count, &elements) ||
           dtx_mul_overflows(line->bytes, line->count, &bytes) ||
           dtx_add_overflows(totals->params, elements, &totals->params) ||
           dtx_add_overflows(totals->bytes, bytes, &totals->bytes);
}

static struct totals
read_lines(struct table_reader *reader, const struct yaml_node *node,
           struct table_line *lines)
{
    struct totals totals = {0};

    for (int i = 0; i < node->count; i++) {
        if (!table_read_line(reader, &node->items[i], &lines[i])) {
            continue;
        }
        if (sum_overflows(&totals, &lines[i]) ||
            totals.tensors > TABLE_TENSORS_MAX) {
            spec_error(&reader->report, SPEC_TABLE_SIZE, lines[i].mark,
                       "the table is too large: it has at most %d tensors, "
                       "whose bytes fit in 64 bits",
                       TABLE_TENSORS_MAX);
            break;
        }
    }
    return totals;
}

static void
check_totals(struct table_reader *reader, const struct yaml_node *node,
             const struct totals *totals)
{
    if (node == NULL || !spec_is(&reader->report, node, YAML_MAP, "totals")) {
        return;
    }
    table_check_figure(reader, node, "tensors", totals->tensors);
    table_check_figure(reader, node, "params", totals->params);
    table_check_figure(reader, node, "bytes", totals->bytes);
}

static void
check_format(struct table_reader *reader, const struct yaml_node *node)
{
    if (node != NULL &&
        (node->kind != YAML_SCALAR || strcmp(node->text, format_word) != 0)) {
        spec_error(&reader->report, SPEC_TABLE_FORMAT, node->mark,
                   "the format of a tensor table is '%s'", format_word);
    }
}

static void
read_table(struct table_reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *tensors;
    struct table_line *lines;
    struct totals totals;

    if (!spec_is(&reader->report, root, YAML_MAP, "a tensor table")) {
        return;
    }
    check_format(reader, spec_find(root, "format"));
    tensors = spec_find(root, "tensors");
    if (tensors == NULL) {
        spec_error(&reader->report, SPEC_MISSING_KEY, root->mark,
                   "a tensor table needs 'tensors'");
        return;
    }
    if (!spec_is(&reader->report, tensors, YAML_LIST, "tensors")) {
        return;
    }
    lines = dtx_arena_alloc(&reader->scratch, (size_t)tensors->count,
                            sizeof *lines);
    if (lines == NULL) {
        reader->report.failed = true;
        return;
    }
    totals = read_lines(reader, tensors, lines);
    if (reader->report.error_count == 0) {
        check_totals(reader, spec_find(root, "totals"), &totals);
        table_expand(reader, lines, tensors->count, totals.tensors);
    }
}

static enum dtx_status
read_text(struct table_reader *reader, struct dtx_error *err)
{
    const struct yaml_node *root;

    root =
        yaml_tree_read(reader->report.text, &reader->scratch, &reader->report);
    if (root != NULL) {
        read_table(reader, root);
    }
    return spec_report_status(&reader->report, err);
}

/* Reads the table from its text and hands over the catalog. */
static enum dtx_status
parse_table(const char *text, const char *file, struct dtx_diagnostics *list,
            struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct table_reader reader = {.report = {.text = text, .file = file}};
    enum dtx_status status;

    reader.catalog = dtx_alloc(1, sizeof *reader.catalog);
    status = reader.catalog != NULL ? read_text(&reader, err)
                                    : dtx_error_memory(err);
    spec_report_deliver(&reader.report, list);
    spec_report_finish(&reader.report);
    dtx_arena_finish(&reader.scratch);
    if (status == DTX_OK) {
        *catalog_out = reader.catalog;
    } else {
        dtx_catalog_destroy(reader.catalog);
    }
    return status;
}

bool
dtx_layout_has_table(const struct dtx_layout *layout)
{
    return layout->catalog != NULL;
}

enum dtx_status
dtx_catalog_load_table(const struct dtx_layout *layout,
                       struct dtx_diagnostics *list,
                       struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct dtx_text path = {0};
    struct dtx_text text = {0};
    enum dtx_status status = DTX_OK;

    if (layout->catalog[0] != '/' && strcmp(layout->folder, ".") != 0) {
        dtx_text_format(&path, "%s/", layout->folder);
    }
    dtx_text_add(&path, layout->catalog);
    if (path.failed) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = spec_refuse_pipe(path.data, err);
        if (status == DTX_OK) {
            status = spec_load_text(path.data, DTX_SOURCE, &text, err);
        }
        if (status == DTX_ERR_SOURCE) {
            dtx_error_hint(err, "%s:%d names it as the catalog", layout->file,
                           layout->catalog_mark.line);
        }
    }
    if (status == DTX_OK) {
        const char *begin = text.data + spec_mark_length(text.data);

        status = parse_table(begin, path.data, list, catalog_out, err);
    }
    dtx_text_finish(&path);
    dtx_text_finish(&text);
    return status;
}
