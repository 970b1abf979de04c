#include "write.h"

#include "storage/hdf5/hdf5_storage.h"
#include "util/alloc.h"
#include "util/error.h"
#include "walk.h"

/* A file that is being written. */
struct writing {
    const struct checkpoint *checkpoint;
    struct dtx_storage *storage;
    struct dtx_arena arena;   /* of the file */
    struct dtx_arena scratch; /* of one dataset */
    struct items items;
    struct dtx_target_file target;
    void *block; /* [BLOCK_BYTES] */
    struct tally *tally;
};

static enum dtx_status
describe_dataset(struct writing *w, int index, struct dtx_error *err)
{
    const struct item *item = &w->items.items[index];
    struct shard shard;
    enum dtx_status status =
        checkpoint_shard(w->checkpoint, item, &w->scratch, &shard, err);
    const int64_t *shape;

    if (status != DTX_OK) {
        return status;
    }
    shape = dtx_arena_copy(&w->arena, shard.shape, (size_t)item->tensor->ndim,
                           sizeof(*shape));
    if (shape == NULL) {
        return dtx_error_memory(err);
    }
    w->target.datasets[index] =
        (struct dtx_target_dataset){.path = item->path,
                                    .type = item->tensor->type,
                                    .ndim = item->tensor->ndim,
                                    .shape = shape,
                                    .source_dataset = -1};
    dtx_arena_reset(&w->scratch);
    return DTX_OK;
}

static enum dtx_status
describe_file(struct writing *w, int file, struct dtx_error *err)
{
    const struct dtx_layout *layout = &w->checkpoint->layout;
    const char *path = w->checkpoint->files[file];
    enum dtx_status status =
        checkpoint_items(w->checkpoint, file, &w->arena, &w->items, err);

    if (status != DTX_OK) {
        return status;
    }
    w->target = (struct dtx_target_file){
        .path = path,
        .temporary = dtx_arena_format(&w->arena, "%s.part", path),
        .create = true,
        .dataset_count = w->items.count,
        .datasets = dtx_arena_alloc(&w->arena, (size_t)w->items.count,
                                    sizeof(*w->target.datasets)),
        .chunk_count = layout->chunk_count,
        .chunks = layout->chunks,
        .gzip = layout->gzip};
    if (w->target.temporary == NULL || w->target.datasets == NULL) {
        return dtx_error_memory(err);
    }
    for (int i = 0; i < w->items.count && status == DTX_OK; i++) {
        status = describe_dataset(w, i, err);
    }
    return status;
}

static enum dtx_status
write_dataset(struct writing *w, int index, struct dtx_error *err)
{
    const struct item *item = &w->items.items[index];
    int64_t size = (int64_t)item->tensor->type.size_bytes;
    struct shard shard;
    struct walk walk;
    enum dtx_status status =
        checkpoint_shard(w->checkpoint, item, &w->scratch, &shard, err);

    if (status == DTX_OK && shard_count(&shard) > 0) {
        walk_begin(&walk, item->tensor->ndim, shard.shape, BLOCK_BYTES / size);
        while (status == DTX_OK && walk_next(&walk)) {
            shard_fill(&shard, walk.lo, walk.len, PADDING_GARBAGE, w->block);
            status = w->storage->ops->write(w->storage, &w->target, index,
                                            walk.lo, walk.len, w->block, err);
            w->tally->bytes += walk.count * size;
        }
    }
    w->tally->datasets += status == DTX_OK;
    dtx_arena_reset(&w->scratch);
    return status;
}

/* Creates the file, writes its datasets, and puts it in its place. */
static enum dtx_status
write_target(struct writing *w, struct dtx_error *err)
{
    const struct dtx_storage_ops *ops = w->storage->ops;
    enum dtx_status status = ops->create(w->storage, &w->target, err);

    for (int i = 0; i < w->items.count && status == DTX_OK; i++) {
        status = write_dataset(w, i, err);
    }
    if (status == DTX_OK) {
        status = ops->close(w->storage, &w->target, err);
    }
    if (status == DTX_OK) {
        status =
            ops->commit(w->storage, w->target.temporary, w->target.path, err);
    }
    if (status != DTX_OK) {
        ops->remove(w->storage, w->target.temporary);
    }
    return status;
}

enum dtx_status
write_file(const void *checkpoint, int file, struct tally *tally,
           struct dtx_error *err)
{
    const struct dtx_catalog no_source = {0};
    struct writing w = {.checkpoint = checkpoint, .tally = tally};
    enum dtx_status status = dtx_hdf5_storage_create(&w.storage, err);

    if (status != DTX_OK) {
        return status;
    }
    w.storage->ops->use_catalog(w.storage, &no_source);
    w.block = dtx_alloc(BLOCK_BYTES, 1);
    status =
        w.block == NULL ? dtx_error_memory(err) : describe_file(&w, file, err);
    if (status == DTX_OK) {
        status = write_target(&w, err);
    }
    w.storage->ops->destroy(w.storage);
    dtx_arena_finish(&w.scratch);
    dtx_arena_finish(&w.arena);
    dtx_free(w.block);
    return status;
}
