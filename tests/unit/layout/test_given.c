/*
 * Catalogs of tensors that a program gives.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <dtx/catalog.h>

#include "layout/catalog.h"
#include "util/alloc.h"

static const int64_t shape[] = {3, 4};
static const struct dtx_tensor_spec given[] = {
    {"a.weight", DTX_FLOAT32, 2, shape}, {"step", DTX_INT64, 0, NULL}};

Test(given, tensors_are_as_they_were_given)
{
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err;

    cr_assert_eq(dtx_catalog_create(given, 2, &catalog, &err), DTX_OK);
    cr_assert_eq(catalog->entry_count, 2);
    cr_assert_str_eq(catalog->entries[0].name, "a.weight");
    cr_assert_eq(catalog->entries[0].shape[1], 4);
    cr_assert_eq(catalog->entries[1].ndim, 0);
    dtx_catalog_destroy(catalog);
}

static void
check_refusal(const struct dtx_tensor_spec *specs, int count, const char *words)
{
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err;

    cr_assert_eq(dtx_catalog_create(specs, count, &catalog, &err),
                 DTX_ERR_INVALID);
    cr_assert_not_null(strstr(err.message, words), "%s", err.message);
    cr_assert_null(catalog);
}

Test(given, what_no_tensor_is_like_is_refused)
{
    static const int64_t below[] = {-1}, beyond[] = {INT64_MAX, 2};
    const struct dtx_tensor_spec nameless = {"", DTX_FLOAT32, 0, NULL};
    const struct dtx_tensor_spec untyped = {"t", DTX_RAW, 0, NULL};
    const struct dtx_tensor_spec deep = {"t", DTX_FLOAT32, 33, shape};
    const struct dtx_tensor_spec negative = {"t", DTX_FLOAT32, 1, below};
    const struct dtx_tensor_spec large = {"t", DTX_INT8, 2, beyond};
    const struct dtx_tensor_spec twice[] = {given[0], given[0]};

    check_refusal(&nameless, 1, "no name");
    check_refusal(&untyped, 1, "no known dtype");
    check_refusal(&deep, 1, "0 to 32 dims");
    check_refusal(&negative, 1, "negative extent");
    check_refusal(&large, 1, "too many elements");
    check_refusal(twice, 2, "'a.weight' is given twice");
}

Test(given, every_allocation_can_fail)
{
    enum dtx_status status = DTX_ERR_LIMIT;

    for (int64_t k = 0; status != DTX_OK; k++) {
        struct dtx_catalog *catalog = NULL;
        struct dtx_error err = {0};

        dtx_alloc_fail_after(k);
        status = dtx_catalog_create(given, 2, &catalog, &err);
        dtx_alloc_fail_after(-1);
        cr_assert(status == DTX_OK || status == DTX_ERR_LIMIT, "%s",
                  err.message);
        dtx_catalog_destroy(catalog);
    }
}
