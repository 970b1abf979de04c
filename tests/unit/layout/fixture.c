#include "fixture.h"

#include <stdio.h>
#include <string.h>

static const char *const axis_names[] = {"a", "b", "c", "d"};

void
fixture_begin(struct fixture *f, int axis_count, const int *sizes)
{
    memset(f, 0, sizeof(*f));
    f->layout.file = "x.yaml";
    f->layout.folder = ".";
    f->layout.text = "split: even\nfirst\nsecond\nthird\nfourth\n";
    f->layout.mesh.axis_count = axis_count;
    for (int axis = 0; axis < axis_count; axis++) {
        f->layout.mesh.names[axis] = axis_names[axis];
        f->layout.mesh.sizes[axis] = sizes[axis];
    }
    (void)dtx_mesh_finish(&f->layout.mesh);
    f->rule.glob = "x";
    f->rule.placements = f->placements;
    f->rule.pad = f->pad;
    f->rule.split_mark = (struct dtx_mark){1, 8, 4};
    f->list = dtx_diagnostics_create();
}

void
fixture_finish(struct fixture *f)
{
    dtx_arena_finish(&f->arena);
    dtx_diagnostics_destroy(f->list);
}

struct dtx_placement *
fixture_shard(struct fixture *f, int axis, int dim)
{
    struct dtx_placement *p = &f->placements[f->rule.placement_count++];

    *p = (struct dtx_placement){.kind = DTX_SHARD,
                                .axis = axis,
                                .dim = dim,
                                .mark = {f->rule.placement_count + 1, 1, 5}};
    return p;
}

void
fixture_pad(struct fixture *f, int dim, int64_t extent, int64_t multiple)
{
    f->pad[f->rule.pad_count++] =
        (struct dtx_extent){dim, extent, multiple, {2, 1, 5}};
}

struct dtx_tiling *
fixture_tile(struct fixture *f, int ndim, const int64_t *shape)
{
    return dtx_tiling_create(&f->arena, &f->layout, &f->rule, "x", ndim, shape,
                             f->list);
}

bool
fixture_refuses(struct fixture *f, int ndim, const int64_t *shape,
                const char *code, const char *words)
{
    struct dtx_tiling *tiling = fixture_tile(f, ndim, shape);
    char *drawn = dtx_diagnostics_draw(f->list);
    bool is_refused = tiling == NULL && drawn != NULL &&
                      strstr(drawn, code) != NULL &&
                      strstr(drawn, words) != NULL;

    if (!is_refused) {
        fprintf(stderr, "not refused with %s, %s:\n%s\n", code, words, drawn);
    }
    dtx_string_free(drawn);
    return is_refused;
}
