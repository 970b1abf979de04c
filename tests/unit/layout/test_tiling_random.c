#include <criterion/criterion.h>
#include <stdio.h>

#include "reference.h"
#include "support/random.h"
#include "tiling_claims.h"

enum { CASE_COUNT = 20000 };

/* A rule with all its lists. */
struct any_case {
    struct fixture f;
    int ndim;
    int64_t shape[4], stored[4];
    int64_t lengths[4][8]; /* sizes or segments, by axis */
};

/* Cuts a length at random places. */
static void
cut_anyhow(struct random *random, int64_t length, int parts, int64_t *out)
{
    for (int i = 0; i < parts - 1; i++) {
        out[i] = random_pick(random, 0, (int)length);
        length -= out[i];
    }
    out[parts - 1] = length;
}

static void
refine(struct random *random, struct any_case *c, struct dtx_placement *p,
       int dim, bool is_first)
{
    int parts = c->f.layout.mesh.sizes[p->axis];
    int64_t *lengths = c->lengths[p->axis];
    int64_t *block = &p->keys[DTX_SHARD_BLOCK].number;
    int64_t *factor = &p->keys[DTX_SHARD_FACTOR].number;

    switch (random_pick(random, 0, 7)) {
    case 0:
        if (is_first) {
            cut_anyhow(random, c->stored[dim], parts, lengths);
            p->keys[DTX_SHARD_SIZES] = (struct dtx_shard_value){parts, lengths};
        }
        break;
    case 1:
        *block = random_pick(random, 1, 5);
        break;
    case 2:
        *factor = random_pick(random, 1, 5);
        break;
    case 3:
    case 4:
        parts = random_pick(random, 1, 5);
        cut_anyhow(random, c->stored[dim], parts, lengths);
        p->keys[DTX_SHARD_SEGMENTS] = (struct dtx_shard_value){parts, lengths};
        *block = random_pick(random, 0, 2) == 0 ? random_pick(random, 2, 4) : 1;
        *factor = *block == 1 && random_pick(random, 0, 3) == 0 ? 2 : 1;
        break;
    default:
        break;
    }
}

static void
add_pad(struct random *random, struct any_case *c)
{
    for (int dim = 0; dim < c->ndim; dim++) {
        int64_t multiple = random_pick(random, 1, 8);

        c->stored[dim] = c->shape[dim];
        switch (random_pick(random, 0, 5)) {
        case 0:
            c->stored[dim] += random_pick(random, 0, 6);
            fixture_pad(&c->f, dim, c->stored[dim], 0);
            break;
        case 1:
            while (c->stored[dim] % multiple != 0) {
                c->stored[dim]++;
            }
            fixture_pad(&c->f, dim - c->ndim, -1, multiple);
            break;
        default:
            break;
        }
    }
}

static void
make_case(struct random *random, struct any_case *c)
{
    int axis_count = random_pick(random, 0, 4);
    bool is_cut[4] = {false};
    int sizes[4];
    int order[4];

    for (int axis = 0; axis < axis_count; axis++) {
        int other = random_pick(random, 0, axis);

        sizes[axis] = random_pick(random, 1, 4);
        order[axis] = order[other];
        order[other] = axis;
    }
    fixture_begin(&c->f, axis_count, sizes);
    c->f.rule.split = (enum dtx_split)random_pick(random, 0, 3);
    c->ndim = random_pick(random, 1, 3);
    for (int dim = 0; dim < c->ndim; dim++) {
        c->shape[dim] =
            random_pick(random, 0, 5) == 0 ? 0 : random_pick(random, 0, 40);
    }
    add_pad(random, c);
    for (int i = 0; i < axis_count; i++) {
        int dim = random_pick(random, 0, c->ndim - 1);
        bool is_negative = random_pick(random, 0, 3) == 0;
        struct dtx_placement *p =
            fixture_shard(&c->f, order[i], is_negative ? dim - c->ndim : dim);

        if (random_pick(random, 0, 4) == 0) {
            p->kind =
                random_pick(random, 0, 1) == 0 ? DTX_REPLICATE : DTX_PARTIAL;
        } else if (c->f.rule.split != DTX_SPLIT_PAD) {
            refine(random, c, p, dim, !is_cut[dim]);
            is_cut[dim] = true;
        }
    }
}

/* True where `even` divides everywhere. */
static bool
is_allowed(const struct any_case *c)
{
    struct reference list;

    for (int dim = 0; dim < c->ndim; dim++) {
        for (int i = 0; i < c->f.layout.mesh.position_count; i++) {
            if (!reference_indices(&c->f.layout, &c->f.rule, c->ndim, c->shape,
                                   dim, i, &list)) {
                return false;
            }
        }
    }
    return true;
}

Test(tiling, any_rule_gives_what_splitting_element_by_element_gives)
{
    struct random random = random_begin();
    struct any_case c;
    int tiled = 0, refused = 0;

    for (int i = 0; i < CASE_COUNT; i++) {
        struct dtx_tiling *tiling;
        const char *wrong;

        c = (struct any_case){0};
        make_case(&random, &c);
        tiling = fixture_tile(&c.f, c.ndim, c.shape);
        if (!is_allowed(&c)) {
            cr_assert_null(tiling, "case %d", i);
            cr_assert_eq(dtx_diagnostics_error_count(c.f.list) > 0, true);
            refused++;
        } else {
            cr_assert_not_null(tiling, "case %d: %s", i,
                               dtx_diagnostics_draw(c.f.list));
            wrong = tiling_differs(&c.f, tiling, c.shape);
            cr_assert_null(wrong, "case %d: %s", i, wrong);
            tiled++;
        }
        fixture_finish(&c.f);
    }
    cr_assert_gt(tiled, CASE_COUNT / 2);
    cr_assert_gt(refused, 0);
}
