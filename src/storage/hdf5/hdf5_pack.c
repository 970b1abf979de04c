/*
 * Shared files of chunked or compressed datasets, by parallel HDF5.
 *
 * While data moves, a file that several processes write is contiguous, and
 * each writes at its own offsets. What is to be chunked or compressed is
 * rewritten when all is there: an empty file of the final form is made by one
 * process, opened by all, and filled block by block, each some whole chunks.
 * Compressed blocks are written collectively, one of each process a call; who
 * has none left takes part with nothing selected. No process makes a collective
 * call that another can't make: what can fail before it is agreed on.
 */
#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "layout/shape.h"
#include "storage/files.h"
#include "storage/hdf5/hdf5_blocks.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "storage/row_walk.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

/* A block has as many whole chunks as fit, and at least one. More bytes don't
 * make it quicker. */
static const uint64_t block_bytes_most = (uint64_t)8 << 20;

/* Beside a block HDF5 has the chunks that it compresses. */
enum { MEMORY_SHARE = 3 };

/* What HDF5 may add to a file's metadata while chunks are written, beside
 * their index. */
enum { METADATA_BYTES = 64 * 1024 };

/* A file on its way from contiguous to its final form. */
struct packing {
    struct dtx_hdf5_storage *storage;
    const struct dtx_target_file *from; /* contiguous, complete */
    struct dtx_target_file to;          /* as from, elsewhere and stored */
    MPI_Comm comm;                      /* of the file's processes */
    int rank, size;
    int fd;   /* of from's temporary */
    hid_t id; /* the packed file, opened by all */
    int64_t block_bytes;
    char *block; /* room for a block of any dataset */
};

/* A dataset of the packed file that is open; -1: not yet. */
struct dataset_ids {
    hid_t id, type;
    hid_t transfer; /* how it is written */
};

/* The worst status of all processes of the file; keeps the own error. */
static enum dtx_status
settle(const struct packing *p, enum dtx_status status, struct dtx_error *err)
{
    int own = status, worst = status;

    MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, p->comm);
    if (status == DTX_OK && worst != DTX_OK) {
        dtx_error_set(err, (enum dtx_status)worst,
                      "another process could not write '%s'", p->to.path);
    }
    return (enum dtx_status)worst;
}

/* ---------------------------------------------------------------- blocks */

static enum dtx_status
read_block(const struct packing *p, const struct dtx_target_dataset *d,
           const int64_t *lo, const int64_t *len, struct dtx_error *err)
{
    struct dtx_row_walk walk;
    char *buffer = p->block;
    uint64_t offset;
    int64_t i;
    int code = 0;

    dtx_row_walk_init(&walk, d->ndim, d->shape, lo, len, d->type.size_bytes);
    while (code == 0 && dtx_row_walk_next(&walk, &offset)) {
        offset += d->offset;
        for (i = 0; i < walk.run_count && code == 0; i++) {
            code = dtx_file_read_at(p->fd, buffer, walk.run_bytes, offset);
            buffer += walk.run_bytes;
            offset += walk.stride_bytes;
        }
    }
    return code == 0 ? DTX_OK
                     : dtx_file_error(err, DTX_ERR_TARGET, "read back",
                                      p->from->temporary,
                                      code == DTX_FILE_ENDS ? EIO : code);
}

/* A block that is about to be written, or this process's part in the call
 * that writes those of others. */
struct pending {
    hid_t file_space, memory_space;
};

/* Reads a block, and says where it goes. Where there is none (index too
 * large), it is for a call in which nothing is written. */
static enum dtx_status
prepare_block(const struct packing *p, const struct dtx_target_dataset *d,
              hid_t id, const struct dtx_hdf5_blocks *b, int64_t index,
              struct pending *pending, struct dtx_error *err)
{
    int64_t lo[DTX_NDIM_MAX] = {0}, len[DTX_NDIM_MAX] = {0};
    bool takes_part = index < b->total;
    enum dtx_status status = DTX_OK;

    dtx_hdf5_block_box(b, d, takes_part ? index : 0, lo, len);
    if (takes_part) {
        status = read_block(p, d, lo, len, err);
    }
    if (status == DTX_OK &&
        dtx_hdf5_select(id, d->ndim, lo, len, &pending->file_space,
                        &pending->memory_space) < 0) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK && !takes_part &&
        (H5Sselect_none(pending->file_space) < 0 ||
         H5Sselect_none(pending->memory_space) < 0)) {
        status = dtx_error_memory(err);
    }
    return status;
}

static enum dtx_status
write_pending(const struct packing *p, const struct dtx_target_dataset *d,
              const struct dataset_ids *ids, const struct pending *pending,
              struct dtx_error *err)
{
    if (H5Dwrite(ids->id, ids->type, pending->memory_space, pending->file_space,
                 ids->transfer, p->block) < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_TARGET,
                             "cannot write dataset '%s' of '%s'", d->path,
                             p->to.temporary);
    }
    return DTX_OK;
}

/* Writes a block. With compression all processes agree before the call, since
 * HDF5 has those that make it wait for those that don't. */
static enum dtx_status
write_block(const struct packing *p, const struct dtx_target_dataset *d,
            const struct dataset_ids *ids, const struct dtx_hdf5_blocks *b,
            int64_t index, struct dtx_error *err)
{
    struct pending pending = {-1, -1};
    enum dtx_status status =
        prepare_block(p, d, ids->id, b, index, &pending, err);

    if (p->to.gzip) {
        status = settle(p, status, err);
    }
    if (status == DTX_OK) {
        status = write_pending(p, d, ids, &pending, err);
    }
    if (pending.memory_space >= 0) {
        H5Sclose(pending.memory_space);
        H5Sclose(pending.file_space);
    }
    return status;
}

/* ---------------------------------------------------------------- datasets */

/* How blocks are written: together where compression asks for it. */
static hid_t
transfer_properties(const struct packing *p)
{
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);

    if (transfer >= 0 &&
        H5Pset_dxpl_mpio(transfer, p->to.gzip ? H5FD_MPIO_COLLECTIVE
                                              : H5FD_MPIO_INDEPENDENT) < 0) {
        H5Pclose(transfer);
        return -1;
    }
    return transfer;
}

/* Collective. */
static enum dtx_status
write_blocks(const struct packing *p, const struct dtx_target_dataset *d,
             const struct dataset_ids *ids, const struct dtx_hdf5_blocks *b,
             struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int64_t first;

    for (first = 0; status == DTX_OK && first < b->total; first += p->size) {
        if (p->to.gzip || first + p->rank < b->total) {
            status = write_block(p, d, ids, b, first + p->rank, err);
        }
        if (p->to.gzip) {
            status = settle(p, status, err);
        }
    }
    return settle(p, status, err);
}

static enum dtx_status
open_dataset(const struct packing *p, const struct dtx_target_dataset *d,
             struct dataset_ids *ids, struct dtx_error *err)
{
    ids->id = H5Dopen2(p->id, d->path, H5P_DEFAULT);
    ids->type = ids->id < 0 ? -1 : H5Dget_type(ids->id);
    if (ids->type < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_TARGET,
                             "cannot open dataset '%s' of '%s'", d->path,
                             p->to.temporary);
    }
    ids->transfer = transfer_properties(p);
    return ids->transfer < 0 ? dtx_error_memory(err) : DTX_OK;
}

static void
close_dataset(const struct dataset_ids *ids)
{
    if (ids->transfer >= 0) {
        H5Pclose(ids->transfer);
    }
    if (ids->type >= 0) {
        H5Tclose(ids->type);
    }
    if (ids->id >= 0) {
        H5Dclose(ids->id);
    }
}

static enum dtx_status
pack_dataset(const struct packing *p, int index, struct dtx_error *err)
{
    const struct dtx_target_dataset *d = &p->from->datasets[index];
    struct dataset_ids ids = {-1, -1, -1};
    struct dtx_hdf5_blocks b = {0};
    enum dtx_status status;

    if (dtx_shape_count(d->ndim, d->shape) == 0) {
        return DTX_OK;
    }
    status = open_dataset(p, d, &ids, err);
    if (status == DTX_OK) {
        status = dtx_hdf5_find_blocks(d, ids.id, p->block_bytes,
                                      p->to.temporary, &b, err);
    }
    status = settle(p, status, err);
    if (status == DTX_OK) {
        status = write_blocks(p, d, &ids, &b, err);
    }
    close_dataset(&ids);
    return status;
}

/* ---------------------------------------------------------------- files */

/* The most bytes that a block of any dataset has. */
static size_t
largest_block(const struct packing *p)
{
    size_t most = (size_t)p->block_bytes;
    int i;

    for (i = 0; i < p->from->dataset_count; i++) {
        size_t bytes = dtx_hdf5_chunk_bytes(p->from, &p->from->datasets[i]);

        most = bytes > most ? bytes : most;
    }
    return most;
}

/*
 * Reserves all the room that the packed file can take: where a process has no
 * room to write, parallel HDF5 leaves the others waiting for ever.
 */
static enum dtx_status
reserve_room(const struct packing *p, struct dtx_error *err)
{
    const char *path = p->to.temporary;
    uint64_t bytes = (uint64_t)dtx_file_size(path) + METADATA_BYTES;
    enum dtx_status status;
    int fd, i;

    for (i = 0; i < p->to.dataset_count; i++) {
        bytes += dtx_hdf5_room(&p->to, &p->to.datasets[i]);
    }
    status = dtx_file_open_target(path, &fd, err);
    if (status == DTX_OK) {
        status = dtx_file_reserve_beyond(fd, bytes, path, err);
        close(fd);
    }
    return status;
}

/* Gives back what the packed file didn't need, and makes it durable. */
static enum dtx_status
trim(const struct packing *p, struct dtx_error *err)
{
    const char *path = p->to.temporary;
    enum dtx_status status;
    int fd;

    status = dtx_file_open_target(path, &fd, err);
    if (status != DTX_OK) {
        return status;
    }
    if (ftruncate(fd, (off_t)dtx_file_size(path)) != 0) {
        status = dtx_file_error(err, DTX_ERR_TARGET, "write", path, errno);
    } else {
        status = dtx_file_sync(fd, path, err);
    }
    close(fd);
    return status;
}

/* Opens both files, on all processes. */
static enum dtx_status
open_files(struct packing *p, struct dtx_error *err)
{
    hid_t access = dtx_hdf5_access();
    uint64_t bytes;
    enum dtx_status status =
        dtx_file_open_source(p->from->temporary, &p->fd, &bytes, err);

    p->block = dtx_alloc(largest_block(p), 1);
    if (status == DTX_OK &&
        (p->block == NULL || access < 0 ||
         H5Pset_fapl_mpio(access, p->comm, MPI_INFO_NULL) < 0)) {
        status = dtx_error_memory(err);
    }
    status = settle(p, status, err);
    if (status == DTX_OK) {
        p->id = H5Fopen(p->to.temporary, H5F_ACC_RDWR, access);
        if (p->id < 0) {
            status = dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot open '%s'",
                                   p->to.temporary);
        }
        status = settle(p, status, err);
    }
    if (access >= 0) {
        H5Pclose(access);
    }
    return status;
}

static enum dtx_status
close_files(struct packing *p, enum dtx_status status, struct dtx_error *err)
{
    if (p->id >= 0 && H5Fclose(p->id) < 0 && status == DTX_OK) {
        status = dtx_hdf5_fail(err, DTX_ERR_TARGET, "cannot write '%s'",
                               p->to.temporary);
    }
    if (p->fd >= 0) {
        close(p->fd);
    }
    dtx_free(p->block);
    return settle(p, status, err);
}

/* Fills the packed file, which is there. */
static enum dtx_status
fill_file(struct packing *p, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    dtx_hdf5_lock();
    status = open_files(p, err);
    for (i = 0; i < p->from->dataset_count && status == DTX_OK; i++) {
        status = pack_dataset(p, i, err);
    }
    status = close_files(p, status, err);
    dtx_hdf5_unlock();
    return status;
}

/* Rewrites the file: makes the packed one beside it, and puts it in place. */
static enum dtx_status
pack_file(struct packing *p, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    if (p->rank == 0) {
        status = dtx_hdf5_create(&p->storage->base, &p->to, err);
        status = status == DTX_OK ? reserve_room(p, err) : status;
    }
    status = settle(p, status, err);
    if (status == DTX_OK) {
        status = fill_file(p, err);
    }
    if (p->rank == 0) {
        status = status == DTX_OK ? trim(p, err) : status;
        if (status == DTX_OK) {
            status = dtx_file_commit(p->to.temporary, p->from->temporary, err);
        } else {
            dtx_file_remove(p->to.temporary);
        }
    }
    return settle(p, status, err);
}

enum dtx_status
dtx_hdf5_pack(struct dtx_storage *storage, const struct dtx_target_file *file,
              uint64_t memory_bytes, struct dtx_error *err)
{
    uint64_t share = memory_bytes / MEMORY_SHARE;
    struct packing p = {
        .storage = (struct dtx_hdf5_storage *)storage,
        .from = file,
        .to = *file,
        .fd = -1,
        .id = -1,
        .block_bytes =
            (int64_t)(share < block_bytes_most ? share : block_bytes_most)};
    struct dtx_text path = {0};
    enum dtx_status status;

    p.comm = dtx_hdf5_communicator(p.storage, file);
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.size);
    dtx_text_format(&path, "%s" DTX_PACKED_ENDING, file->temporary);
    /* Creating sets offsets: of copies, the contiguous file's still count. */
    p.to.datasets =
        dtx_alloc((size_t)file->dataset_count, sizeof *p.to.datasets);
    status =
        path.failed || p.to.datasets == NULL ? dtx_error_memory(err) : DTX_OK;
    status = settle(&p, status, err);
    if (status == DTX_OK) {
        memcpy(p.to.datasets, file->datasets,
               (size_t)file->dataset_count * sizeof *p.to.datasets);
        p.to.temporary = path.data;
        p.to.is_shared = false;
        status = pack_file(&p, err);
    }
    dtx_text_finish(&path);
    dtx_free(p.to.datasets);
    MPI_Comm_free(&p.comm);
    return status;
}
