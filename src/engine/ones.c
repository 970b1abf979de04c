#include "engine/ones.h"

#include <string.h>

#include "engine/chunk.h"
#include "layout/reduce.h"
#include "util/alloc.h"
#include "util/error.h"

/* A constant is written in blocks of at most this size. */
enum { BLOCK_BYTES = 1 << 20 };

/* One dataset that is filled. */
struct filling {
    struct engine *e;
    const struct dtx_target_file *file;
    int dataset;
    const char *ones; /* BLOCK_BYTES of them */
    int64_t block_elements;
};

/* Writes ones to a box of the dataset. */
static enum dtx_status
fill_box(const struct filling *f, int ndim, const int64_t *lo,
         const int64_t *len, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int64_t at[DTX_NDIM_MAX];
    struct dtx_chunks chunk;
    int dim;

    dtx_chunks_begin(&chunk, ndim, len, f->block_elements);
    while (status == DTX_OK && dtx_chunks_next(&chunk)) {
        for (dim = 0; dim < ndim; dim++) {
            at[dim] = lo[dim] + chunk.lo[dim];
        }
        status = f->e->storage->ops->write(f->e->storage, f->file, f->dataset,
                                           at, chunk.len, f->ones, err);
    }
    return status;
}

/* Fills a shard's logical elements: the product of its tiles. */
static enum dtx_status
fill_shard(const struct filling *f, const struct dtx_tiling *tiling,
           const struct dtx_mesh *mesh, int position, struct dtx_error *err)
{
    int first[DTX_NDIM_MAX], end[DTX_NDIM_MAX], at[DTX_NDIM_MAX];
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    enum dtx_status status = DTX_OK;
    int dim;

    for (dim = 0; dim < tiling->ndim; dim++) {
        int piece = dtx_tiling_piece(tiling, mesh, dim, position);

        first[dim] = at[dim] = tiling->dims[dim].piece_first[piece];
        end[dim] = tiling->dims[dim].piece_first[piece + 1];
        if (first[dim] == end[dim]) {
            return DTX_OK;
        }
    }
    do {
        for (dim = 0; dim < tiling->ndim; dim++) {
            const struct dtx_tiling_dim *d = &tiling->dims[dim];
            const struct dtx_tile *tile = &d->tiles[d->piece_tiles[at[dim]]];

            lo[dim] = tile->local;
            len[dim] = tile->hi - tile->lo;
        }
        status = fill_box(f, tiling->ndim, lo, len, err);
        for (dim = tiling->ndim - 1; dim >= 0; dim--) {
            if (++at[dim] < end[dim]) {
                break;
            }
            at[dim] = first[dim];
        }
    } while (dim >= 0 && status == DTX_OK);
    return status;
}

static enum dtx_status
fill_dataset(struct filling *f, char *block, struct dtx_error *err)
{
    const struct dtx_plan *plan = f->e->plan;
    const struct dtx_target_dataset *d = &f->file->datasets[f->dataset];
    const struct dtx_tensor *t = &plan->tensors[d->ones_tensor];
    const struct dtx_side *dst = plan->classes[t->class_index]->dst;
    size_t size = d->type.size_bytes, at;

    for (at = 0; at + size <= BLOCK_BYTES; at += size) {
        dtx_reduce_neutral(DTX_PRODUCT, d->type.dtype, block + at);
    }
    f->ones = block;
    f->block_elements = (int64_t)(BLOCK_BYTES / size);
    return fill_shard(f, dst->tiling, dst->mesh, d->ones_position, err);
}

enum dtx_status
engine_write_ones(struct engine *e, const struct dtx_target_file *file,
                  struct dtx_error *err)
{
    struct filling f = {.e = e, .file = file};
    enum dtx_status status = DTX_OK;
    char *block = NULL;

    for (f.dataset = 0; f.dataset < file->dataset_count && status == DTX_OK;
         f.dataset++) {
        if (file->datasets[f.dataset].ones_position < 0) {
            continue;
        }
        if (block == NULL) {
            block = dtx_alloc(BLOCK_BYTES, 1);
        }
        status = block == NULL ? dtx_error_memory(err)
                               : fill_dataset(&f, block, err);
    }
    dtx_free(block);
    return status;
}
