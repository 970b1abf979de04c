#include "values.h"

#include <string.h>

#include "layout/convert.h"
#include "layout/reduce.h"
#include "support/claim.h"

static bool
is_float(enum dtx_dtype dtype)
{
    return dtype != DTX_UINT8 && dtype != DTX_INT16;
}

static int
first_partial(const struct dtx_rule *rule)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            return i;
        }
    }
    return -1;
}

void
value_of_term(const struct scene *scene, int tensor, int term, int64_t element,
              char *out)
{
    enum dtx_dtype dtype = scene->text->tensors[tensor].src_dtype;
    bool is_pending =
        first_partial(scene_rule(scene, SCENE_SOURCE, tensor)) >= 0;
    struct random random = {(uint64_t)element * 1000003u +
                            (uint64_t)(tensor * 4099 + term * 257)};
    uint64_t hash = random_next(&random);

    if (is_float(dtype)) {
        double real = (double)(hash % 2000003u) / 1000.0 - 1000.0;

        claim(dtx_convert(DTX_FLOAT64, dtype, &real, out, 1) < 0);
    } else {
        /* Few and small where they are added up or multiplied. */
        int64_t whole =
            is_pending ? (int64_t)(hash % 3) - 1 : (int64_t)(hash % 255);

        claim(dtx_convert(DTX_INT64, dtype, &whole, out, 1) < 0);
    }
}

/* All terms of one element, reduced. */
static void
reduce(const struct scene *scene, int tensor, int64_t element, char *out)
{
    const struct dtx_rule *rule = scene_rule(scene, SCENE_SOURCE, tensor);
    const struct dtx_mesh *mesh = &scene->layouts[SCENE_SOURCE]->mesh;
    int count = scene_term_count(scene, SCENE_SOURCE, tensor);
    char terms[64][ELEMENT_BYTES_MOST];
    const void *places[64];
    int sizes[DTX_AXIS_MAX];
    enum dtx_op ops[DTX_AXIS_MAX];
    struct dtx_reduction reduction = {scene->text->tensors[tensor].src_dtype, 0,
                                      sizes, ops};

    for (int i = 0; i < count; i++) {
        value_of_term(scene, tensor, i, element, terms[i]);
        places[i] = terms[i];
    }
    for (int i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            sizes[reduction.axis_count] = mesh->sizes[rule->placements[i].axis];
            ops[reduction.axis_count++] = rule->placements[i].op;
        }
    }
    if (reduction.axis_count == 0) {
        memcpy(out, terms[0], ELEMENT_BYTES_MOST);
    } else {
        claim(dtx_reduce_terms(&reduction, places, 1, out) < 0);
    }
}

void
value_in_target(const struct scene *scene, int tensor, int64_t element,
                char *out)
{
    const struct case_tensor *t = &scene->text->tensors[tensor];
    char value[ELEMENT_BYTES_MOST];

    reduce(scene, tensor, element, value);
    if (t->src_dtype == t->dst_dtype) {
        memcpy(out, value, dtx_dtype_size(t->src_dtype));
    } else {
        claim(dtx_convert(t->src_dtype, t->dst_dtype, value, out, 1) < 0);
    }
}

bool
value_is_neutral(const struct scene *scene, int tensor, int position, char *out)
{
    const struct dtx_rule *rule = scene_rule(scene, SCENE_TARGET, tensor);
    const struct dtx_mesh *mesh = &scene->layouts[SCENE_TARGET]->mesh;

    for (int i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind == DTX_PARTIAL &&
            (p->op == DTX_SUM || p->op == DTX_PRODUCT) &&
            dtx_mesh_coordinate(mesh, position, p->axis) != 0) {
            dtx_reduce_neutral(p->op, scene->text->tensors[tensor].dst_dtype,
                               out);
            return true;
        }
    }
    return false;
}

void
value_of_padding(enum dtx_dtype dtype, int position, char *out)
{
    memset(out, 0x7f - position, dtx_dtype_size(dtype));
}
