#include <criterion/criterion.h>
#include <string.h>

#include "layout/placement.h"

static const int64_t two[] = {3, 5};
static const int64_t others[] = {3, 6};

/* A shard with one key that says something. */
static struct dtx_placement
with_key(int key)
{
    bool is_list = dtx_shard_key_forms[key].is_list;
    struct dtx_placement p = {.kind = DTX_SHARD, .axis = 1, .dim = -1};

    p.keys[key] = (struct dtx_shard_value){2, is_list ? two : NULL};
    return p;
}

/* The form of layout files, and that of plans with two dims, in line. */
static const char *
said(const struct dtx_placement *p)
{
    static char words[256];
    struct dtx_text text = {0};

    dtx_placement_write(p, &text);
    dtx_text_add(&text, " ");
    dtx_placement_describe(p, 2, &text);
    cr_assert(!text.failed && text.length < sizeof words);
    memcpy(words, text.data, text.length + 1);
    dtx_text_finish(&text);
    return words;
}

Test(placement, every_key_has_its_words)
{
    static const char *const words[] = {
        [DTX_SHARD_SIZES] = "{shard: -1, sizes: [3, 5]} shard(1 by sizes)",
        [DTX_SHARD_BLOCK] = "{shard: -1, block: 2} shard(1 of blocks 2)",
        [DTX_SHARD_SEGMENTS] =
            "{shard: -1, segments: [3, 5]} shard(1 in 2 segments)",
        [DTX_SHARD_FACTOR] = "{shard: -1, split_factor: 2} shard(1 strided 2)"};

    cr_assert_eq(sizeof words / sizeof *words, DTX_SHARD_KEY_COUNT);
    for (int key = 0; key < DTX_SHARD_KEY_COUNT; key++) {
        struct dtx_placement p = with_key(key);

        cr_expect_str_eq(said(&p), words[key]);
    }
}

Test(placement, lists_are_said_before_numbers)
{
    struct dtx_placement p = with_key(DTX_SHARD_BLOCK);

    p.keys[DTX_SHARD_SEGMENTS] =
        with_key(DTX_SHARD_SEGMENTS).keys[DTX_SHARD_SEGMENTS];
    cr_expect_str_eq(said(&p), "{shard: -1, segments: [3, 5], block: 2} "
                               "shard(1 in 2 segments of blocks 2)");
}

Test(placement, other_kinds_and_plain_shards_are_short)
{
    struct dtx_placement p = {.kind = DTX_SHARD, .dim = 1};

    cr_expect_str_eq(said(&p), "shard(1) shard(1)");
    p = (struct dtx_placement){.kind = DTX_PARTIAL, .op = DTX_MAX};
    cr_expect_str_eq(said(&p), "partial(max) partial(max)");
    p = (struct dtx_placement){.kind = DTX_REPLICATE};
    cr_expect_str_eq(said(&p), "replicate replicate");
}

Test(placement, every_key_makes_a_difference)
{
    enum dtx_shard_key keys[DTX_SHARD_KEY_COUNT];

    for (int a = 0; a < DTX_SHARD_KEY_COUNT; a++) {
        struct dtx_placement p = with_key(a), plain = p, other = p;

        plain.keys[a] = (struct dtx_shard_value){0};
        if (dtx_shard_key_forms[a].is_list) {
            other.keys[a].list = others;
        } else {
            other.keys[a].number++;
        }
        cr_expect_eq(dtx_placement_keys(&plain, keys), 0);
        cr_expect_eq(dtx_placement_keys(&p, keys), 1);
        cr_expect_eq(keys[0], a);
        cr_expect(!dtx_placement_equals(&p, &plain));
        cr_expect(!dtx_placement_equals(&plain, &p));
        cr_expect(!dtx_placement_equals(&p, &other));
        for (int b = 0; b < DTX_SHARD_KEY_COUNT; b++) {
            struct dtx_placement q = with_key(b);

            cr_expect_eq(dtx_placement_equals(&p, &q), a == b);
        }
    }
}

Test(placement, equal_lists_are_equal_wherever_they_are)
{
    struct dtx_placement p = with_key(DTX_SHARD_SIZES), q = p;
    int64_t copy[] = {3, 5};

    q.keys[DTX_SHARD_SIZES].list = copy;
    q.mark = (struct dtx_mark){7, 7, 7};
    cr_expect(dtx_placement_equals(&p, &q));
    copy[1]++;
    cr_expect(!dtx_placement_equals(&p, &q));
}
