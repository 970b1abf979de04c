#include "plan/class/shards.h"

#include <stdio.h>

#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"

enum { PLACE_BYTES = 256 };

/* One shard while it is put together. */
struct viewing {
    const struct dtx_shards *all;
    struct dtx_shard shard;
    struct dtx_index_run *runs[DTX_NDIM_MAX];
    int run_counts[DTX_NDIM_MAX];
    int64_t shape[DTX_NDIM_MAX];
    char place[PLACE_BYTES];
    struct dtx_text file, dataset;
    struct dtx_arena scratch;
};

static void
set_place(struct viewing *v, int position)
{
    const struct dtx_mesh *mesh = &v->all->layout->mesh;
    size_t used = 0;
    int axis;

    v->place[0] = '\0';
    for (axis = 0; axis < mesh->axis_count && used < PLACE_BYTES; axis++) {
        used += (size_t)snprintf(v->place + used, PLACE_BYTES - used, "%s%s=%d",
                                 axis > 0 ? " " : "", mesh->names[axis],
                                 dtx_mesh_coordinate(mesh, position, axis));
    }
    v->shard.place = v->place;
    v->shard.rank = dtx_mesh_rank(mesh, position);
}

/* The runs of a dim that a position holds; those that follow each other are
 * one. */
static int
set_runs(struct viewing *v, int dim, int position)
{
    const struct dtx_tiling *tiling = v->all->side->tiling;
    const struct dtx_tiling_dim *d = &tiling->dims[dim];
    int piece = dtx_tiling_piece(tiling, &v->all->layout->mesh, dim, position);
    int first = d->piece_first[piece],
        count = d->piece_first[piece + 1] - first;
    int i, used = 0;

    v->runs[dim] =
        dtx_arena_alloc(&v->scratch, (size_t)count + 1, sizeof *v->runs[dim]);
    if (v->runs[dim] == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        const struct dtx_tile *tile = &d->tiles[d->piece_tiles[first + i]];

        if (used > 0 && v->runs[dim][used - 1].end == tile->lo) {
            v->runs[dim][used - 1].end = tile->hi;
        } else {
            v->runs[dim][used++] = (struct dtx_index_run){tile->lo, tile->hi};
        }
    }
    v->run_counts[dim] = used;
    return 0;
}

/* Where the shard stands: its file and dataset, and what is known of them. */
static int
set_dataset(struct viewing *v, int position)
{
    const struct dtx_layout *layout = v->all->layout;
    const struct dtx_catalog *catalog = v->all->catalog;
    const char *stored =
        dtx_layout_stored_name(layout, v->all->name, position, &v->scratch);
    int index;

    if (stored == NULL) {
        return -1;
    }
    v->file.length = v->dataset.length = 0;
    dtx_layout_file(layout, position, &v->file);
    dtx_template_render(&layout->dataset, &layout->mesh, position, stored,
                        &v->dataset);
    if (v->file.failed || v->dataset.failed) {
        return -1;
    }
    v->shard.file = v->file.data;
    v->shard.dataset = v->dataset.data;
    v->shard.has_offset = false;
    if (catalog == NULL || catalog->file_count == 0) {
        return 0;
    }
    index = dtx_catalog_find(catalog, catalog->position_file[position],
                             v->shard.dataset);
    if (index >= 0 && catalog->datasets[index].form == DTX_FORM_CONTIGUOUS) {
        v->shard.has_offset = true;
        v->shard.offset = catalog->datasets[index].offset;
    }
    return 0;
}

/* Puts a position's shard together. */
static int
view(struct viewing *v, int position)
{
    const struct dtx_side *side = v->all->side;
    int shard = dtx_side_shard(side, position), dim;

    dtx_arena_reset(&v->scratch);
    set_place(v, position);
    v->shard.copy_of = dtx_mesh_rank(&v->all->layout->mesh,
                                     side->positions[side->shard_first[shard]]);
    dtx_tiling_local_shape(side->tiling, side->mesh, position, v->shape);
    v->shard.bytes = (uint64_t)dtx_shape_count(v->shard.ndim, v->shape) *
                     v->all->type.size_bytes;
    for (dim = 0; dim < v->shard.ndim; dim++) {
        if (set_runs(v, dim, position) != 0) {
            return -1;
        }
    }
    return set_dataset(v, position);
}

enum dtx_status
dtx_each_shard(const struct dtx_shards *shards, dtx_shard_visit *visit,
               void *context, struct dtx_error *err)
{
    const struct dtx_mesh *mesh = &shards->layout->mesh;
    struct viewing v = {.all = shards};
    int position, failed = 0;
    bool goes_on = true;

    v.shard = (struct dtx_shard){
        .ndim = shards->side->tiling->ndim,
        .shape = v.shape,
        .run_counts = v.run_counts,
        .runs = (const struct dtx_index_run *const *)v.runs,
        .is_global = shards->layout->view == DTX_VIEW_GLOBAL};
    for (position = 0; position < mesh->position_count && goes_on && !failed;
         position++) {
        if (dtx_presence_holds(&shards->side->presence, mesh, position)) {
            failed = view(&v, position);
            goes_on = failed || visit(&v.shard, context);
        }
    }
    dtx_text_finish(&v.file);
    dtx_text_finish(&v.dataset);
    dtx_arena_finish(&v.scratch);
    return failed ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
dtx_plan_each_shard(const struct dtx_plan *plan, enum dtx_role role, int tensor,
                    dtx_shard_visit *visit, void *context,
                    struct dtx_error *err)
{
    const struct dtx_tensor *t = &plan->tensors[tensor];
    const struct dtx_class *c = plan->classes[t->class_index];
    bool is_source = role == DTX_SOURCE;

    return dtx_each_shard(
        &(struct dtx_shards){.layout = is_source ? plan->source : plan->target,
                             .catalog = is_source ? plan->catalog : NULL,
                             .side = is_source ? c->src : c->final,
                             .name = is_source ? t->src_name : t->dst_name,
                             .type = is_source ? t->src_type : t->dst_type,
                             .shape = t->shape},
        visit, context, err);
}
