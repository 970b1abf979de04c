#include "storage/hdf5/hdf5_chunks.h"

#include "storage/files.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_driver.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "util/math.h"

/* A dataset in a file in memory; -1: not there. */
struct in_memory {
    hid_t file, dataset, type;
};

/* Moves to the next chunk of a block; at [ndim] is where it begins in it. */
static void
step(const struct dtx_hdf5_block *block, hsize_t *at)
{
    int dim;

    for (dim = block->dataset->ndim - 1; dim >= 0; dim--) {
        at[dim] += (hsize_t)block->blocks->chunk[dim];
        if (at[dim] < (hsize_t)block->len[dim]) {
            return;
        }
        at[dim] = 0;
    }
}

/* ---------------------------------------------------------------- making */

static hid_t
create_file(void)
{
    hid_t access = dtx_hdf5_memory_access();
    hid_t file = -1;

    if (access >= 0) {
        file =
            H5Fcreate(dtx_hdf5_memory_name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        H5Pclose(access);
    }
    return file;
}

/* A dataset of the block's chunks, all of them whole. */
static hid_t
create_dataset(const struct dtx_hdf5_block *block, hid_t file, hid_t type)
{
    const struct dtx_target_dataset *d = block->dataset;
    hsize_t dims[H5S_MAX_RANK];
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = -1, dataset = -1;
    int dim;

    for (dim = 0; dim < d->ndim; dim++) {
        int64_t chunk = block->blocks->chunk[dim];

        dims[dim] = (hsize_t)(dtx_ceil_div(block->len[dim], chunk) * chunk);
    }
    if (properties >= 0 &&
        dtx_hdf5_set_chunks(properties, block->file, d) >= 0) {
        space = H5Screate_simple(d->ndim, dims, NULL);
    }
    if (space >= 0) {
        dataset = H5Dcreate_anon(file, type, space, properties, H5P_DEFAULT);
        H5Sclose(space);
    }
    if (properties >= 0) {
        H5Pclose(properties);
    }
    return dataset;
}

/* Filters know of the elements' size only. */
static herr_t
open_in_memory(const struct dtx_hdf5_block *block, struct in_memory *m)
{
    *m = (struct in_memory){create_file(), -1, -1};
    if (m->file >= 0) {
        m->type = H5Tcreate(H5T_OPAQUE, block->dataset->type.size_bytes);
    }
    if (m->type >= 0) {
        m->dataset = create_dataset(block, m->file, m->type);
    }
    return m->dataset < 0 ? -1 : 0;
}

static void
close_in_memory(const struct in_memory *m)
{
    if (m->dataset >= 0) {
        H5Dclose(m->dataset);
    }
    if (m->type >= 0) {
        H5Tclose(m->type);
    }
    if (m->file >= 0) {
        H5Fclose(m->file);
    }
}

static herr_t
filter(const struct dtx_hdf5_block *block, const struct in_memory *m,
       const void *values)
{
    const int64_t first[DTX_NDIM_MAX] = {0};
    hid_t file_space, memory_space;
    herr_t answer;

    if (dtx_hdf5_select(m->dataset, block->dataset->ndim, first, block->len,
                        &file_space, &memory_space) < 0) {
        return -1;
    }
    answer = H5Dwrite(m->dataset, m->type, memory_space, file_space,
                      H5P_DEFAULT, values);
    dtx_hdf5_unselect(file_space, memory_space);
    return answer < 0 ? answer : H5Dflush(m->dataset);
}

static herr_t
fetch(const struct dtx_hdf5_block *block, const struct in_memory *m)
{
    hsize_t at[H5S_MAX_RANK] = {0};
    char *bytes = block->bytes;
    int64_t i;

    for (i = 0; i < block->chunk_count; i++) {
        struct dtx_hdf5_chunk *chunk = &block->chunks[i];
        uint32_t left_out = 0;
        hsize_t count;

        if (H5Dget_chunk_storage_size(m->dataset, at, &count) < 0 ||
            count > block->blocks->filtered_bytes ||
            H5Dread_chunk(m->dataset, H5P_DEFAULT, at, &left_out, bytes) < 0) {
            return -1;
        }
        *chunk = (struct dtx_hdf5_chunk){count, left_out};
        bytes += count;
        step(block, at);
    }
    return 0;
}

enum dtx_status
dtx_hdf5_make_chunks(const struct dtx_hdf5_block *block, const void *values,
                     struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    struct in_memory m;

    if (open_in_memory(block, &m) < 0 || filter(block, &m, values) < 0 ||
        fetch(block, &m) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET,
                               "cannot make chunks of dataset '%s' of '%s'",
                               block->dataset->path, block->file->path);
    }
    close_in_memory(&m);
    return status;
}

/* ---------------------------------------------------------------- writing */

static enum dtx_status
fail_writing(const struct dtx_hdf5_block *block, struct dtx_error *err)
{
    return dtx_hdf5_fail(err, DTX_ERR_TARGET,
                         "cannot write dataset '%s' of '%s'",
                         block->dataset->path, block->file->temporary);
}

enum dtx_status
dtx_hdf5_write_chunks(const struct dtx_hdf5_block *block, hid_t dataset,
                      struct dtx_error *err)
{
    hsize_t at[H5S_MAX_RANK] = {0}, offset[H5S_MAX_RANK];
    const char *bytes = block->bytes;
    int code = 0, dim;
    int64_t i;

    for (i = 0; i < block->chunk_count && code == 0; i++) {
        const struct dtx_hdf5_chunk *chunk = &block->chunks[i];

        for (dim = 0; dim < block->dataset->ndim; dim++) {
            offset[dim] = (hsize_t)block->lo[dim] + at[dim];
        }
        if (H5Dwrite_chunk(dataset, H5P_DEFAULT, (uint32_t)chunk->left_out,
                           offset, chunk->bytes, bytes) < 0) {
            return fail_writing(block, err);
        }
        bytes += chunk->bytes;
        step(block, at);
        code = dtx_hdf5_failure(dataset);
    }
    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "write",
                                      block->file->temporary, code);
}
