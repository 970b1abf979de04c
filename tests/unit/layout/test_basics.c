#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "layout/layout.h"
#include "layout/shape.h"
#include <dtx/dtype.h>

Test(shape, a_scalar_holds_one_element)
{
    cr_assert_eq(dtx_shape_count(0, NULL), 1);
}

Test(shape, shapes_beyond_64_bits_are_not_counted)
{
    int64_t fits[] = {INT64_C(1) << 31, INT64_C(1) << 31, 1};
    int64_t beyond[] = {INT64_C(1) << 31, INT64_C(1) << 31, 2};
    int64_t empty[] = {INT64_MAX, INT64_MAX, 0};

    cr_assert_eq(dtx_shape_count(3, fits), INT64_C(1) << 62);
    cr_assert_eq(dtx_shape_count(3, beyond), -1);
    cr_assert_eq(dtx_shape_count(3, empty), 0);
}

Test(mesh, positions_count_in_row_major_order)
{
    struct dtx_mesh mesh = {.axis_count = 3, .sizes = {2, 3, 4}};

    cr_assert(dtx_mesh_finish(&mesh));
    cr_assert_eq(mesh.position_count, 24);
    for (int position = 0; position < 24; position++) {
        cr_assert_eq(dtx_mesh_coordinate(&mesh, position, 0), position / 12);
        cr_assert_eq(dtx_mesh_coordinate(&mesh, position, 1), position / 4 % 3);
        cr_assert_eq(dtx_mesh_coordinate(&mesh, position, 2), position % 4);
        cr_assert_eq(dtx_mesh_rank(&mesh, position), position);
    }
}

Test(mesh, a_mesh_of_no_axes_has_one_position)
{
    struct dtx_mesh mesh = {0};

    cr_assert(dtx_mesh_finish(&mesh));
    cr_assert_eq(mesh.position_count, 1);
}

Test(mesh, too_many_positions_are_refused)
{
    struct dtx_mesh mesh = {.axis_count = 3, .sizes = {2048, 1024, 1024}};

    cr_assert_not(dtx_mesh_finish(&mesh));
}

Test(mesh, axes_are_found_by_their_whole_name)
{
    struct dtx_mesh mesh = {
        .axis_count = 2, .names = {"dp", "tp"}, .sizes = {2, 2}};

    cr_assert_eq(dtx_mesh_find_axis(&mesh, "tp"), 1);
    cr_assert_eq(dtx_mesh_find_axis(&mesh, "t"), -1);
    cr_assert_eq(dtx_mesh_find_axis(&mesh, "tp0"), -1);
}

Test(dtype, every_name_and_short_name_is_found)
{
    static const char *const short_names[] = {
        "f64", "f32", "f16", "bf16", "f8_e4m3", "f8_e5m2", "i64",
        "i32", "i16", "i8",  "u64",  "u32",     "u16",     "u8"};
    enum dtx_dtype found;

    for (int i = DTX_RAW + 1; i < DTX_DTYPE_COUNT; i++) {
        cr_assert(dtx_dtype_find(dtx_dtype_name((enum dtx_dtype)i), &found));
        cr_assert_eq((int)found, i);
        cr_assert_gt(dtx_dtype_size(found), 0);
        cr_assert_eq(dtx_type_of(found).size_bytes, dtx_dtype_size(found));
    }
    for (int i = 0; i < 14; i++) {
        cr_assert(dtx_dtype_find(short_names[i], &found));
        cr_assert_eq((int)found, DTX_FLOAT64 + i, "%s", short_names[i]);
    }
}

Test(dtype, raw_is_no_name)
{
    enum dtx_dtype found = DTX_BOOL;

    cr_assert_not(dtx_dtype_find("raw", &found));
    cr_assert_not(dtx_dtype_find("float", &found));
    cr_assert_not(dtx_dtype_find("", &found));
    cr_assert_eq(found, DTX_BOOL);
}

Test(dtype, raw_types_are_equal_by_their_index)
{
    struct dtx_type a = {DTX_RAW, 0, 12}, b = {DTX_RAW, 1, 12};

    cr_assert(dtx_type_equal(a, a));
    cr_assert_not(dtx_type_equal(a, b));
    cr_assert(dtx_type_equal(dtx_type_of(DTX_INT8), dtx_type_of(DTX_INT8)));
    cr_assert_not(
        dtx_type_equal(dtx_type_of(DTX_INT8), dtx_type_of(DTX_UINT8)));
}

/* Axes of two coordinates each. What positions have is V, the value, or 0 or
 * 1. */
static const struct dtx_mesh square = {
    .axis_count = 2, .sizes = {2, 2}, .strides = {2, 1}, .position_count = 4};

static void
check_terms(enum dtx_op first, enum dtx_op second, const char *expected)
{
    struct dtx_placement placements[] = {
        {.kind = DTX_PARTIAL, .axis = 0, .op = first},
        {.kind = DTX_PARTIAL, .axis = 1, .op = second}};
    struct dtx_rule rule = {.placement_count = 2, .placements = placements};

    for (int position = 0; position < 4; position++) {
        cr_assert_eq("V01"[dtx_rule_term(&rule, &square, position)],
                     expected[position]);
    }
}

Test(term, is_decided_by_the_first_axis_beyond_its_coordinate_0)
{
    check_terms(DTX_SUM, DTX_PRODUCT, "V100");
    check_terms(DTX_PRODUCT, DTX_SUM, "V011");
}

Test(term, is_the_value_everywhere_on_axes_that_keep_it)
{
    check_terms(DTX_AVG, DTX_MAX, "VVVV");
    check_terms(DTX_MIN, DTX_SUM, "V0V0");
}
