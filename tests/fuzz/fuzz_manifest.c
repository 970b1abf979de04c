/*
 * What a run leaves beside a target: any text is a manifest, or a drawing of
 * its mistakes, and no text is a journal that misleads. What dtx would write
 * for a layout is one that it reads back.
 */
#include <dtx/layout.h>

#include "engine/commit/journal.h"
#include "fuzz.h"
#include "manifest/manifest.h"
#include "util/alloc.h"

enum { TENSORS_MOST = 16, TENSORS = 3 };

static struct dtx_layout *
parse(const char *text, enum dtx_role role, int *errors_out)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = dtx_layout_parse(text, "manifest.yaml", "folder",
                                              role, list, &layout, &err);
    char *drawing = dtx_diagnostics_draw(list);

    must(drawing != NULL && (status == DTX_OK) == (layout != NULL));
    *errors_out = dtx_diagnostics_error_count(list);
    dtx_string_free(drawing);
    dtx_diagnostics_destroy(list);
    return layout;
}

/* Writes the manifest of a target that has an object for each rule. */
static void
write_back(const struct dtx_layout *target)
{
    struct dtx_manifest_tensor tensors[TENSORS_MOST] = {{0}};
    char names[TENSORS_MOST][16];
    struct dtx_manifest_file file = {"folder/x.h5", 1};
    struct dtx_manifest manifest = {
        .target = target, .tensors = tensors, .file_count = 1, .files = &file};
    struct dtx_text text = {0};
    struct dtx_layout *again;
    int errors;

    for (int i = 0; i < target->rule_count && i < TENSORS_MOST; i++) {
        snprintf(names[i], sizeof names[i], "t%d", i);
        tensors[i] = (struct dtx_manifest_tensor){
            .name = names[i], .rule = i, .ndim = -1, .dtype = DTX_RAW};
        manifest.tensor_count++;
    }
    dtx_manifest_write(&manifest, &text);
    must(!text.failed);
    again = parse(text.data, DTX_SOURCE, &errors);
    if (again == NULL) {
        fprintf(stderr, "%s", text.data);
    }
    must(again != NULL && again->is_manifest);
    dtx_layout_destroy(again);
    dtx_text_finish(&text);
}

static void
count_file(const char *path, void *context)
{
    must(path != NULL);
    ++*(int *)context;
}

static void
read_journal(char *text, size_t size)
{
    struct dtx_text content = {.data = text, .length = size};
    struct journal_state state = {0};
    struct dtx_error err = {0};
    int files = 0;

    (void)journal_has_begun(text);
    (void)!journal_each_file(text, count_file, &files, &err);
    if (journal_read("a.journal", &content, TENSORS, &state, &err) == DTX_OK) {
        must(state.safe >= 0 && state.safe <= TENSORS);
        must(state.safe == 0 || state.sums != NULL);
        must(!state.is_committing || state.safe == TENSORS);
    }
    dtx_free(state.sums);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct dtx_layout *layout;
    int errors;

    layout = parse(text, DTX_SOURCE, &errors);
    dtx_layout_destroy(layout);
    layout = parse(text, DTX_TARGET, &errors);
    if (layout != NULL) {
        write_back(layout);
    }
    dtx_layout_destroy(layout);
    read_journal(text, size);
    free(text);
    return 0;
}
