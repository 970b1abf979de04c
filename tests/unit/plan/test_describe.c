#include "plan/class/describe.h"

#include <string.h>

#include "support/claim.h"

/* The words for the one rule of a mesh {pp: 1, dp: 2, tp: 4}. */
static const char *
words_for(const char *placements, int ndim, struct dtx_names *names)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_text text = {0};
    const char *words;
    struct dtx_error err;

    dtx_text_format(&text,
                    "mesh: {pp: 1, dp: 2, tp: 4}\n"
                    "checkpoint: {path: \"s/{rank}.h5\"}\n"
                    "tensors:\n  - {name: a, placements: %s}\n",
                    placements);
    claim(dtx_layout_parse(text.data, "s.yaml", ".", DTX_SOURCE, list, &layout,
                           &err) == DTX_OK,
          "%s", dtx_diagnostics_draw(list));
    words = dtx_describe_placements(layout, &layout->rules[0], ndim, names);
    dtx_layout_destroy(layout);
    dtx_diagnostics_destroy(list);
    dtx_text_finish(&text);
    return words;
}

static const struct {
    const char *placements, *words;
} cases[] = {
    {"{}", "replicated"},
    {"{pp: S(0)}", "replicated"},
    {"{tp: S(0)}", "shard(0) tp/4"},
    {"{tp: S(0), dp: S(0)}", "shard(0) tp/4, shard(0) dp/2"},
    {"{dp: S(-1), tp: R}", "shard(1) dp/2"},
    {"{dp: P(sum), tp: S(1)}", "partial(sum) dp/2, shard(1) tp/4"},
    {"{tp: {shard: 0, block: 8}}", "shard(0 of blocks 8) tp/4"},
    {"{tp: {shard: 0, sizes: [1, 2, 3, 4]}}", "shard(0 by sizes) tp/4"},
    {"{tp: {shard: 0, segments: [8, 8]}}", "shard(0 in 2 segments) tp/4"},
    {"{tp: {shard: 0, split_factor: 2}}", "shard(0 strided 2) tp/4"},
};

Test(describe, says_what_each_axis_does_in_the_order_as_written)
{
    struct dtx_names names = {0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words = words_for(cases[i].placements, 2, &names);

        claim(words != NULL && strcmp(words, cases[i].words) == 0, "%s: %s",
              cases[i].placements, words);
    }
    dtx_names_finish(&names);
}

Test(describe, equal_words_are_one_string)
{
    struct dtx_names names = {0};
    const char *first = words_for("{tp: S(0)}", 2, &names);

    claim(words_for("{tp: S(-2)}", 2, &names) == first);
    claim(words_for("{tp: S(1)}", 2, &names) != first);
    dtx_names_finish(&names);
}
