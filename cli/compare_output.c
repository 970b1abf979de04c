/*
 * In what two checkpoints differ, as a person or a program wants it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "json.h"
#include "output.h"
#include "table.h"
#include "util/size.h"

static void
add_shape_text(struct dtx_text *text, int ndim, const int64_t *shape)
{
    dtx_text_add(text, "[");
    for (int d = 0; d < ndim; d++) {
        dtx_text_format(text, "%s%" PRId64, d > 0 ? ", " : "", shape[d]);
    }
    dtx_text_add(text, "]");
}

/* Adds a cell from a text, which is emptied. */
static void
add_cell(struct table *table, struct dtx_text *text)
{
    table_add(table, text->failed || text->data == NULL ? "" : text->data);
    table->has_failed |= text->failed;
    text->length = 0;
}

/* "12 of 4096, by at most 0.5 (relative 0.01), first at [1, 2]: 0.5, 1" */
static void
add_values(struct dtx_text *text, const struct dtx_difference *d)
{
    if (d->differing_count == 0) {
        dtx_text_add(text, "values differ");
        return;
    }
    dtx_text_format(text, "%" PRId64 " of %" PRId64, d->differing_count,
                    d->element_count);
    if (d->is_measured) {
        dtx_text_format(text, ", by at most %g (relative %g)",
                        d->largest_absolute, d->largest_relative);
    }
    dtx_text_add(text, ", first at ");
    add_shape_text(text, d->ndims[0], d->first);
    if (d->is_measured) {
        dtx_text_format(text, ": %s, %s", d->first_values[0],
                        d->first_values[1]);
    }
}

/* "attribute 'lr' only in A, 'step' differs" */
static void
add_attributes(struct dtx_text *text, const struct dtx_difference *d,
               char *const *names)
{
    for (int i = 0; i < d->attribute_count; i++) {
        const struct dtx_attribute_difference *a = &d->attributes[i];

        dtx_text_format(text, "%s '%s' ",
                        i > 0                    ? ","
                        : d->attribute_count > 1 ? "attributes"
                                                 : "attribute",
                        a->name);
        if (a->is_in[0] && a->is_in[1]) {
            dtx_text_add(text, "differs");
        } else {
            dtx_text_format(text, "only in %s", names[a->is_in[0] ? 0 : 1]);
        }
    }
}

/* What stands between two things that differ. */
static void
begin_part(struct dtx_text *text)
{
    dtx_text_add(text, text->length > 0 ? "; " : "");
}

static void
add_differences(struct dtx_text *text, const struct dtx_difference *d,
                char *const *names)
{
    if (d->values_differ) {
        add_values(text, d);
    } else if (d->are_values_compared && d->types_differ) {
        dtx_text_add(text, "equal values");
    }
    if (d->attribute_count > 0) {
        begin_part(text);
        add_attributes(text, d, names);
    }
    for (int i = 0; i < 2; i++) {
        if (d->faults[i] != NULL) {
            begin_part(text);
            dtx_text_format(text, "in %s %s", names[i], d->faults[i]);
        }
    }
}

static void
add_types(struct dtx_text *text, const struct dtx_difference *d)
{
    dtx_text_add(text, d->type_names[0]);
    if (d->types_differ) {
        dtx_text_format(text, " / %s", d->type_names[1]);
    }
}

static void
add_shapes(struct dtx_text *text, const struct dtx_difference *d)
{
    add_shape_text(text, d->ndims[0], d->shapes[0]);
    if (d->shapes_differ) {
        dtx_text_add(text, " / ");
        add_shape_text(text, d->ndims[1], d->shapes[1]);
    }
}

static void
add_row(struct table *table, const struct dtx_difference *d, char *const *names)
{
    bool is_in_both = d->is_in[0] && d->is_in[1];
    bool has_type = is_in_both && !d->is_object && !d->is_group;
    struct dtx_text text = {0};

    table_add(table, d->is_group && d->name[0] == '\0' ? "/" : d->name);
    if (has_type) {
        add_types(&text, d);
    } else {
        dtx_text_add(&text, d->is_group    ? "group"
                            : d->is_object ? "no tensor"
                                           : "");
    }
    add_cell(table, &text);
    if (has_type) {
        add_shapes(&text, d);
    }
    add_cell(table, &text);
    if (is_in_both) {
        add_differences(&text, d, names);
    } else {
        dtx_text_format(&text, "only in %s", names[d->is_in[0] ? 0 : 1]);
    }
    add_cell(table, &text);
    dtx_text_finish(&text);
}

enum dtx_status
comparison_print_text(const struct dtx_comparison *comparison,
                      const char *command, char *const *names,
                      struct dtx_error *err)
{
    const struct dtx_comparison_totals *totals =
        dtx_comparison_totals(comparison);
    int count = dtx_comparison_difference_count(comparison);
    char size[DTX_SIZE_TEXT];
    struct dtx_text text = {0};
    struct table table;

    dtx_text_format(&text,
                    "dtx %s   %" PRId64 " tensor%s in both, %" PRId64
                    " equal; %s read in %.2f s\n",
                    command, totals->tensor_count,
                    totals->tensor_count == 1 ? "" : "s", totals->equal_count,
                    dtx_size_format(totals->bytes, size), totals->seconds);
    if (count == 0) {
        dtx_text_add(&text, "  no difference\n");
        return output_text(&text, err);
    }
    table_begin(&table, "llll");
    table_add(&table, "tensor");
    table_add(&table, "dtype");
    table_add(&table, "shape");
    table_add(&table, "difference");
    for (int i = 0; i < count; i++) {
        add_row(&table, dtx_comparison_difference(comparison, i), names);
    }
    dtx_text_add(&text, "\n");
    table_draw(&table, 0, &text);
    if (totals->tensor_count == 0) {
        dtx_text_add(&text, "\n  no tensor's name is in both; a manifest has "
                            "no 'rename', the target's layout has\n");
    }
    return output_text(&text, err);
}

static void
add_json_values(struct json *json, const struct dtx_difference *d)
{
    json_int(json, "elements", d->element_count);
    if (d->differing_count == 0) {
        return;
    }
    json_int(json, "differing", d->differing_count);
    if (d->is_measured) {
        json_real(json, "largest_absolute", d->largest_absolute);
        json_real(json, "largest_relative", d->largest_relative);
    }
    json_shape(json, "first", d->ndims[0], d->first);
    if (d->is_measured) {
        json_array(json, "first_values");
        json_string(json, NULL, d->first_values[0]);
        json_string(json, NULL, d->first_values[1]);
        json_array_end(json);
    }
}

static void
add_json_only(struct json *json, const bool *is_in)
{
    if (!is_in[0] || !is_in[1]) {
        json_string(json, "only_in", is_in[0] ? "first" : "second");
    }
}

static void
add_json_types(struct json *json, const struct dtx_difference *d)
{
    json_array(json, "dtypes");
    json_string(json, NULL, d->type_names[0]);
    json_string(json, NULL, d->type_names[1]);
    json_array_end(json);
    json_array(json, "shapes");
    json_shape(json, NULL, d->ndims[0], d->shapes[0]);
    json_shape(json, NULL, d->ndims[1], d->shapes[1]);
    json_array_end(json);
    json_bool(json, "shapes_differ", d->shapes_differ);
    json_bool(json, "dtypes_differ", d->types_differ);
}

static void
add_json_attributes(struct json *json, const struct dtx_difference *d)
{
    if (d->attribute_count == 0) {
        return;
    }
    json_array(json, "attributes");
    for (int i = 0; i < d->attribute_count; i++) {
        json_object(json, NULL);
        json_string(json, "name", d->attributes[i].name);
        add_json_only(json, d->attributes[i].is_in);
        json_object_end(json);
    }
    json_array_end(json);
}

static void
add_json_faults(struct json *json, const struct dtx_difference *d)
{
    static const char *const keys[2] = {"fault_in_first", "fault_in_second"};

    for (int i = 0; i < 2; i++) {
        if (d->faults[i] != NULL) {
            json_string(json, keys[i], d->faults[i]);
        }
    }
}

static void
add_json_difference(struct json *json, const struct dtx_difference *d)
{
    bool is_tensor = !d->is_object && !d->is_group;

    json_object(json, NULL);
    json_string(json, "name", d->name);
    if (!is_tensor) {
        json_bool(json, d->is_group ? "group" : "object", true);
    }
    add_json_only(json, d->is_in);
    if (d->is_in[0] && d->is_in[1]) {
        if (is_tensor) {
            add_json_types(json, d);
        }
        if (d->are_values_compared) {
            json_bool(json, "values_differ", d->values_differ);
        }
        if (is_tensor && !d->shapes_differ) {
            add_json_values(json, d);
        }
        add_json_attributes(json, d);
        add_json_faults(json, d);
    }
    json_object_end(json);
}

enum dtx_status
comparison_print_json(const struct dtx_comparison *comparison,
                      struct dtx_error *err)
{
    const struct dtx_comparison_totals *totals =
        dtx_comparison_totals(comparison);
    int count = dtx_comparison_difference_count(comparison);
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    json_string(&json, "dtx", "1");
    json_bool(&json, "same", count == 0);
    json_int(&json, "tensors", totals->tensor_count);
    json_int(&json, "equal", totals->equal_count);
    json_uint(&json, "bytes", totals->bytes);
    json_real(&json, "seconds", totals->seconds);
    json_array(&json, "differences");
    for (int i = 0; i < count; i++) {
        add_json_difference(&json, dtx_comparison_difference(comparison, i));
    }
    json_array_end(&json);
    return json_end(&json, err);
}
