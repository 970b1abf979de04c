#include <errno.h>

#include "storage/files.h"
#include "storage/hdf5/hdf5_chunks.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_pack.h"
#include "storage/row_walk.h"
#include "storage/stop.h"
#include "util/error.h"
#include "util/math.h"

/* A message moves at most so much: MPI's counts are ints. */
static const int64_t message_bytes_most = (int64_t)1 << 30;

enum dtx_status
dtx_hdf5_pack_settle(struct dtx_hdf5_packing *p, enum dtx_status status,
                     struct dtx_error *err)
{
    int own, worst;

    if (p->worst == DTX_OK) {
        status = status == DTX_OK ? dtx_stop_heard(err) : status;
        p->own = status;
        own = (int)status;
        MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, p->comm);
        p->worst = (enum dtx_status)worst;
    }
    return p->worst;
}

/* ---------------------------------------------------------------- blocks */

static enum dtx_status
read_block(const struct dtx_hdf5_packing *p, int dataset,
           const struct dtx_hdf5_block *block, struct dtx_error *err)
{
    const struct dtx_target_dataset *d = &p->from->datasets[dataset];
    struct dtx_row_walk walk;
    char *buffer = p->values;
    uint64_t offset;
    int64_t i;
    int code = 0;

    dtx_row_walk_init(&walk, d->ndim, d->shape, block->lo, block->len,
                      d->type.size_bytes);
    while (code == 0 && dtx_row_walk_next(&walk, &offset)) {
        offset += d->offset;
        for (i = 0; i < walk.run_count && code == 0; i++) {
            code = dtx_file_read_at(p->from_fd, buffer, walk.run_bytes, offset);
            buffer += walk.run_bytes;
            offset += walk.stride_bytes;
        }
    }
    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "read back",
                                      p->from->temporary,
                                      code == DTX_FILE_ENDS ? EIO : code);
}

/* A block of a dataset, its chunks still to be made or received. */
static struct dtx_hdf5_block
block_of(const struct dtx_hdf5_packing *p, int dataset, int64_t index)
{
    const struct dtx_target_dataset *d = &p->to.datasets[dataset];
    struct dtx_hdf5_block block = {.file = &p->to,
                                   .dataset = d,
                                   .blocks = &p->blocks[dataset],
                                   .chunks = (void *)p->chunks};

    dtx_hdf5_block_box(block.blocks, d, index, block.lo, block.len);
    block.chunk_count = dtx_hdf5_chunks_in(block.blocks, d->ndim, block.len);
    block.bytes = p->chunks + (size_t)block.chunk_count * sizeof *block.chunks;
    return block;
}

/* Bytes of a block's chunks, once they are made. */
static int64_t
chunk_bytes(const struct dtx_hdf5_block *block)
{
    int64_t bytes = 0;
    int64_t i;

    for (i = 0; i < block->chunk_count; i++) {
        bytes += (int64_t)block->chunks[i].bytes;
    }
    return bytes;
}

/* ---------------------------------------------------------------- in place */

/* Writes a block where it belongs. A dataset without dims has no chunks. */
static enum dtx_status
write_block(const struct dtx_hdf5_packing *p, int dataset, int64_t index,
            struct dtx_error *err)
{
    struct dtx_hdf5_block block = block_of(p, dataset, index);
    uint64_t bytes = block.blocks->chunk_bytes;
    uint64_t offset = p->places[dataset];
    const char *from = p->values;
    enum dtx_status status = read_block(p, dataset, &block, err);
    int code;

    if (status == DTX_OK && block.dataset->ndim > 0) {
        status = dtx_hdf5_make_chunks(&block, p->values, err);
        bytes = (uint64_t)chunk_bytes(&block);
        offset += block.blocks->chunk_bytes *
                  (uint64_t)dtx_hdf5_first_chunk(block.blocks, block.dataset,
                                                 block.lo);
        from = block.bytes;
    }
    if (status != DTX_OK) {
        return status;
    }
    code = dtx_file_write_at(p->to_fd, from, bytes, offset);
    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "write",
                                      p->to.temporary, code);
}

enum dtx_status
dtx_hdf5_pack_in_place(const struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int64_t index;
    int i;

    for (i = 0; i < p->to.dataset_count; i++) {
        for (index = p->places[i] == 0 ? p->blocks[i].total : p->rank;
             index < p->blocks[i].total && status == DTX_OK; index += p->size) {
            status = dtx_stop_heard(err);
            status = status == DTX_OK ? write_block(p, i, index, err) : status;
        }
    }
    return status == DTX_OK ? dtx_file_sync(p->to_fd, p->to.temporary, err)
                            : status;
}

/* ---------------------------------------------------------------- HDF5 */

static void
send_chunks(const struct dtx_hdf5_packing *p,
            const struct dtx_hdf5_block *block)
{
    int64_t bytes = block->bytes - p->chunks + chunk_bytes(block);
    int64_t at = 0;

    MPI_Send(&bytes, 1, MPI_INT64_T, 0, 0, p->comm);
    for (; at < bytes; at += message_bytes_most) {
        MPI_Send(p->chunks + at, (int)dtx_min(bytes - at, message_bytes_most),
                 MPI_BYTE, 0, 0, p->comm);
    }
}

static void
receive_chunks(const struct dtx_hdf5_packing *p, int rank)
{
    int64_t bytes, at = 0;

    MPI_Recv(&bytes, 1, MPI_INT64_T, rank, 0, p->comm, MPI_STATUS_IGNORE);
    for (; at < bytes; at += message_bytes_most) {
        MPI_Recv(p->chunks + at, (int)dtx_min(bytes - at, message_bytes_most),
                 MPI_BYTE, rank, 0, p->comm, MPI_STATUS_IGNORE);
    }
}

/* Writes process 0's block, then those of the others, which it receives after
 * a failure too. */
static enum dtx_status
write_round(const struct dtx_hdf5_packing *p, int dataset, int64_t first,
            hid_t id, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int rank;

    for (rank = 0; rank < p->size && first + rank < p->blocks[dataset].total;
         rank++) {
        struct dtx_hdf5_block block = block_of(p, dataset, first + rank);

        if (rank > 0) {
            receive_chunks(p, rank);
        }
        if (status == DTX_OK) {
            status = dtx_hdf5_write_chunks(&block, id, err);
        }
    }
    return status;
}

/* Makes a block of each process, and has them written. Collective. */
static enum dtx_status
pass_round(struct dtx_hdf5_packing *p, int dataset, int64_t first, hid_t id,
           struct dtx_error *err)
{
    bool takes_part = first + p->rank < p->blocks[dataset].total;
    enum dtx_status status = DTX_OK;
    struct dtx_hdf5_block block;

    if (takes_part) {
        block = block_of(p, dataset, first + p->rank);
        status = read_block(p, dataset, &block, err);
    }
    if (takes_part && status == DTX_OK) {
        status = dtx_hdf5_make_chunks(&block, p->values, err);
    }
    status = dtx_hdf5_pack_settle(p, status, err);
    if (status != DTX_OK) {
        return status;
    }
    if (p->rank == 0) {
        status = write_round(p, dataset, first, id, err);
    } else if (takes_part) {
        send_chunks(p, &block);
    }
    return dtx_hdf5_pack_settle(p, status, err);
}

/* Writes a dataset whose place is known to HDF5 only. Collective. */
static enum dtx_status
pass_dataset(struct dtx_hdf5_packing *p, int index, struct dtx_error *err)
{
    const char *path = p->to.datasets[index].path;
    enum dtx_status status = DTX_OK;
    hid_t id = -1;
    int64_t first;

    if (p->rank == 0) {
        id = H5Dopen2(p->id, path, H5P_DEFAULT);
        if (id < 0) {
            status = dtx_hdf5_fail(err, DTX_ERR_TARGET,
                                   "cannot open dataset '%s' of '%s'", path,
                                   p->to.temporary);
        }
    }
    status = dtx_hdf5_pack_settle(p, status, err);
    for (first = 0; first < p->blocks[index].total && status == DTX_OK;
         first += p->size) {
        status = pass_round(p, index, first, id, err);
    }
    if (id >= 0 && H5Dclose(id) < 0) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET,
                               "cannot write dataset '%s' of '%s'", path,
                               p->to.temporary);
    }
    return dtx_hdf5_pack_settle(p, status, err);
}

enum dtx_status
dtx_hdf5_pack_through(struct dtx_hdf5_packing *p, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < p->to.dataset_count && status == DTX_OK; i++) {
        if (p->places[i] == 0 && p->blocks[i].total > 0) {
            status = pass_dataset(p, i, err);
        }
    }
    return status;
}
