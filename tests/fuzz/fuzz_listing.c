/*
 * Listings: whatever a guard says of a file becomes a catalog or a refusal.
 */
#include <string.h>

#include "fuzz.h"
#include "layout/layout.h"
#include "layout/listing.h"
#include "layout/shape.h"

static struct dtx_layout *
one_file(void)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    must(dtx_layout_parse("checkpoint: {path: a.h5}\ntensors: []\n", "a.yaml",
                          ".", DTX_SOURCE, list, &layout, &err) == DTX_OK);
    dtx_diagnostics_destroy(list);
    return layout;
}

static void
check(const struct dtx_catalog *catalog)
{
    must(catalog->file_count == 1);
    for (int i = 0; i < catalog->dataset_count; i++) {
        const struct dtx_dataset *d = &catalog->datasets[i];

        must(d->file == 0 && d->form <= DTX_FORM_OBJECT);
        must(dtx_shape_count(d->ndim, d->shape) >= 0);
        must(d->type.dtype != DTX_RAW || d->form == DTX_FORM_OBJECT ||
             d->type.raw_index < catalog->raw_type_count);
        must(dtx_catalog_find(catalog, 0, d->path) == i);
        for (int k = 0; k < d->attribute_count; k++) {
            must(strlen(d->attributes[k].name) < 1 << 20);
        }
    }
    for (int i = 0; i < catalog->group_count; i++) {
        must(strlen(catalog->groups[i].path) < 1 << 20);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dtx_layout *layout;
    char *copy = fuzz_text(data, size);
    const char *listing = copy;
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err = {0};
    enum dtx_status status;

    if (layout == NULL) {
        layout = one_file();
    }
    status = dtx_catalog_build(layout, 1, &listing, &size, &catalog, &err);
    must(status == DTX_OK || err.message[0] != '\0');
    if (status == DTX_OK) {
        check(catalog);
        dtx_catalog_destroy(catalog);
    }
    free(copy);
    return 0;
}
