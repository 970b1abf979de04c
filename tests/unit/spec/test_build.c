#include <criterion/criterion.h>
#include <limits.h>

#include <dtx/build.h>
#include <dtx/layout.h>

#include "util/alloc.h"

static const struct dtx_mesh_axis axes[] = {{"dp", 2}, {"tp", 2}};
static const int64_t ranks[] = {3, 2, 1, 0};
static const struct dtx_axis_placement placements[] = {
    {"tp", "{shard: 0, block: 2}"}, {"dp", "_S(1, 2)"}};
static const struct dtx_rule_spec rules[] = {{"a.*", 2, placements, DTX_RAW},
                                             {"**", 0, NULL, DTX_BFLOAT16}};
static const struct dtx_rename_spec renames[] = {{"^b", "c"}};
static const struct dtx_layout_spec all = {2, axes,  ranks, "balanced",
                                           2, rules, 1,     renames};

static enum dtx_status
build(const struct dtx_layout_spec *spec, struct dtx_layout **layout_out,
      int *error_count_out)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_error err = {0};
    enum dtx_status status =
        dtx_layout_build(spec, "in code", list, layout_out, &err);

    *error_count_out = dtx_diagnostics_error_count(list);
    dtx_diagnostics_destroy(list);
    return status;
}

Test(build, a_layout_made_in_code_is_the_text_that_says_the_same)
{
    struct dtx_layout *layout = NULL;
    int error_count;

    cr_assert_eq(build(&all, &layout, &error_count), DTX_OK);
    cr_assert_str_eq(dtx_layout_text(layout),
                     "mesh: {\"dp\": 2, \"tp\": 2}\n"
                     "ranks: [3, 2, 1, 0]\n"
                     "split: \"balanced\"\n"
                     "tensors:\n"
                     "  - name: \"a.*\"\n"
                     "    placements: {\"tp\": {shard: 0, block: 2}, "
                     "\"dp\": \"_S(1, 2)\"}\n"
                     "  - name: \"**\"\n"
                     "    placements: {}\n"
                     "    dtype: bfloat16\n"
                     "rename:\n"
                     "  - match: \"^b\"\n"
                     "    to: \"c\"\n");
    cr_assert_str_eq(dtx_layout_file_name(layout), "in code");
    cr_assert_eq(dtx_layout_rank(layout, 0), 3);
    dtx_layout_destroy(layout);
}

Test(build, a_mistake_in_code_is_one_of_the_list)
{
    struct dtx_axis_placement wrong = {"tp", "shard(x)"};
    struct dtx_rule_spec rule = {"**", 1, &wrong, DTX_RAW};
    struct dtx_layout_spec spec = {
        .axis_count = 2, .axes = axes, .rule_count = 1, .rules = &rule};
    struct dtx_layout *layout = NULL;
    int error_count;

    cr_assert_eq(build(&spec, &layout, &error_count), DTX_ERR_INVALID);
    cr_assert_null(layout);
    cr_assert_eq(error_count, 1);
}

Test(build, ranks_of_a_mesh_beyond_counting_are_not_looked_at)
{
    struct dtx_mesh_axis large[] = {
        {"a", INT_MAX}, {"b", INT_MAX}, {"c", INT_MAX}};
    struct dtx_layout_spec spec = {.axes = large, .ranks = ranks};
    struct dtx_layout *layout = NULL;
    int error_count;

    for (spec.axis_count = 2; spec.axis_count <= 3; spec.axis_count++) {
        cr_assert_eq(build(&spec, &layout, &error_count), DTX_ERR_INVALID);
        cr_assert_gt(error_count, 0);
    }
}

Test(build, every_allocation_can_fail)
{
    enum dtx_status status = DTX_ERR_LIMIT;

    for (int64_t k = 0; status != DTX_OK; k++) {
        struct dtx_diagnostics *list = dtx_diagnostics_create();
        struct dtx_layout *layout = NULL;
        struct dtx_error err = {0};

        dtx_alloc_fail_after(k);
        status = dtx_layout_build(&all, "in code", list, &layout, &err);
        dtx_alloc_fail_after(-1);
        cr_assert(status == DTX_OK || status == DTX_ERR_LIMIT, "%s",
                  err.message);
        dtx_layout_destroy(layout);
        dtx_diagnostics_destroy(list);
    }
}
