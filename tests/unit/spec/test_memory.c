/*
 * Every allocation fails in turn: nothing leaks, nothing is half made.
 */
#include <stdlib.h>

#include "fixture.h"
#include "manifest/manifest.h"
#include "rich.h"
#include "util/alloc.h"

/* Parses with the k-th allocation failing; true once none fails. */
static bool
parse_failing(const char *text, int64_t k, struct dtx_diagnostics *list)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};
    enum dtx_status status;

    dtx_alloc_fail_after(k);
    status =
        dtx_layout_parse(text, "a.yaml", ".", DTX_TARGET, list, &layout, &err);
    dtx_alloc_fail_after(-1);
    cr_expect_eq(status == DTX_OK, layout != NULL);
    cr_assert(status == DTX_OK || status == DTX_ERR_LIMIT,
              "allocation %ld: status %d, %s", (long)k, status, err.message);
    dtx_layout_destroy(layout);
    return status == DTX_OK;
}

Test(spec, a_layout_survives_any_lack_of_memory)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    int64_t k = 0;

    while (!parse_failing(RICH, k, list)) {
        k++;
    }
    cr_expect_gt(k, 10);
    cr_expect_eq(dtx_diagnostics_error_count(list), 0);
    dtx_diagnostics_destroy(list);
}

Test(spec, mistakes_survive_any_lack_of_memory)
{
    static const char text[] = "mesh: {dp: 0, tp: x}\n"
                               "checkpont: {path: a}\n"
                               "split: evn\n"
                               "tensors:\n"
                               "  - {name: \"[\", placements: {dpp: S(0)}}\n";
    enum dtx_status status = DTX_ERR_LIMIT;

    for (int64_t k = 0; status != DTX_ERR_INVALID; k++) {
        struct dtx_diagnostics *list = dtx_diagnostics_create();
        struct dtx_layout *layout = NULL;
        struct dtx_error err = {0};

        dtx_alloc_fail_after(k);
        status = dtx_layout_parse(text, "a.yaml", ".", DTX_TARGET, list,
                                  &layout, &err);
        dtx_alloc_fail_after(-1);
        cr_assert(status == DTX_ERR_INVALID || status == DTX_ERR_LIMIT);
        cr_assert_null(layout);
        dtx_diagnostics_destroy(list);
    }
}

Test(spec, a_table_survives_any_lack_of_memory)
{
    struct parsed p = parse_right("checkpoint: {path: a.h5}\ntensors: []\n"
                                  "catalog: " MODELS "/gpt2.yaml\n");
    enum dtx_status status = DTX_ERR_LIMIT;

    for (int64_t k = 0; status != DTX_OK; k++) {
        struct dtx_diagnostics *list = dtx_diagnostics_create();
        struct dtx_catalog *catalog = NULL;
        struct dtx_error err = {0};

        dtx_alloc_fail_after(k);
        status = dtx_catalog_load_table(p.layout, list, &catalog, &err);
        dtx_alloc_fail_after(-1);
        cr_assert(status == DTX_OK || status == DTX_ERR_LIMIT, "%d %s", status,
                  err.message);
        dtx_catalog_destroy(catalog);
        dtx_diagnostics_destroy(list);
    }
    parsed_finish(&p);
}

Test(spec, a_manifest_tells_a_lack_of_memory)
{
    struct parsed p = parse_as(RICH, DTX_TARGET);
    static const struct dtx_manifest_tensor tensor = {
        "strided", 2, 0, NULL, DTX_FLOAT32, NULL, NULL};
    struct dtx_manifest manifest = {p.layout, 1, &tensor, 0, NULL};
    bool failed = true;

    for (int64_t k = 0; failed; k++) {
        struct dtx_text text = {0};

        dtx_alloc_fail_after(k);
        dtx_manifest_write(&manifest, &text);
        dtx_alloc_fail_after(-1);
        failed = text.failed;
        dtx_text_finish(&text);
    }
    parsed_finish(&p);
}
