#include <string.h>

#include "layout/shape.h"
#include "spec/codes.h"
#include "spec/fields.h"
#include "spec/table.h"
#include "util/math.h"

static void
read_range(struct table_reader *reader, const struct yaml_node *key,
           const struct yaml_node *value, struct table_line *line)
{
    static const struct spec_number number = {"a number of a range", 0,
                                              INT32_MAX, SPEC_TABLE_RANGE};
    struct table_range *out = &line->ranges[line->range_count];
    struct spec_integers ends;

    if (key->kind != YAML_SCALAR ||
        !spec_integer_list(&reader->report, value, "a range", &number,
                           &reader->scratch, &ends)) {
        return;
    }
    if (ends.count != 2 || ends.values[1] < ends.values[0]) {
        spec_error(&reader->report, SPEC_TABLE_RANGE, value->mark,
                   "a range is [first, last], and ends no sooner than it "
                   "begins");
        return;
    }
    if (line->range_count == TABLE_FIELDS_MAX) {
        spec_error(&reader->report, SPEC_TABLE_RANGE, key->mark,
                   "a name has at most %d ranges", TABLE_FIELDS_MAX);
        return;
    }
    *out = (struct table_range){key->text, key->mark, ends.values[0],
                                ends.values[1]};
    line->range_count++;
}

static void
read_ranges(struct table_reader *reader, const struct yaml_node *node,
            struct table_line *line)
{
    if (!spec_is(&reader->report, node, YAML_MAP, "range")) {
        return;
    }
    for (int i = 0; i < node->count; i++) {
        read_range(reader, yaml_key(node, i), yaml_value(node, i), line);
    }
}

static void
read_shape(struct table_reader *reader, const struct yaml_node *node,
           struct table_line *line)
{
    static const struct spec_number number = {"an extent", 0, INT64_MAX,
                                              SPEC_EXTENT};
    struct spec_integers list = {0};

    if (!spec_integer_list(&reader->report, node, "shape", &number,
                           &reader->catalog->arena, &list)) {
        return;
    }
    if (list.count > DTX_NDIM_MAX) {
        spec_error(&reader->report, SPEC_EXTENT, node->mark,
                   "a tensor has at most %d dimensions", DTX_NDIM_MAX);
        return;
    }
    line->ndim = list.count;
    line->shape = list.values;
    line->elements = dtx_shape_count(list.count, list.values);
    if (line->elements < 0) {
        spec_error(&reader->report, SPEC_EXTENT, node->mark,
                   "the number of elements does not fit in 64 bits");
    }
}

/* The range of the field that begins at `at`, or -1. */
static int
find_range(const struct table_line *line, const char *at, size_t length)
{
    for (int i = 0; i < line->range_count; i++) {
        const char *key = line->ranges[i].key;

        if (strlen(key) == length && strncmp(key, at, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Every field of the name has a range, and every range a field. */
static void
check_fields(struct table_reader *reader, const struct yaml_node *name,
             const struct table_line *line)
{
    bool used[TABLE_FIELDS_MAX] = {false};

    for (const char *at = strchr(line->name, '{'); at != NULL;
         at = strchr(at + 1, '{')) {
        size_t length = strcspn(at + 1, "{}");
        int range = find_range(line, at + 1, length);

        if (at[1 + length] != '}' || range < 0) {
            spec_error(
                &reader->report, SPEC_TABLE_FIELD,
                spec_mark_within(&reader->report, name, (int)(at - line->name)),
                "this field has no range")
                ->help = "a name with {i} needs 'range: {i: [first, last]}'";
            return;
        }
        used[range] = true;
    }
    for (int i = 0; i < line->range_count; i++) {
        if (!used[i]) {
            spec_error(&reader->report, SPEC_TABLE_FIELD, line->ranges[i].mark,
                       "the name has no field {%s}", line->ranges[i].key);
        }
    }
}

static void
count_tensors(struct table_reader *reader, struct table_line *line)
{
    line->count = 1;
    for (int i = 0; i < line->range_count; i++) {
        const struct table_range *range = &line->ranges[i];

        if (dtx_mul_overflows(line->count, range->last - range->first + 1,
                              &line->count) ||
            line->count > TABLE_TENSORS_MAX) {
            spec_error(&reader->report, SPEC_TABLE_SIZE, line->mark,
                       "a table has at most %d tensors", TABLE_TENSORS_MAX);
            line->count = 0;
            return;
        }
    }
}

void
table_check_figure(struct table_reader *reader, const struct yaml_node *map,
                   const char *name, int64_t counted)
{
    const struct spec_number number = {name, 0, INT64_MAX, SPEC_TABLE_TOTAL};
    const struct yaml_node *value = spec_find(map, name);
    int64_t figure;

    if (value != NULL &&
        spec_integer(&reader->report, value, &number, &figure) &&
        figure != counted) {
        spec_error(&reader->report, SPEC_TABLE_TOTAL, value->mark,
                   "%s is %lld by the table itself", name, (long long)counted)
            ->label = "this differs";
    }
}

/* Sets the bytes of one tensor, and compares what the entry says of itself. */
static void
check_figures(struct table_reader *reader, const struct yaml_node *node,
              struct table_line *line)
{
    if (dtx_mul_overflows(line->elements, (int64_t)line->type.size_bytes,
                          &line->bytes)) {
        spec_error(&reader->report, SPEC_EXTENT, node->mark,
                   "the number of bytes does not fit in 64 bits");
        return;
    }
    table_check_figure(reader, node, "count", line->count);
    table_check_figure(reader, node, "bytes_each", line->bytes);
}

bool
table_read_line(struct table_reader *reader, const struct yaml_node *node,
                struct table_line *line)
{
    struct spec_report *report = &reader->report;
    int errors = report->error_count;
    const struct yaml_node *name;
    const struct yaml_node *range;
    const struct yaml_node *shape;
    const struct yaml_node *dtype;
    enum dtx_dtype found = DTX_RAW;

    line->mark = node->mark;
    if (!spec_is(report, node, YAML_MAP, "an entry of a table")) {
        return false;
    }
    name = spec_find(node, "name");
    range = spec_find(node, "range");
    shape = spec_find(node, "shape");
    dtype = spec_find(node, "dtype");
    if (name == NULL || shape == NULL || dtype == NULL) {
        spec_error(report, SPEC_MISSING_KEY, node->mark,
                   "an entry of a table needs 'name', 'shape' and 'dtype'");
        return false;
    }
    if (range != NULL) {
        read_ranges(reader, range, line);
    }
    read_shape(reader, shape, line);
    (void)spec_dtype(report, dtype, &found);
    line->type = dtx_type_of(found);
    line->mark = name->mark;
    if (spec_text(report, name, "name", &reader->scratch, &line->name) &&
        report->error_count == errors) {
        check_fields(reader, name, line);
        count_tensors(reader, line);
        check_figures(reader, node, line);
    }
    return report->error_count == errors;
}
