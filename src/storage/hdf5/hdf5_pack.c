/*
 * Shared files of chunked or compressed datasets.
 *
 * While data moves, a file that several processes write is contiguous, and
 * each writes at its own offsets. What is to be chunked or compressed is
 * rewritten when all is there, block by block, each some whole chunks, into a
 * file of the final form that one process has made. Chunks that aren't
 * compressed stand in one piece: each process writes its own where they
 * belong. Where compressed chunks stand is known to HDF5 alone: each process
 * makes its own, and one writes them all.
 *
 * HDF5 could do this by itself, from all processes together. But where the
 * disk or memory fails one of them in the middle of that, it leaves, and the
 * others wait for it for ever. Here they wait for one another at points of
 * agreement only.
 */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/hdf5/hdf5_close.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "storage/hdf5/hdf5_pack.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"
#include "util/text.h"

/* A block has as many whole chunks as fit, and at least one. More bytes don't
 * make it quicker. */
static const int64_t block_bytes_most = (int64_t)8 << 20;

/* A block and its chunks, and both again in HDF5's file in memory. */
enum { MEMORY_SHARE = 4 };

static size_t
max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---------------------------------------------------------------- files */

/* The byte where a chunk stands; 0 where it isn't known, or has another size
 * than in memory. */
static uint64_t
chunk_place(hid_t dataset, hid_t space, hsize_t index, size_t bytes)
{
    hsize_t offset[H5S_MAX_RANK];
    unsigned left_out;
    haddr_t place;
    hsize_t count;

    if (H5Dget_chunk_info(dataset, space, index, offset, &left_out, &place,
                          &count) < 0 ||
        place == HADDR_UNDEF || count != bytes) {
        return 0;
    }
    return place;
}

/* The byte where the chunks of a dataset begin, if they follow one another. */
static uint64_t
find_chunks(const struct dtx_hdf5_packing *p, int index)
{
    const struct dtx_hdf5_blocks *b = &p->blocks[index];
    const struct dtx_target_dataset *d = &p->to.datasets[index];
    hid_t dataset = H5Dopen2(p->id, d->path, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    int64_t last = dtx_hdf5_chunks_in(b, d->ndim, d->shape) - 1;
    uint64_t place = 0;

    if (space >= 0) {
        place = chunk_place(dataset, space, 0, b->chunk_bytes);
        if (chunk_place(dataset, space, (hsize_t)last, b->chunk_bytes) !=
            place + (uint64_t)last * b->chunk_bytes) {
            place = 0;
        }
        H5Sclose(space);
    }
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    return place;
}

static void
find_places(const struct dtx_hdf5_packing *p)
{
    int i;

    for (i = 0; i < p->to.dataset_count; i++) {
        if (!dtx_hdf5_is_chunked(&p->to, &p->to.datasets[i])) {
            p->places[i] = p->to.datasets[i].offset;
        } else if (!p->to.gzip) {
            p->places[i] = find_chunks(p, i);
        }
    }
}

/* Makes the packed file, still empty, and tells all where its datasets are.
 * Collective. */
static enum dtx_status
make_packed(struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    if (p->rank == 0) {
        status = dtx_hdf5_create(&p->storage->base, &p->to, err);
        dtx_hdf5_lock();
        if (status == DTX_OK) {
            status = dtx_hdf5_open_target(p->to.temporary, &p->id, err);
        }
        if (status == DTX_OK) {
            find_places(p);
        }
        dtx_hdf5_unlock();
    }
    status = dtx_hdf5_pack_settle(p, status, err);
    if (status == DTX_OK) {
        MPI_Bcast(p->places, p->to.dataset_count, MPI_UINT64_T, 0, p->comm);
    }
    return status;
}

/* Has HDF5 write what it has to, and closes the packed file. Collective. */
static enum dtx_status
fill_through_hdf5(struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    enum dtx_status status;

    dtx_hdf5_lock();
    status = dtx_hdf5_pack_through(p, err);
    if (p->id >= 0) {
        status = dtx_hdf5_finish(p->id, p->to.temporary, status, err);
        p->id = -1;
    }
    dtx_hdf5_unlock();
    return dtx_hdf5_pack_settle(p, status, err);
}

/* Collective. */
static enum dtx_status
fill_in_place(struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    enum dtx_status status;

    status = dtx_file_open_target(p->to.temporary, &p->to_fd, err);
    if (status == DTX_OK) {
        dtx_hdf5_lock();
        status = dtx_hdf5_pack_in_place(p, err);
        dtx_hdf5_unlock();
        close(p->to_fd);
    }
    return dtx_hdf5_pack_settle(p, status, err);
}

/* Rewrites the file: makes the packed one beside it, and puts it in place. */
static enum dtx_status
pack_file(struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    enum dtx_status status = make_packed(p, err);

    if (status == DTX_OK) {
        status = fill_through_hdf5(p, err);
    }
    if (status == DTX_OK) {
        status = fill_in_place(p, err);
    }
    if (p->rank == 0) {
        if (status == DTX_OK) {
            status = dtx_file_commit(p->to.temporary, p->from->temporary, err);
        } else {
            dtx_file_remove(p->to.temporary);
        }
    }
    return dtx_hdf5_pack_settle(p, status, err);
}

/* ---------------------------------------------------------------- memory */

/* Finds the blocks of all datasets, and makes room for the largest. */
static enum dtx_status
make_room(struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    size_t values = 0, chunks = 0;
    int i;

    for (i = 0; i < p->to.dataset_count; i++) {
        struct dtx_hdf5_blocks *b = &p->blocks[i];
        size_t count;

        dtx_hdf5_find_blocks(&p->to, &p->to.datasets[i], p->block_bytes, b);
        count = (size_t)b->chunk_count;
        values = max_size(values, count * b->chunk_bytes);
        chunks = max_size(chunks, count * (b->filtered_bytes +
                                           sizeof(struct dtx_hdf5_chunk)));
    }
    p->values = dtx_alloc(values, 1);
    p->chunks = dtx_alloc(chunks, 1);
    return p->values == NULL || p->chunks == NULL ? dtx_error_memory(err)
                                                  : DTX_OK;
}

static enum dtx_status
prepare(struct dtx_hdf5_packing *p, struct dtx_text *path,
        struct dtx_error *err)
{
    size_t count = (size_t)p->from->dataset_count;

    dtx_text_format(path, "%s" DTX_PACKED_ENDING, p->from->temporary);
    /* Creating sets offsets: of copies, the contiguous file's still count. */
    p->to.datasets = dtx_alloc(count, sizeof *p->to.datasets);
    p->blocks = dtx_alloc(count, sizeof *p->blocks);
    p->places = dtx_alloc(count, sizeof *p->places);
    if (path->failed || p->to.datasets == NULL || p->blocks == NULL ||
        p->places == NULL) {
        return dtx_error_memory(err);
    }
    memcpy(p->to.datasets, p->from->datasets, count * sizeof *p->to.datasets);
    p->to.temporary = path->data;
    p->to.is_shared = false;
    return make_room(p, err);
}

enum dtx_status
dtx_hdf5_pack(struct dtx_storage *storage, const struct dtx_target_file *file,
              uint64_t memory_bytes, struct dtx_error *err)
{
    struct dtx_hdf5_packing p = {
        .storage = (struct dtx_hdf5_storage *)storage,
        .from = file,
        .to = *file,
        .from_fd = -1,
        .id = -1,
        .block_bytes =
            dtx_min((int64_t)(memory_bytes / MEMORY_SHARE), block_bytes_most)};
    struct dtx_text path = {0};
    enum dtx_status status;
    uint64_t bytes;

    p.comm = dtx_hdf5_communicator(p.storage, file);
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.size);
    status = prepare(&p, &path, err);
    /* once a run is stopped, none of many files is opened any more */
    status = dtx_hdf5_pack_settle(&p, status, err);
    if (status == DTX_OK) {
        status = dtx_file_open_source(file->temporary, &p.from_fd, &bytes, err);
        status = dtx_hdf5_pack_settle(&p, status, err);
    }
    if (status == DTX_OK) {
        (void)pack_file(&p, err);
    }
    if (p.from_fd >= 0) {
        close(p.from_fd);
    }
    dtx_text_finish(&path);
    dtx_free(p.values);
    dtx_free(p.chunks);
    dtx_free(p.blocks);
    dtx_free(p.places);
    dtx_free(p.to.datasets);
    MPI_Comm_free(&p.comm);
    return p.own;
}
