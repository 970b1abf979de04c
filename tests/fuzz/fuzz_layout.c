/*
 * Layout files: any text is a layout or a drawing of its mistakes.
 */
#include <dtx/layout.h>

#include "fuzz.h"
#include "layout/layout.h"
#include "manifest/manifest.h"

/* Renders the names that follow from a layout. */
static void
name_files(const struct dtx_layout *layout)
{
    int count =
        layout->mesh.position_count < 64 ? layout->mesh.position_count : 64;
    struct dtx_text path = {0};

    for (int position = 0; position < count; position++) {
        path.length = 0;
        dtx_layout_file(layout, position, &path);
        must(!path.failed && path.length > 0);
    }
    dtx_manifest_path(layout, &path);
    dtx_manifest_journal_path(layout, &path);
    must(!path.failed);
    dtx_text_finish(&path);
    must(dtx_layout_fingerprint(layout) >= 0);
}

static void
parse(const char *text, enum dtx_role role)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = dtx_layout_parse(text, "layout.yaml", "folder",
                                              role, list, &layout, &err);
    char *drawing = dtx_diagnostics_draw(list);

    must(drawing != NULL);
    must(status == DTX_OK || status == DTX_ERR_INVALID);
    must((status == DTX_OK) == (dtx_diagnostics_error_count(list) == 0));
    must((status == DTX_OK) == (layout != NULL));
    if (layout != NULL) {
        name_files(layout);
    }
    dtx_layout_destroy(layout);
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);

    parse(text, DTX_SOURCE);
    parse(text, DTX_TARGET);
    free(text);
    return 0;
}
