#include "table_check.h"

#include <inttypes.h>
#include <string.h>

#include <dtx/dtype.h>
#include <dtx/plan.h>

#include "util/error.h"
#include "util/names.h"
#include "util/text.h"

static void
describe(const struct dtx_plan_tensor *tensor, struct dtx_text *text)
{
    dtx_text_format(text, "%s [", dtx_dtype_name(tensor->source_type.dtype));
    for (int d = 0; d < tensor->ndim; d++) {
        dtx_text_format(text, "%s%" PRId64, d > 0 ? ", " : "",
                        tensor->shape[d]);
    }
    dtx_text_add(text, "]");
}

static bool
is_equal(const struct dtx_plan_tensor *a, const struct dtx_plan_tensor *b)
{
    return dtx_type_equal(a->source_type, b->source_type) &&
           a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof(*a->shape)) == 0;
}

static enum dtx_status
refuse_different(const struct dtx_plan_tensor *found,
                 const struct dtx_plan_tensor *expected, struct dtx_error *err)
{
    struct dtx_text texts[2] = {0};

    describe(found, &texts[0]);
    describe(expected, &texts[1]);
    if (texts[0].failed || texts[1].failed) {
        dtx_error_memory(err);
    } else {
        dtx_error_set(err, DTX_ERR_SOURCE,
                      "the files hold %s where the layout's catalog says %s",
                      texts[0].data, texts[1].data);
        dtx_error_tensor(err, "'%s'", found->name);
    }
    dtx_text_finish(&texts[0]);
    dtx_text_finish(&texts[1]);
    return err->status;
}

static enum dtx_status
refuse_missing(const char *name, const char *message, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_SOURCE, "%s", message);
    dtx_error_tensor(err, "'%s'", name);
    return DTX_ERR_SOURCE;
}

/* Numbers the tensors of an inspection by name. */
static enum dtx_status
collect_names(const struct dtx_inspection *inspection, struct dtx_names *names,
              struct dtx_error *err)
{
    int count = dtx_inspection_tensor_count(inspection);

    for (int i = 0; i < count; i++) {
        struct dtx_plan_tensor tensor;

        dtx_inspection_tensor(inspection, i, &tensor);
        if (dtx_names_add(names, tensor.name) < 0) {
            return dtx_error_memory(err);
        }
    }
    return DTX_OK;
}

static enum dtx_status
compare(const struct dtx_inspection *files, const struct dtx_inspection *table,
        const struct dtx_names *file_names, const struct dtx_names *table_names,
        struct dtx_error *err)
{
    for (int i = 0; i < file_names->count; i++) {
        struct dtx_plan_tensor found;
        struct dtx_plan_tensor expected;
        int index = dtx_names_find(table_names, file_names->strings[i]);

        if (index < 0) {
            return refuse_missing(file_names->strings[i],
                                  "the layout's catalog has no tensor that the "
                                  "files hold",
                                  err);
        }
        dtx_inspection_tensor(files, i, &found);
        dtx_inspection_tensor(table, index, &expected);
        if (!is_equal(&found, &expected)) {
            return refuse_different(&found, &expected, err);
        }
    }
    for (int i = 0; i < table_names->count; i++) {
        if (dtx_names_find(file_names, table_names->strings[i]) < 0) {
            return refuse_missing(table_names->strings[i],
                                  "the files lack a tensor that the layout's "
                                  "catalog names",
                                  err);
        }
    }
    return DTX_OK;
}

static enum dtx_status
check_inspections(const struct dtx_inspection *files,
                  const struct dtx_inspection *table, struct dtx_error *err)
{
    struct dtx_names file_names = {0};
    struct dtx_names table_names = {0};
    enum dtx_status status = collect_names(files, &file_names, err);

    if (status == DTX_OK) {
        status = collect_names(table, &table_names, err);
    }
    if (status == DTX_OK) {
        status = compare(files, table, &file_names, &table_names, err);
    }
    dtx_names_finish(&file_names);
    dtx_names_finish(&table_names);
    return status;
}

/*
 * Inspects files and table. What is wrong between the layout and either of
 * them goes to the list; warnings are left to whoever uses the catalog, who
 * finds the same ones.
 */
static enum dtx_status
inspect(const struct dtx_layout *layout, const struct dtx_catalog *catalog,
        struct dtx_diagnostics *list, struct dtx_inspection **out,
        struct dtx_error *err)
{
    struct dtx_diagnostics *own = dtx_diagnostics_create();
    enum dtx_status status;

    if (own == NULL) {
        return dtx_error_memory(err);
    }
    status = dtx_inspect(layout, catalog, own, out, err);
    if (status != DTX_OK && dtx_diagnostics_error_count(own) > 0) {
        status = dtx_inspect(layout, catalog, list, out, err);
    }
    dtx_diagnostics_destroy(own);
    return status;
}

enum dtx_status
table_check(const struct dtx_layout *layout, const struct dtx_catalog *files,
            const struct dtx_catalog *table, struct dtx_diagnostics *list,
            struct dtx_error *err)
{
    struct dtx_inspection *found = NULL;
    struct dtx_inspection *expected = NULL;
    enum dtx_status status = inspect(layout, files, list, &found, err);

    if (status == DTX_OK) {
        status = inspect(layout, table, list, &expected, err);
    }
    if (status == DTX_OK) {
        status = check_inspections(found, expected, err);
        if (status == DTX_ERR_SOURCE) {
            dtx_error_hint(err,
                           "'catalog' in %s names the table; without it the "
                           "files alone count",
                           dtx_layout_file_name(layout));
        }
    }
    dtx_inspection_destroy(found);
    dtx_inspection_destroy(expected);
    return status;
}
