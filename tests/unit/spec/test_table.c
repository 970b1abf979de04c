/*
 * Tensor tables as catalogs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "layout/catalog.h"

struct loaded {
    enum dtx_status status;
    struct dtx_error err;
    struct dtx_catalog *catalog;
};

/* Loads a table by the name that a layout gives. */
static struct loaded
load_table(const char *name)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct loaded loaded = {0};
    struct parsed parsed;
    char text[4096];

    snprintf(text, sizeof text,
             "checkpoint: {path: a.h5}\ntensors: []\ncatalog: \"%s\"\n", name);
    parsed = parse_right(text);
    cr_expect(dtx_layout_has_table(parsed.layout));
    loaded.status = dtx_catalog_load_table(parsed.layout, list, &loaded.catalog,
                                           &loaded.err);
    dtx_diagnostics_destroy(list);
    parsed_finish(&parsed);
    return loaded;
}

static const struct dtx_table_entry *
find_entry(const struct dtx_catalog *catalog, const char *name)
{
    for (int i = 0; i < catalog->entry_count; i++) {
        if (strcmp(catalog->entries[i].name, name) == 0) {
            return &catalog->entries[i];
        }
    }
    return NULL;
}

Test(spec, a_layout_without_catalog_has_no_table)
{
    struct parsed p = parse_right(HEAD "tensors: []\n");

    cr_expect_not(dtx_layout_has_table(p.layout));
    parsed_finish(&p);
}

Test(spec, a_range_stands_for_a_tensor_per_number)
{
    struct loaded gpt2 = load_table(MODELS "/gpt2.yaml");
    const struct dtx_table_entry *entry;

    cr_assert_eq(gpt2.status, DTX_OK, "%s", gpt2.err.message);
    cr_expect_eq(gpt2.catalog->entry_count, 160);
    cr_expect_eq(gpt2.catalog->file_count, 0);
    cr_expect_null(gpt2.catalog->position_file);
    entry = find_entry(gpt2.catalog, "h.11.attn.c_attn.weight");
    cr_assert_not_null(entry);
    cr_expect_eq(entry->ndim, 2);
    cr_expect_eq(entry->shape[0], 768);
    cr_expect_eq(entry->shape[1], 2304);
    cr_expect_eq(entry->type.dtype, DTX_FLOAT32);
    cr_expect_eq(entry->type.size_bytes, 4);
    cr_expect_null(find_entry(gpt2.catalog, "h.12.attn.c_attn.weight"));
    dtx_catalog_destroy(gpt2.catalog);
}

Test(spec, two_ranges_stand_for_their_product)
{
    struct loaded model = load_table(MODELS "/qwen3-30b-a3b.yaml");

    cr_assert_eq(model.status, DTX_OK, "%s", model.err.message);
    cr_expect_eq(model.catalog->entry_count, 18867);
    cr_expect_not_null(find_entry(
        model.catalog, "model.layers.47.mlp.experts.127.down_proj.weight"));
    dtx_catalog_destroy(model.catalog);
}

Test(spec, a_table_can_have_scalars)
{
    struct loaded model = load_table(MODELS "/minimal.yaml");
    const struct dtx_table_entry *step;

    cr_assert_eq(model.status, DTX_OK, "%s", model.err.message);
    step = find_entry(model.catalog, "step");
    cr_assert_not_null(step);
    cr_expect_eq(step->ndim, 0);
    cr_expect_eq(step->type.dtype, DTX_INT64);
    dtx_catalog_destroy(model.catalog);
}

Test(spec, a_missing_table_is_named_with_the_line_that_names_it)
{
    struct loaded model = load_table("nowhere.yaml");

    cr_expect_eq(model.status, DTX_ERR_SOURCE);
    cr_expect_not_null(strstr(model.err.message, "nowhere.yaml"));
    cr_expect_not_null(strstr(model.err.hint, "layout.yaml:3"));
    cr_expect_null(model.catalog);
}
