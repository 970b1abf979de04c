/*
 * A program of someone else's: it sees the public headers and the shared
 * library only. Plans the source layout given first into the second.
 */
#include <stdio.h>

#include <dtx/plan.h>

static enum dtx_status
make_plan(const char *const *paths, struct dtx_diagnostics *list,
          struct dtx_layout **layouts, struct dtx_catalog **catalog,
          struct dtx_plan **plan, struct dtx_error *err)
{
    struct dtx_plan_options options = {
        .strategy = DTX_STRATEGY_OPTIMAL,
        .process_count = 3,
        .memory_bytes = (uint64_t)1 << 30,
        .map = DTX_MAP_BLOCK,
    };
    enum dtx_status status;

    status = dtx_layout_load(paths[0], DTX_SOURCE, list, &layouts[0], err);
    if (status == DTX_OK) {
        status = dtx_layout_load(paths[1], DTX_TARGET, list, &layouts[1], err);
    }
    if (status == DTX_OK) {
        status = dtx_catalog_load_table(layouts[0], list, catalog, err);
    }
    if (status == DTX_OK) {
        status = dtx_plan_create(layouts[0], layouts[1], *catalog, &options,
                                 list, plan, err);
    }
    return status;
}

int
main(int argc, char **argv)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layouts[2] = {NULL, NULL};
    struct dtx_catalog *catalog = NULL;
    struct dtx_plan *plan = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = DTX_ERR_INVALID;

    if (argc == 3 && list != NULL) {
        status = make_plan((const char *const *)argv + 1, list, layouts,
                           &catalog, &plan, &err);
    }
    if (status == DTX_OK) {
        printf("%lld tensors\n",
               (long long)dtx_plan_totals(plan)->tensor_count);
    } else {
        fprintf(stderr, "%s: %s\n", dtx_status_name(status), err.message);
    }
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(layouts[1]);
    dtx_layout_destroy(layouts[0]);
    dtx_diagnostics_destroy(list);
    return (int)status;
}
