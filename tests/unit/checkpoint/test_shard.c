#include <criterion/criterion.h>
#include <string.h>

#include "tools/checkpoint/element.h"
#include "tools/checkpoint/shard.h"

enum { MOST = 4096 };

static const int64_t logical[] = {6, 10, 8};
static const struct tensor tensor = {.name = "a",
                                     .key = 99,
                                     .type = {DTX_INT16, 0, 2},
                                     .ndim = 3,
                                     .shape = logical};

/* The ways to hold a part of a dim: runs that cover the local extent. */
static struct run part[] = {{0, 3, 2}};
static struct run joined[] = {{0, 2, 0}, {2, 3, 5}};
static struct run padded[] = {{0, 1, 4}, {1, 2, -1}, {3, 2, 7}, {5, 1, -1}};
static struct run whole0[] = {{0, 6, 0}};
static struct run whole1[] = {{0, 10, 0}};
static struct run whole2[] = {{0, 8, 0}};

static const struct {
    struct run *runs[4];
    int counts[4];
    int64_t extents[4];
} choices[3] = {
    {{part, joined, NULL, whole0}, {1, 2, 0, 1}, {3, 5, 0, 6}},
    {{part, joined, padded, whole1}, {1, 2, 4, 1}, {3, 5, 6, 10}},
    {{part, joined, padded, whole2}, {1, 2, 4, 1}, {3, 5, 6, 8}},
};

static void
choose(struct shard *shard, int d, int choice)
{
    shard->runs[d] = choices[d].runs[choice];
    shard->run_counts[d] = choices[d].counts[choice];
    shard->shape[d] = choices[d].extents[choice];
}

/* One element, made alone. */
static int16_t
element_at(const struct shard *shard, const int64_t *local, int16_t padding)
{
    int64_t index = 0;
    int16_t value;

    for (int d = 0; d < 3; d++) {
        int64_t global = shard_global(shard, d, local[d]);

        if (global < 0) {
            return padding;
        }
        index = index * logical[d] + global;
    }
    element_fill(DTX_INT16, tensor.key, index, 1, &value);
    return value;
}

static void
assert_box(const struct shard *shard, const int64_t *lo, const int64_t *len)
{
    static int16_t box[MOST];
    const int16_t *at = box;
    int64_t i[3];

    memset(box, 0x55, sizeof(box));
    shard_fill(shard, lo, len, PADDING_KEEP, box);
    for (i[0] = lo[0]; i[0] < lo[0] + len[0]; i[0]++) {
        for (i[1] = lo[1]; i[1] < lo[1] + len[1]; i[1]++) {
            for (i[2] = lo[2]; i[2] < lo[2] + len[2]; i[2]++) {
                cr_assert_eq(*at++, element_at(shard, i, 0x5555));
            }
        }
    }
    cr_assert_eq(*at, 0x5555, "written past the box");
}

Test(shard, every_box_of_every_kind_of_shard_has_its_elements)
{
    struct shard shard = {
        .tensor = &tensor, .constant = -1, .strides = {80, 8, 1}};

    for (int choice = 0; choice < 64; choice++) {
        if (choice % 4 == 2) {
            continue;
        }
        choose(&shard, 0, choice % 4);
        choose(&shard, 1, choice / 4 % 4);
        choose(&shard, 2, choice / 16);
        assert_box(&shard, (int64_t[]){0, 0, 0}, shard.shape);
        assert_box(&shard, (int64_t[]){1, 0, 0},
                   (int64_t[]){2, shard.shape[1], shard.shape[2]});
        assert_box(&shard, (int64_t[]){2, 1, 0},
                   (int64_t[]){1, 2, shard.shape[2]});
        assert_box(&shard, (int64_t[]){0, 2, 1}, (int64_t[]){1, 1, 2});
    }
}

Test(shard, padding_is_garbage_or_zero_as_asked)
{
    struct shard shard = {
        .tensor = &tensor, .constant = -1, .strides = {80, 8, 1}};
    int16_t box[6];

    choose(&shard, 0, 0);
    choose(&shard, 1, 0);
    choose(&shard, 2, 2);
    shard_fill(&shard, (int64_t[]){0, 0, 0}, (int64_t[]){1, 1, 6},
               PADDING_GARBAGE, box);
    cr_assert_eq(box[1], -1);
    cr_assert_eq(box[5], -1);
    shard_fill(&shard, (int64_t[]){0, 0, 0}, (int64_t[]){1, 1, 6}, PADDING_ZERO,
               box);
    cr_assert_eq(box[1], 0);
    cr_assert_eq(box[5], 0);
}

Test(shard, a_constant_fills_all_but_padding)
{
    struct shard shard = {
        .tensor = &tensor, .constant = 1, .strides = {80, 8, 1}};
    int16_t box[6];

    choose(&shard, 0, 0);
    choose(&shard, 1, 0);
    choose(&shard, 2, 2);
    shard_fill(&shard, (int64_t[]){0, 0, 0}, (int64_t[]){1, 1, 6}, PADDING_ZERO,
               box);
    cr_assert_arr_eq(box, ((int16_t[]){1, 0, 0, 1, 1, 0}), sizeof(box));
}
