/*
 * Numbered names: which numbers each coordinate holds.
 */
#include <stdio.h>

#include "fixture.h"

/* A layout of {pp: size} with one numbered entry and a split. */
static struct parsed
parse_held(int size, const char *split, const char *held)
{
    char text[1024];

    snprintf(text, sizeof text,
             "mesh: {pp: %d}\n"
             "checkpoint: {path: \"{pp}.h5\"}\n"
             "split: %s\n"
             "numbered:\n"
             "  - {name: \"layers.{n}.**\", axis: pp, held: %s}\n"
             "tensors: []\n",
             size, split, held);
    return parse_right(text);
}

static void
expect_ranges(const struct parsed *p, int coordinate, int count,
              const struct dtx_numbers *wanted)
{
    const struct dtx_numbered *entry = &p->layout->numbered[0];
    int first = entry->range_first[coordinate];

    cr_assert_eq(entry->range_first[coordinate + 1] - first, count);
    for (int i = 0; i < count; i++) {
        cr_expect_eq(entry->ranges[first + i].first, wanted[i].first);
        cr_expect_eq(entry->ranges[first + i].last, wanted[i].last);
    }
}

#define EXPECT_RANGES(parsed, coordinate, ...)                                 \
    expect_ranges(parsed, coordinate,                                          \
                  sizeof((struct dtx_numbers[]){__VA_ARGS__}) /                \
                      sizeof(struct dtx_numbers),                              \
                  (struct dtx_numbers[]){__VA_ARGS__})

Test(spec, counts_are_of_consecutive_numbers)
{
    struct parsed p = parse_held(3, "chunk", "[2, 0, 3]");

    cr_expect_str_eq(p.layout->numbered[0].glob_before, "layers.");
    cr_expect_str_eq(p.layout->numbered[0].glob_after, ".**");
    cr_expect_not(p.layout->numbered[0].stored_local);
    EXPECT_RANGES(&p, 0, {0, 1});
    expect_ranges(&p, 1, 0, NULL);
    EXPECT_RANGES(&p, 2, {2, 4});
    parsed_finish(&p);
}

Test(spec, ranges_are_held_in_the_order_as_written)
{
    struct parsed p = parse_held(2, "chunk", "[[8-11, 0-3], [\"4\", 5-7, 12]]");

    EXPECT_RANGES(&p, 0, {8, 11}, {0, 3});
    EXPECT_RANGES(&p, 1, {4, 4}, {5, 7}, {12, 12});
    parsed_finish(&p);
}

Test(spec, a_coordinate_can_hold_no_number)
{
    struct parsed p = parse_held(2, "chunk", "[[], [0-3]]");

    expect_ranges(&p, 0, 0, NULL);
    EXPECT_RANGES(&p, 1, {0, 3});
    parsed_finish(&p);
}

Test(spec, one_integer_is_divided_by_the_split)
{
    struct parsed p = parse_held(4, "chunk", "30");

    EXPECT_RANGES(&p, 0, {0, 7});
    EXPECT_RANGES(&p, 3, {24, 29});
    parsed_finish(&p);
    p = parse_held(4, "balanced", "30");
    EXPECT_RANGES(&p, 1, {8, 15});
    EXPECT_RANGES(&p, 3, {23, 29});
    parsed_finish(&p);
    p = parse_held(4, "even", "32");
    EXPECT_RANGES(&p, 3, {24, 31});
    parsed_finish(&p);
    p = parse_held(4, "chunk", "5");
    EXPECT_RANGES(&p, 0, {0, 1});
    EXPECT_RANGES(&p, 2, {4, 4});
    expect_ranges(&p, 3, 0, NULL);
    parsed_finish(&p);
}

Test(spec, padding_makes_no_numbers)
{
    struct parsed p = parse_held(4, "pad", "30");

    EXPECT_RANGES(&p, 3, {24, 29});
    parsed_finish(&p);
}

Test(spec, stages_can_share_a_number_where_it_is_stored_local)
{
    struct parsed p = parse_right("mesh: {pp: 2}\n"
                                  "checkpoint: {path: \"{pp}.h5\"}\n"
                                  "numbered:\n"
                                  "  - name: \"layers.{n}.**\"\n"
                                  "    axis: pp\n"
                                  "    held: [[0-3], [3-5]]\n"
                                  "    stored: local\n"
                                  "tensors: []\n");

    cr_expect(p.layout->numbered[0].stored_local);
    parsed_finish(&p);
}

Test(spec, a_name_can_have_numbers_on_two_axes)
{
    struct parsed p = parse_right(
        "mesh: {pp: 2, ep: 4}\n"
        "checkpoint: {path: \"{pp}-{ep}.h5\"}\n"
        "numbered:\n"
        "  - {name: \"layers.{n}.**\", axis: pp, held: [2, 2]}\n"
        "  - {name: \"layers.*.experts.{n}.**\", axis: ep, held: 16}\n"
        "tensors: []\n");

    cr_expect_eq(p.layout->numbered_count, 2);
    cr_expect_eq(p.layout->numbered[1].axis, 1);
    parsed_finish(&p);
}
