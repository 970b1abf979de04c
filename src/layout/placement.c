#include "layout/placement.h"

#include <inttypes.h>
#include <string.h>

const struct dtx_shard_key_form dtx_shard_key_forms[DTX_SHARD_KEY_COUNT] = {
    [DTX_SHARD_SIZES] = {"sizes", "a size", "by sizes", .is_list = true,
                         .is_per_coordinate = true, .is_alone = true},
    [DTX_SHARD_BLOCK] = {"block", "a block", "of blocks #"},
    [DTX_SHARD_SEGMENTS] = {"segments", "a segment", "in # segments",
                            .is_list = true},
    [DTX_SHARD_FACTOR] = {"split_factor", "a split factor", "strided #",
                          .is_alone = true},
};

int
dtx_placement_keys(const struct dtx_placement *p, enum dtx_shard_key *keys_out)
{
    int count = 0;
    int turn, key;

    for (turn = 0; turn < 2; turn++) {
        for (key = 0; key < DTX_SHARD_KEY_COUNT; key++) {
            const struct dtx_shard_value *value = &p->keys[key];

            if (turn == 0 ? value->list != NULL
                          : value->list == NULL && value->number > 1) {
                keys_out[count++] = (enum dtx_shard_key)key;
            }
        }
    }
    return count;
}

static bool
same_value(const struct dtx_shard_value *a, const struct dtx_shard_value *b)
{
    if (a->number != b->number || a->list == NULL || b->list == NULL) {
        return a->number == b->number && a->list == b->list;
    }
    return memcmp(a->list, b->list, (size_t)a->number * sizeof *a->list) == 0;
}

bool
dtx_placement_equals(const struct dtx_placement *a,
                     const struct dtx_placement *b)
{
    bool is_same = a->kind == b->kind && a->axis == b->axis &&
                   a->dim == b->dim && a->op == b->op;
    int key;

    for (key = 0; key < DTX_SHARD_KEY_COUNT && is_same; key++) {
        is_same = same_value(&a->keys[key], &b->keys[key]);
    }
    return is_same;
}

static void
write_shard(const struct dtx_placement *p, struct dtx_text *text)
{
    enum dtx_shard_key keys[DTX_SHARD_KEY_COUNT];
    int count = dtx_placement_keys(p, keys);
    int i;

    if (count == 0) {
        dtx_text_format(text, "shard(%d)", p->dim);
        return;
    }
    dtx_text_format(text, "{shard: %d", p->dim);
    for (i = 0; i < count; i++) {
        const struct dtx_shard_value *value = &p->keys[keys[i]];

        dtx_text_format(text, ", %s: ", dtx_shard_key_forms[keys[i]].name);
        if (value->list != NULL) {
            dtx_text_list(text, value->list, value->number);
        } else {
            dtx_text_format(text, "%" PRId64, value->number);
        }
    }
    dtx_text_add(text, "}");
}

void
dtx_placement_write(const struct dtx_placement *p, struct dtx_text *text)
{
    switch (p->kind) {
    case DTX_REPLICATE:
        dtx_text_add(text, "replicate");
        break;
    case DTX_SHARD:
        write_shard(p, text);
        break;
    case DTX_PARTIAL:
        dtx_text_format(text, "partial(%s)", dtx_op_names[p->op]);
        break;
    }
}

/* Adds words with a number in the place of '#'. */
static void
add_words(struct dtx_text *text, const char *words, int64_t number)
{
    size_t before = strcspn(words, "#");

    dtx_text_add_bytes(text, words, before);
    if (words[before] == '#') {
        dtx_text_format(text, "%" PRId64 "%s", number, &words[before + 1]);
    }
}

void
dtx_placement_describe(const struct dtx_placement *p, int ndim,
                       struct dtx_text *text)
{
    enum dtx_shard_key keys[DTX_SHARD_KEY_COUNT];
    int count, i;

    if (p->kind != DTX_SHARD) {
        dtx_placement_write(p, text);
        return;
    }
    dtx_text_format(text, "shard(%d", p->dim < 0 ? p->dim + ndim : p->dim);
    count = dtx_placement_keys(p, keys);
    for (i = 0; i < count; i++) {
        dtx_text_add(text, " ");
        add_words(text, dtx_shard_key_forms[keys[i]].words,
                  p->keys[keys[i]].number);
    }
    dtx_text_add(text, ")");
}
