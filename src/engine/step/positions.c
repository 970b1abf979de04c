#include "engine/step/positions.h"

#include "util/error.h"

enum dtx_status
engine_find_position(const struct engine *e, int tensor, int position,
                     int *dataset_out, struct dtx_error *err)
{
    int dataset = dtx_plan_source_dataset(e->plan, tensor, position);

    if (dataset == DTX_DATASET_MEMORY) {
        return dtx_error_memory(err);
    }
    *dataset_out = dataset;
    return dataset >= 0 ? DTX_OK
                        : dtx_error_set(
                              err, DTX_ERR_INTERNAL,
                              "a planned source dataset is not in the catalog");
}

enum dtx_status
engine_write_position(struct engine *e, int tensor, int position,
                      const int64_t *lo, const int64_t *len, const void *buffer,
                      struct dtx_arena *scratch, struct dtx_error *err)
{
    int file, dataset;

    if (dtx_target_files_find(e->files, tensor, position, scratch, &file,
                              &dataset) != 0) {
        return dtx_error_memory(err);
    }
    return e->storage->ops->write(e->storage, &e->files->files[file], dataset,
                                  lo, len, buffer, err);
}
