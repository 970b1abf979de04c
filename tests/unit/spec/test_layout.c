/*
 * Right layouts, in each form that there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

Test(spec, a_layout_needs_no_more_than_a_path_and_tensors)
{
    struct parsed p = parse_right("checkpoint: {path: a.h5}\ntensors: []\n");

    cr_expect_eq(p.layout->mesh.axis_count, 0);
    cr_expect_eq(p.layout->mesh.position_count, 1);
    cr_expect_str_eq(p.layout->dataset.source, "{name}");
    cr_expect_eq(p.layout->view, DTX_VIEW_LOCAL);
    cr_expect_eq(p.layout->split, DTX_SPLIT_CHUNK);
    cr_expect_eq(p.layout->rule_count, 0);
    cr_expect_not(p.layout->is_manifest);
    parsed_finish(&p);
}

Test(spec, an_empty_mesh_is_one_rank)
{
    struct parsed p =
        parse_right("mesh: {}\ncheckpoint: {path: a.h5}\ntensors: []\n");

    cr_expect_eq(p.layout->mesh.position_count, 1);
    parsed_finish(&p);
}

Test(spec, axes_keep_the_order_as_written)
{
    struct parsed p = parse_right(
        "mesh: {tp: 4, dp: 2, cp: 3}\n"
        "ranks: [23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,\n"
        "        11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]\n"
        "checkpoint: {path: \"{tp:02}/{rank}.h5\", dataset: \"m/{name}\"}\n"
        "split: balanced\n"
        "tensors: []\n");
    const struct dtx_mesh *mesh = &p.layout->mesh;

    cr_expect_str_eq(mesh->names[0], "tp");
    cr_expect_str_eq(mesh->names[2], "cp");
    cr_expect_eq(mesh->sizes[0], 4);
    cr_expect_eq(mesh->strides[0], 6);
    cr_expect_eq(mesh->strides[2], 1);
    cr_expect_eq(dtx_mesh_rank(mesh, 0), 23);
    cr_expect_eq(p.layout->split, DTX_SPLIT_BALANCED);
    cr_expect_str_eq(p.layout->path.source, "{tp:02}/{rank}.h5");
    cr_expect_str_eq(p.layout->dataset.source, "m/{name}");
    parsed_finish(&p);
}

static void
expect_placement(const char *rule, int index, struct dtx_placement wanted)
{
    struct parsed p = parse_rule(rule);
    const struct dtx_rule *r = &p.layout->rules[0];
    const struct dtx_placement *got = &r->placements[index];

    cr_assert_lt(index, r->placement_count, "%s", rule);
    cr_expect(dtx_placement_equals(got, &wanted), "%s", rule);
    parsed_finish(&p);
}

#define SHARD(a, d, b, f)                                                      \
    ((struct dtx_placement){.kind = DTX_SHARD,                                 \
                            .axis = a,                                         \
                            .dim = d,                                          \
                            .keys = {[DTX_SHARD_BLOCK] = {.number = b},        \
                                     [DTX_SHARD_FACTOR] = {.number = f}}})
#define PARTIAL(a, o)                                                          \
    ((struct dtx_placement){.kind = DTX_PARTIAL, .axis = a, .op = o})
#define REPLICATE(a) ((struct dtx_placement){.kind = DTX_REPLICATE, .axis = a})

Test(spec, placements_have_many_forms)
{
    expect_placement("placements: {tp: shard(0)}", 0, SHARD(1, 0, 0, 0));
    expect_placement("placements: {tp: S(1)}", 0, SHARD(1, 1, 0, 0));
    expect_placement("placements: {tp: shard(-1)}", 0, SHARD(1, -1, 0, 0));
    expect_placement("placements: {tp: shard( 2 )}", 0, SHARD(1, 2, 0, 0));
    expect_placement("placements: {tp: {shard: -2}}", 0, SHARD(1, -2, 0, 0));
    expect_placement("placements: {tp: {shard: 0, block: 128}}", 0,
                     SHARD(1, 0, 128, 0));
    expect_placement("placements: {tp: {shard: 1, split_factor: 3}}", 0,
                     SHARD(1, 1, 0, 3));
    expect_placement("placements: {tp: \"_S(0, 2)\"}", 0, SHARD(1, 0, 0, 2));
    expect_placement("placements: [\"_S(-1,2)\", S(0)]", 0, SHARD(0, -1, 0, 2));
    expect_placement("placements: {tp: \"_S(0, 1)\"}", 0, SHARD(1, 0, 0, 0));
    expect_placement("placements: {tp: {shard: 0, block: 1}}", 0,
                     SHARD(1, 0, 0, 0));
    expect_placement("placements: [R, shard(3)]", 1, SHARD(1, 3, 0, 0));
    expect_placement("placements: [replicate, S(0)]", 0, REPLICATE(0));
    expect_placement("placements: {dp: R}", 0, REPLICATE(0));
    expect_placement("placements: {dp: partial(sum)}", 0, PARTIAL(0, DTX_SUM));
    expect_placement("placements: {dp: P(avg)}", 0, PARTIAL(0, DTX_AVG));
    expect_placement("placements: {dp: P(min)}", 0, PARTIAL(0, DTX_MIN));
    expect_placement("placements: {dp: {partial: max}}", 0,
                     PARTIAL(0, DTX_MAX));
    expect_placement("placements: {dp: P(product)}", 0,
                     PARTIAL(0, DTX_PRODUCT));
}

Test(spec, a_map_of_placements_keeps_its_order)
{
    expect_placement("placements: {tp: S(0), dp: S(0)}", 0, SHARD(1, 0, 0, 0));
    expect_placement("placements: {tp: S(0), dp: S(0)}", 1, SHARD(0, 0, 0, 0));
}

Test(spec, a_bare_strided_shard_is_fine_outside_brackets)
{
    struct parsed p = parse_right(HEAD "tensors:\n"
                                       "  - name: w\n"
                                       "    placements:\n"
                                       "      dp: _S(0, 2)\n"
                                       "      tp: S(0)\n"
                                       "  - name: v\n"
                                       "    placements:\n"
                                       "      - _S(1, 4)\n");

    cr_expect_eq(p.layout->rules[0].placements[0].keys[DTX_SHARD_FACTOR].number,
                 2);
    cr_expect_eq(p.layout->rules[1].placements[0].keys[DTX_SHARD_FACTOR].number,
                 4);
    parsed_finish(&p);
}

Test(spec, a_shard_has_sizes_or_segments)
{
    struct parsed p =
        parse_rule("placements: {dp: {shard: 0, sizes: [3, 5]},"
                   " tp: {shard: 1, segments: [8, 8, 16], block: 2}}");
    const struct dtx_placement *placements = p.layout->rules[0].placements;

    cr_expect_eq(placements[0].keys[DTX_SHARD_SIZES].list[0], 3);
    cr_expect_eq(placements[0].keys[DTX_SHARD_SIZES].list[1], 5);
    cr_expect_eq(placements[0].keys[DTX_SHARD_SEGMENTS].number, 0);
    cr_expect_eq(placements[1].keys[DTX_SHARD_SEGMENTS].number, 3);
    cr_expect_eq(placements[1].keys[DTX_SHARD_SEGMENTS].list[2], 16);
    cr_expect_eq(placements[1].keys[DTX_SHARD_BLOCK].number, 2);
    cr_expect_null(placements[1].keys[DTX_SHARD_SIZES].list);
    parsed_finish(&p);
}

Test(spec, coordinates_count_from_either_end)
{
    struct parsed p = parse_rule("where: {tp: [0, -1, 2], dp: -1}");
    const struct dtx_where *where = p.layout->rules[0].where;

    cr_assert_eq(p.layout->rules[0].where_count, 2);
    cr_expect_eq(where[0].axis, 1);
    cr_expect_eq(where[0].coordinate_count, 3);
    cr_expect_eq(where[0].coordinates[0], 0);
    cr_expect_eq(where[0].coordinates[1], 2);
    cr_expect_eq(where[0].coordinates[2], 3);
    cr_expect_eq(where[1].axis, 0);
    cr_expect_eq(where[1].coordinate_count, 1);
    cr_expect_eq(where[1].coordinates[0], 1);
    parsed_finish(&p);
}

Test(spec, both_ends_of_a_short_axis_are_one_coordinate)
{
    struct parsed p = parse_right("mesh: {pp: 1}\n"
                                  "checkpoint: {path: a.h5}\n"
                                  "tensors:\n"
                                  "  - {name: w, where: {pp: [0, -1]}}\n");

    cr_expect_eq(p.layout->rules[0].where[0].coordinate_count, 1);
    parsed_finish(&p);
}

Test(spec, a_shape_is_a_list_or_a_map)
{
    struct parsed p = parse_right(
        HEAD "tensors:\n"
             "  - {name: a, shape: [16, 0, 4]}\n"
             "  - {name: b, shape: {1: 7, -1: 9}, pad: {0: 128, -1: "
             "{multiple: 64}}}\n"
             "  - {name: c, shape: []}\n"
             "  - {name: d}\n");
    const struct dtx_rule *rules = p.layout->rules;

    cr_expect(rules[0].has_shape && rules[0].shape_is_list);
    cr_expect_eq(rules[0].shape_count, 3);
    cr_expect_eq(rules[0].shape[2].extent, 4);
    cr_expect(rules[1].has_shape && !rules[1].shape_is_list);
    cr_expect_eq(rules[1].shape[1].dim, -1);
    cr_expect_eq(rules[1].shape[1].extent, 9);
    cr_expect_eq(rules[1].pad_count, 2);
    cr_expect_eq(rules[1].pad[0].extent, 128);
    cr_expect_eq(rules[1].pad[0].multiple, 0);
    cr_expect_eq(rules[1].pad[1].extent, -1);
    cr_expect_eq(rules[1].pad[1].multiple, 64);
    cr_expect(rules[2].has_shape && rules[2].shape_is_list);
    cr_expect_eq(rules[2].shape_count, 0);
    cr_expect_not(rules[3].has_shape);
    parsed_finish(&p);
}

Test(spec, a_rule_has_a_split_and_a_dtype_of_its_own)
{
    struct parsed p =
        parse_right(HEAD "split: even\n"
                         "tensors:\n"
                         "  - {name: a, split: pad, dtype: bf16}\n"
                         "  - {name: b, dtype: float8_e4m3fn}\n");
    const struct dtx_rule *rules = p.layout->rules;

    cr_expect(rules[0].has_split && rules[0].has_dtype);
    cr_expect_eq(rules[0].split, DTX_SPLIT_PAD);
    cr_expect_eq(rules[0].split_mark.line, 5);
    cr_expect_eq(rules[0].dtype, DTX_BFLOAT16);
    cr_expect_not(rules[1].has_split);
    cr_expect_eq(rules[1].split, DTX_SPLIT_EVEN);
    cr_expect_eq(rules[1].split_mark.line, 3);
    cr_expect_eq(rules[1].dtype, DTX_FLOAT8_E4M3FN);
    parsed_finish(&p);
}

Test(spec, words_that_old_yaml_takes_for_booleans_are_texts)
{
    struct parsed p = parse_right("mesh: {no: 2}\n"
                                  "checkpoint: {path: off}\n"
                                  "tensors:\n"
                                  "  - name: on\n"
                                  "    placements: {no: shard(0)}\n"
                                  "  - name: yes\n");

    cr_expect_str_eq(p.layout->mesh.names[0], "no");
    cr_expect_str_eq(p.layout->rules[0].glob, "on");
    cr_expect_str_eq(p.layout->rules[1].glob, "yes");
    parsed_finish(&p);
}

Test(spec, the_first_rule_that_matches_counts)
{
    struct parsed p =
        parse_right(HEAD "tensors:\n"
                         "  - {name: \"layers.*.w[qkv].weight\"}\n"
                         "  - {name: layers.0.wo.weight}\n"
                         "  - {name: \"**\"}\n");

    cr_expect_eq(dtx_layout_find_rule(p.layout, "layers.3.wq.weight"), 0);
    cr_expect_eq(dtx_layout_find_rule(p.layout, "layers.0.wo.weight"), 1);
    cr_expect_eq(dtx_layout_find_rule(p.layout, "head"), 2);
    parsed_finish(&p);
}

Test(spec, marks_count_code_points)
{
    struct parsed p = parse_right("\xEF\xBB\xBF# été ✓\n"
                                  "mesh: {tp: 4}\r\n"
                                  "checkpoint: {path: \"été.h5\"}\n"
                                  "tensors:\n"
                                  "  - {name: \"été.*\", split: even}\n");
    const struct dtx_rule *rule = &p.layout->rules[0];

    cr_expect_eq(p.layout->path_mark.line, 3);
    cr_expect_eq(p.layout->path_mark.column, 20);
    cr_expect_eq(p.layout->path_mark.length, 8);
    cr_expect_eq(rule->mark.line, 5);
    cr_expect_eq(rule->mark.column, 12);
    cr_expect_eq(rule->mark.length, 7);
    cr_expect_eq(rule->split_mark.column, 28);
    parsed_finish(&p);
}

Test(spec, chunks_and_compression_say_how_a_target_is_stored)
{
    struct parsed p = parse_as("checkpoint: {path: a.h5, chunks: [64, 32], "
                               "compression: gzip}\ntensors: []\n",
                               DTX_TARGET);

    cr_assert_eq(p.status, DTX_OK);
    cr_expect_eq(p.warning_count, 0);
    cr_expect_eq(p.layout->chunk_count, 2);
    cr_expect_eq(p.layout->chunks[1], 32);
    cr_expect(p.layout->gzip);
    parsed_finish(&p);
}

Test(spec, a_target_renames)
{
    struct parsed p =
        parse_as(HEAD "rename:\n"
                      "  - {match: '^layers\\.([0-9]+)\\.', to: 'h.\\1.'}\n"
                      "  - match: \"^(em)(bed)$\"\n"
                      "    to: \"\\\\2_\\\\1\"\n"
                      "tensors: []\n",
                 DTX_TARGET);
    struct dtx_arena arena = {0};

    cr_assert_eq(p.status, DTX_OK, "%s", p.drawing);
    cr_expect_eq(p.layout->rename_count, 2);
    cr_expect_str_eq(dtx_layout_rename(p.layout, "layers.12.w", &arena),
                     "h.12.w");
    cr_expect_str_eq(dtx_layout_rename(p.layout, "embed", &arena), "bed_em");
    dtx_arena_finish(&arena);
    parsed_finish(&p);
}

Test(spec, file_and_folder_are_kept)
{
    struct parsed p = parse_right(HEAD "tensors: []\n");

    cr_expect_str_eq(p.layout->file, "layout.yaml");
    cr_expect_str_eq(p.layout->folder, ".");
    cr_expect_str_eq(p.layout->text, HEAD "tensors: []\n");
    parsed_finish(&p);
}

Test(spec, mistakes_beyond_those_drawn_are_counted)
{
    const int count = 20000;
    char *text = malloc(64 + (size_t)count * 16);
    struct parsed p;
    char *at = text;

    at = stpcpy(at, "checkpoint: {path: a.h5}\ntensors:\n");
    for (int i = 0; i < count; i++) {
        at = stpcpy(at, "- {nam: x}\n");
    }
    p = parse_as(text, DTX_SOURCE);
    cr_expect_eq(p.status, DTX_ERR_INVALID);
    cr_expect_eq(p.error_count, count);
    parsed_finish(&p);
    free(text);
}
