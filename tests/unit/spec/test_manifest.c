/*
 * Manifests: written, and read back as the layout that they came from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "manifest/manifest.h"
#include "rich.h"

static struct parsed
parse_target(const char *text, const char *folder)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct parsed p = {0};

    p.status = dtx_layout_parse(text, "dst.yaml", folder, DTX_TARGET, list,
                                &p.layout, &p.err);
    p.drawing = dtx_diagnostics_draw(list);
    dtx_diagnostics_destroy(list);
    cr_assert_eq(p.status, DTX_OK, "%s", p.drawing);
    return p;
}

static struct parsed
parse_manifest(const char *text)
{
    struct parsed p = parse_right(text);

    cr_expect_eq(p.warning_count, 0, "%s", p.drawing);
    cr_expect(p.layout->is_manifest);
    return p;
}

static const int64_t shape[] = {64, 48};

static const struct dtx_manifest_tensor tensors[] = {
    {"layers.3.qk.weight", 0, 2, shape, DTX_FLOAT32, "0123456789abcdef",
     "fedcba9876543210"},
    {"fused1", 1, 2, shape, DTX_FLOAT16, NULL, NULL},
    {"strided", 2, 2, shape, DTX_BFLOAT16, NULL, NULL},
    {"stats", 3, 2, shape, DTX_INT64, NULL, NULL},
    {"embed.\"x\"\t[0]{a,b}*?", 4, 2, shape, DTX_UINT8, "00000000000000ff",
     NULL},
    {"step", 5, 0, NULL, DTX_RAW, NULL, NULL},
};
enum { TENSOR_COUNT = sizeof tensors / sizeof *tensors };

static const struct dtx_manifest_file files[] = {
    {"ckpt/out/step 1{x}/pp-0/rank-00015.h5", 4096},
    {"ckpt/out/step 1{x}/pp-1/rank-00000.h5", UINT64_C(1) << 40},
};

static void
expect_same_rule(const struct dtx_rule *a, const struct dtx_rule *b)
{
    cr_assert_eq(a->placement_count, b->placement_count);
    for (int i = 0; i < a->placement_count; i++) {
        cr_expect(dtx_placement_equals(&a->placements[i], &b->placements[i]));
    }
    cr_assert_eq(a->where_count, b->where_count);
    for (int i = 0; i < a->where_count; i++) {
        cr_expect_eq(a->where[i].axis, b->where[i].axis);
        cr_assert_eq(a->where[i].coordinate_count,
                     b->where[i].coordinate_count);
        for (int c = 0; c < a->where[i].coordinate_count; c++) {
            cr_expect_eq(a->where[i].coordinates[c],
                         b->where[i].coordinates[c]);
        }
    }
    cr_assert_eq(a->pad_count, b->pad_count);
    for (int i = 0; i < a->pad_count; i++) {
        cr_expect_eq(a->pad[i].dim, b->pad[i].dim);
        cr_expect_eq(a->pad[i].extent, b->pad[i].extent);
        cr_expect_eq(a->pad[i].multiple, b->pad[i].multiple);
    }
    cr_expect_eq(a->has_split, b->has_split);
    cr_expect_eq(a->split, b->split);
}

static void
expect_same_numbered(const struct dtx_layout *a, const struct dtx_layout *b)
{
    cr_assert_eq(a->numbered_count, b->numbered_count);
    for (int i = 0; i < a->numbered_count; i++) {
        const struct dtx_numbered *first = &a->numbered[i];
        const struct dtx_numbered *second = &b->numbered[i];
        int size = a->mesh.sizes[first->axis];

        cr_expect_str_eq(first->glob_before, second->glob_before);
        cr_expect_str_eq(first->glob_after, second->glob_after);
        cr_assert_eq(first->axis, second->axis);
        cr_expect_eq(first->stored_local, second->stored_local);
        for (int c = 0; c <= size; c++) {
            cr_assert_eq(first->range_first[c], second->range_first[c]);
        }
        for (int r = 0; r < first->range_first[size]; r++) {
            cr_expect_eq(first->ranges[r].first, second->ranges[r].first);
            cr_expect_eq(first->ranges[r].last, second->ranges[r].last);
        }
    }
}

static void
expect_same_tensors(const struct dtx_layout *target,
                    const struct dtx_layout *manifest)
{
    cr_assert_eq(manifest->rule_count, TENSOR_COUNT);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        const struct dtx_manifest_tensor *tensor = &tensors[i];
        const struct dtx_rule *rule = &manifest->rules[i];

        cr_expect_eq(dtx_layout_find_rule(manifest, tensor->name), i, "%s",
                     tensor->name);
        expect_same_rule(&target->rules[tensor->rule], rule);
        cr_expect(rule->has_shape && rule->shape_is_list);
        cr_assert_eq(rule->shape_count, tensor->ndim);
        for (int d = 0; d < tensor->ndim; d++) {
            cr_expect_eq(rule->shape[d].extent, tensor->shape[d]);
        }
        cr_expect_eq(rule->has_dtype, tensor->dtype != DTX_RAW);
        cr_expect_eq(rule->dtype, tensor->dtype);
        cr_expect_eq(rule->digest == NULL, tensor->digest == NULL);
        if (tensor->digest != NULL) {
            cr_expect_str_eq(rule->digest, tensor->digest);
        }
        cr_expect_eq(rule->places == NULL, tensor->places == NULL);
        if (tensor->places != NULL) {
            cr_expect_str_eq(rule->places, tensor->places);
        }
    }
}

Test(spec, a_manifest_is_the_targets_layout)
{
    struct parsed target = parse_target(RICH, "ckpt");
    struct dtx_manifest manifest = {target.layout, TENSOR_COUNT, tensors, 2,
                                    files};
    struct dtx_text text = {0};
    struct parsed back;

    dtx_manifest_write(&manifest, &text);
    cr_assert_not(text.failed);
    back = parse_manifest(text.data);
    cr_expect_eq(back.layout->mesh.axis_count, 3);
    cr_expect_eq(dtx_mesh_rank(&back.layout->mesh, 1), 14);
    cr_expect_eq(back.layout->split, DTX_SPLIT_BALANCED);
    cr_expect_eq(back.layout->chunk_count, 2);
    cr_expect(back.layout->gzip);
    cr_expect_str_eq(back.layout->path.source, "pp-{pp}/rank-{rank:05}.h5");
    cr_expect_str_eq(back.layout->dataset.source,
                     target.layout->dataset.source);
    expect_same_numbered(target.layout, back.layout);
    expect_same_tensors(target.layout, back.layout);
    cr_assert_eq(back.layout->written_file_count, 2);
    cr_expect_str_eq(back.layout->written_files[0].path, "pp-0/rank-00015.h5");
    cr_expect_eq(back.layout->written_files[1].bytes, INT64_C(1) << 40);
    dtx_text_finish(&text);
    parsed_finish(&back);
    parsed_finish(&target);
}

Test(spec, a_manifest_of_nothing_is_right_too)
{
    struct parsed target =
        parse_target("checkpoint: {path: a.h5}\ntensors: []\n", ".");
    struct dtx_manifest manifest = {.target = target.layout};
    struct dtx_text text = {0};
    struct parsed back;

    dtx_manifest_write(&manifest, &text);
    back = parse_manifest(text.data);
    cr_expect_eq(back.layout->rule_count, 0);
    dtx_text_finish(&text);
    parsed_finish(&back);
    parsed_finish(&target);
}

static void
expect_path(const char *path, const char *folder, const char *wanted)
{
    struct dtx_text text = {0};
    struct parsed target;
    char layout[512];

    snprintf(layout, sizeof layout,
             "mesh: {a: 2}\ncheckpoint: {path: \"%s\"}\ntensors: []\n", path);
    target = parse_target(layout, folder);
    dtx_manifest_path(target.layout, &text);
    cr_expect_str_eq(text.data, wanted, "%s gives %s", path, text.data);
    dtx_text_finish(&text);
    parsed_finish(&target);
}

Test(spec, a_manifest_stands_in_the_deepest_folder_without_a_field)
{
    expect_path("{rank}.h5", ".", "manifest.yaml");
    expect_path("{rank}.h5", "runs", "runs/manifest.yaml");
    expect_path("a/b/{rank}.h5", ".", "a/b/manifest.yaml");
    expect_path("a/b-{a}/c/{rank}.h5", "runs", "runs/a/manifest.yaml");
    expect_path("a/{{b}}/x-{rank}.h5", ".", "a/{b}/manifest.yaml");
    expect_path("/scratch/{rank}.h5", "runs", "/scratch/manifest.yaml");
    expect_path("/{rank}.h5", "runs", "/manifest.yaml");
}

Test(spec, a_manifest_stands_beside_a_single_file)
{
    expect_path("model.h5", ".", "model.h5.manifest.yaml");
    expect_path("a/model.h5", "runs", "runs/a/model.h5.manifest.yaml");
    expect_path("a/{{m}}.h5", ".", "a/{m}.h5.manifest.yaml");
    expect_path("/m.h5", "runs", "/m.h5.manifest.yaml");
}
