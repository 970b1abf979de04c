#include <string.h>

#include "planned.h"

/* The spans that a source and a target list of indices share. */
struct shared {
    int count;
    struct dtx_span spans[REFERENCE_MAX];
    int64_t length;
};

static int
find_index(const struct reference *list, int index)
{
    for (int i = 0; i < list->count; i++) {
        if (list->items[i] == index) {
            return i;
        }
    }
    return -1;
}

static struct shared
intersect(const struct reference *src, const struct reference *dst)
{
    struct shared s = {0};

    for (int i = 0; i < src->count; i++) {
        int at = src->items[i] == REFERENCE_PADDING
                     ? -1
                     : find_index(dst, src->items[i]);
        struct dtx_span *last = s.count > 0 ? &s.spans[s.count - 1] : NULL;

        if (at < 0) {
            continue;
        }
        if (last != NULL && last->lo + last->length == src->items[i] &&
            last->src_local + last->length == i &&
            last->dst_local + last->length == at) {
            last->length++;
        } else {
            s.spans[s.count++] =
                (struct dtx_span){src->items[i], 1, i, at, s.length};
        }
        s.length++;
    }
    return s;
}

static void
check_pair(const struct dtx_overlap *o, int src, int dst,
           const struct shared *expected)
{
    const struct dtx_pair *pair = dtx_overlap_find(o, src, dst);

    so((pair != NULL) == (expected->count > 0));
    if (pair != NULL) {
        so(pair->src == src && pair->dst == dst);
        so(pair->length == expected->length);
        so(pair->span_count == expected->count);
        so(memcmp(&o->spans[pair->span_first], expected->spans,
                  (size_t)expected->count * sizeof(struct dtx_span)) == 0);
    }
}

static void
check_index(const struct dtx_overlap *o)
{
    for (int i = 0; i < o->pair_count; i++) {
        const struct dtx_pair *pair = &o->pairs[i];
        const struct dtx_pair *other = &o->pairs[o->dst_pairs[i]];

        so(i >= o->src_first[pair->src] && i < o->src_first[pair->src + 1]);
        so(i >= o->dst_first[other->dst] && i < o->dst_first[other->dst + 1]);
    }
    for (int i = 1; i < o->pair_count; i++) {
        const struct dtx_pair *a = &o->pairs[i - 1], *b = &o->pairs[i];
        const struct dtx_pair *c = &o->pairs[o->dst_pairs[i - 1]];
        const struct dtx_pair *d = &o->pairs[o->dst_pairs[i]];

        so(a->src < b->src || (a->src == b->src && a->dst < b->dst));
        so(c->dst < d->dst || (c->dst == d->dst && c->src < d->src));
    }
}

static void
check_dim(const struct planned *p, const struct dtx_class *c, int tensor,
          int dim)
{
    const struct scene *scene = &p->scene;
    const struct dtx_mesh *src = &scene->layouts[SCENE_SOURCE]->mesh;
    const struct dtx_mesh *dst = &scene->layouts[SCENE_TARGET]->mesh;
    static struct shard a, b;

    for (int i = 0; i < src->position_count; i++) {
        scene_shard(scene, SCENE_SOURCE, tensor, i, &a);
        for (int k = 0; k < dst->position_count; k++) {
            struct shared expected;

            scene_shard(scene, SCENE_TARGET, tensor, k, &b);
            expected = intersect(&a.dims[dim], &b.dims[dim]);
            check_pair(
                c->overlaps[dim], dtx_tiling_piece(c->src->tiling, src, dim, i),
                dtx_tiling_piece(c->dst->tiling, dst, dim, k), &expected);
        }
    }
    check_index(c->overlaps[dim]);
}

static void
check(struct planned *p, struct random *random)
{
    (void)random;
    for (int i = 0; i < p->plan->tensor_count; i++) {
        const struct dtx_tensor *t = &p->plan->tensors[i];

        for (int dim = 0; dim < t->ndim; dim++) {
            check_dim(p, p->plan->classes[t->class_index],
                      planned_case_tensor(p, i), dim);
        }
    }
}

Test(overlap, has_the_indices_that_pieces_share_and_no_others, .timeout = 300)
{
    each_random_plan(150, 12, 4, check);
}
