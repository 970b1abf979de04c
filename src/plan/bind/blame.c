#include "plan/bind/blame.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* More extents than these are no slip of one rank. */
enum { EXTENT_MOST = 6 };

struct trial {
    const struct dtx_binding *b;
    const struct dtx_bound *bound;
    const int *datasets;
    struct dtx_arena arena;
    struct dtx_diagnostics *list; /* of shapes that can't be; not shown */
};

static const struct dtx_dataset *
dataset_of(const struct trial *t, int position)
{
    int dataset = t->datasets[position];

    return dataset < 0 ? NULL : &t->b->catalog->datasets[dataset];
}

static bool
fits(const struct trial *t, const struct dtx_tiling *tiling, int position)
{
    const struct dtx_dataset *d = dataset_of(t, position);
    int64_t local[DTX_NDIM_MAX];

    dtx_tiling_local_shape(tiling, &t->b->layout->mesh, position, local);
    return d == NULL ||
           (d->ndim == t->bound->ndim &&
            memcmp(d->shape, local, (size_t)d->ndim * sizeof *local) == 0);
}

static const struct dtx_tiling *
tile(struct trial *t, const int64_t *shape)
{
    dtx_arena_reset(&t->arena);
    return dtx_tiling_create(&t->arena, t->b->layout,
                             &t->b->layout->rules[t->bound->rule],
                             t->bound->name, t->bound->ndim, shape, t->list);
}

/* How many ranks a shape doesn't fit; INT_MAX where it can't be. */
static int
count_misfits(struct trial *t, const int64_t *shape)
{
    const struct dtx_tiling *tiling = tile(t, shape);
    int position, count = 0;

    if (tiling == NULL) {
        return INT_MAX;
    }
    for (position = 0; position < t->b->layout->mesh.position_count;
         position++) {
        count += !fits(t, tiling, position);
    }
    return count;
}

/* An extent of a dim, and how many ranks have it. */
struct extent {
    int64_t length;
    int count;
};

static int
by_count(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;

    return (x->count > y->count) - (x->count < y->count);
}

/* The distinct extents that ranks have in a dim, the rarest first. */
static int
find_extents(const struct trial *t, int dim, struct extent *extents)
{
    int position, i, count = 0;

    for (position = 0; position < t->b->layout->mesh.position_count;
         position++) {
        const struct dtx_dataset *d = dataset_of(t, position);

        if (d == NULL || d->ndim != t->bound->ndim) {
            continue;
        }
        for (i = 0; i < count && extents[i].length != d->shape[dim]; i++) {
        }
        if (i == EXTENT_MOST) {
            continue;
        }
        if (i == count) {
            extents[count++] = (struct extent){d->shape[dim], 0};
        }
        extents[i].count++;
    }
    qsort(extents, (size_t)count, sizeof *extents, by_count);
    return count;
}

/* Tries in a dim what it would be with a rank's extent put in place of
 * another's: first the most common in place of the rarest. */
static void
improve_dim(struct trial *t, int dim, int64_t *shape, int *misfits)
{
    struct extent extents[EXTENT_MOST];
    int64_t best = shape[dim], sum = best;
    int count = find_extents(t, dim, extents);
    int i, j, found;

    for (i = 0; i < count; i++) {
        for (j = count - 1; j >= 0; j--) {
            shape[dim] = sum - extents[i].length + extents[j].length;
            if (i == j || shape[dim] < 0) {
                continue;
            }
            found = count_misfits(t, shape);
            if (found < *misfits) {
                *misfits = found;
                best = shape[dim];
            }
        }
    }
    shape[dim] = best;
}

static bool
is_given(const struct trial *t, int dim)
{
    const struct dtx_rule *rule = &t->b->layout->rules[t->bound->rule];
    int i;

    for (i = 0; rule->has_shape && i < rule->shape_count; i++) {
        int given = rule->shape[i].dim;

        if ((given < 0 ? given + t->bound->ndim : given) == dim) {
            return true;
        }
    }
    return false;
}

static int
find_misfit(struct trial *t, const int64_t *shape, int64_t *local)
{
    const struct dtx_tiling *tiling = tile(t, shape);
    const struct dtx_mesh *mesh = &t->b->layout->mesh;
    int position;

    for (position = 0; tiling != NULL && position < mesh->position_count;
         position++) {
        if (!fits(t, tiling, position)) {
            dtx_tiling_local_shape(tiling, mesh, position, local);
            return position;
        }
    }
    return -1;
}

int
dtx_blame_position(const struct dtx_binding *binding,
                   const struct dtx_bound *bound, const int *datasets,
                   int64_t *shape, int64_t *local)
{
    struct trial t = {.b = binding, .bound = bound, .datasets = datasets};
    int dim, misfits, position = -1;

    t.list = dtx_diagnostics_create();
    if (t.list != NULL) {
        misfits = count_misfits(&t, shape);
        for (dim = 0; dim < bound->ndim; dim++) {
            if (!is_given(&t, dim)) {
                improve_dim(&t, dim, shape, &misfits);
            }
        }
        position = find_misfit(&t, shape, local);
    }
    dtx_diagnostics_destroy(t.list);
    dtx_arena_finish(&t.arena);
    return position;
}
