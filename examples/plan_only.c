/*
 * What a change of layout would move: from layouts in YAML to a plan, without
 * files and without MPI.
 *
 *     plan_only
 */
#include <inttypes.h>
#include <stdio.h>

#include <dtx/plan.h>

static const char source_text[] = "mesh: {dp: 2, tp: 4}\n"
                                  "tensors:\n"
                                  "  - name: \"*.weight\"\n"
                                  "    placements: {tp: shard(0)}\n";
static const char target_text[] = "mesh: {tp: 2}\n"
                                  "tensors:\n"
                                  "  - name: \"*.weight\"\n"
                                  "    placements: {tp: shard(1)}\n";

static bool
print_transfer(const struct dtx_transfer *transfer, void *context)
{
    (void)context;
    printf("%s: rank %" PRId64 " to rank %" PRId64 ", %" PRIu64 " bytes\n",
           transfer->tensor, transfer->src_rank, transfer->dst_rank,
           transfer->bytes);
    return true;
}

static enum dtx_status
make_plan(struct dtx_diagnostics *list, struct dtx_layout **layouts,
          struct dtx_catalog **catalog, struct dtx_plan **plan,
          struct dtx_error *err)
{
    static const int64_t shape[] = {1024, 512};
    static const struct dtx_tensor_spec specs[] = {
        {"up.weight", DTX_BFLOAT16, 2, shape},
        {"down.weight", DTX_BFLOAT16, 2, shape}};
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count = 8,
                                       .memory_bytes = (uint64_t)1 << 28,
                                       .map = DTX_MAP_AUTO};
    enum dtx_status status = dtx_layout_parse(
        source_text, "source", ".", DTX_MEMORY, list, &layouts[0], err);

    if (status == DTX_OK) {
        status = dtx_layout_parse(target_text, "target", ".", DTX_MEMORY, list,
                                  &layouts[1], err);
    }
    if (status == DTX_OK) {
        status = dtx_catalog_create(specs, 2, catalog, err);
    }
    return status == DTX_OK ? dtx_plan_create(layouts[0], layouts[1], *catalog,
                                              &options, list, plan, err)
                            : status;
}

int
main(void)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layouts[2] = {NULL, NULL};
    struct dtx_catalog *catalog = NULL;
    struct dtx_plan *plan = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = make_plan(list, layouts, &catalog, &plan, &err);

    if (status == DTX_OK) {
        const struct dtx_plan_totals *totals = dtx_plan_totals(plan);

        status = dtx_plan_each_transfer(plan, print_transfer, NULL, &err);
        printf("%" PRIu64 " bytes stay, %" PRIu64 " move, %.3g seconds\n",
               totals->kept, totals->moved,
               dtx_plan_strategy_cost(plan, DTX_STRATEGY_OPTIMAL)->seconds);
    } else {
        char *drawn = dtx_diagnostics_draw(list);

        fprintf(stderr, "%s\n%s", err.message, drawn != NULL ? drawn : "");
        dtx_string_free(drawn);
    }
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(layouts[0]);
    dtx_layout_destroy(layouts[1]);
    dtx_diagnostics_destroy(list);
    return (int)status;
}
