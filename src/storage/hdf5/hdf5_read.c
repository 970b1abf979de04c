#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "storage/files.h"
#include "storage/guard/guard.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_object.h"
#include "storage/row_walk.h"
#include "storage/swap.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

/* Where a call per run would cost more than to read the gaps too. */
static const size_t short_run_bytes = 4096;
static const uint64_t short_gap_factor = 8;
static const size_t scratch_bytes = (size_t)1 << 20;

/* A read of a contiguous dataset. */
struct job {
    struct dtx_hdf5_storage *storage;
    const struct dtx_dataset *dataset;
    const char *path;
    int fd;
    struct dtx_error *err;
};

static enum dtx_status
fail_reading(const struct job *job, int code)
{
    char reason[DTX_REASON_TEXT];

    if (code == DTX_FILE_ENDS) {
        return dtx_error_set(
            job->err, DTX_ERR_SOURCE,
            "cannot read dataset '%s' of '%s': the file was cut short, it "
            "ends at byte %" PRId64,
            job->dataset->path, job->path, dtx_file_size(job->path));
    }
    return dtx_error_set(
        job->err, DTX_ERR_SOURCE, "cannot read dataset '%s' of '%s': %s",
        job->dataset->path, job->path, dtx_file_reason(code, reason));
}

/* One row of runs, a call for each. */
static int
read_runs(const struct job *job, const struct dtx_row_walk *walk,
          uint64_t offset, char *buffer)
{
    int64_t i;
    int code;

    for (i = 0; i < walk->run_count; i++) {
        code = dtx_file_read_at(job->fd, buffer, walk->run_bytes,
                                offset + (uint64_t)i * walk->stride_bytes);
        if (code != 0) {
            return code;
        }
        buffer += walk->run_bytes;
    }
    return 0;
}

/* One row of short runs, with the gaps between them, through scratch. */
static int
read_over_gaps(const struct job *job, const struct dtx_row_walk *walk,
               uint64_t offset, char *buffer)
{
    char *scratch = job->storage->scratch;
    size_t stride = (size_t)walk->stride_bytes;
    int64_t most = (int64_t)((scratch_bytes - walk->run_bytes) / stride) + 1;
    int64_t left = walk->run_count;
    int64_t count;
    int64_t i;
    int code;

    for (; left > 0; left -= count) {
        count = dtx_min(left, most);
        code = dtx_file_read_at(job->fd, scratch,
                                (size_t)(count - 1) * stride + walk->run_bytes,
                                offset);
        if (code != 0) {
            return code;
        }
        for (i = 0; i < count; i++) {
            memcpy(buffer, scratch + (size_t)i * stride, walk->run_bytes);
            buffer += walk->run_bytes;
        }
        offset += (uint64_t)count * stride;
    }
    return 0;
}

static bool
is_worth_gaps(const struct dtx_row_walk *walk)
{
    return walk->run_count > 1 && walk->run_bytes < short_run_bytes &&
           walk->stride_bytes <= walk->run_bytes * short_gap_factor;
}

static enum dtx_status
read_rows(struct job *job, struct dtx_row_walk *walk, char *buffer)
{
    bool over_gaps = is_worth_gaps(walk) && job->storage->scratch != NULL;
    uint64_t offset;
    int code = 0;

    while (code == 0 && dtx_row_walk_next(walk, &offset)) {
        offset += job->dataset->offset;
        code = over_gaps ? read_over_gaps(job, walk, offset, buffer)
                         : read_runs(job, walk, offset, buffer);
        buffer += (size_t)walk->run_count * walk->run_bytes;
    }
    return code == 0 ? DTX_OK : fail_reading(job, code);
}

static enum dtx_status
read_contiguous(struct job *job, const int64_t *lo, const int64_t *len,
                void *buffer)
{
    struct dtx_hdf5_storage *storage = job->storage;
    const struct dtx_dataset *d = job->dataset;
    struct dtx_row_walk walk;
    enum dtx_status status;

    status = dtx_fd_acquire(&storage->readers, job->path, job->path, &job->fd,
                            job->err);
    if (status != DTX_OK) {
        return status;
    }
    dtx_row_walk_init(&walk, d->ndim, d->shape, lo, len, d->type.size_bytes);
    if (is_worth_gaps(&walk)) {
        pthread_mutex_lock(&storage->scratch_mutex);
        if (storage->scratch == NULL) {
            storage->scratch = dtx_alloc(scratch_bytes, 1);
        }
        status = read_rows(job, &walk, buffer);
        pthread_mutex_unlock(&storage->scratch_mutex);
    } else {
        status = read_rows(job, &walk, buffer);
    }
    dtx_fd_release(&storage->readers, job->path);
    return status;
}

/* By the guard, where there is one. */
static enum dtx_status
read_stored(struct job *job, int index, const int64_t *lo, const int64_t *len,
            void *buffer)
{
    const struct dtx_dataset *d = job->dataset;
    struct dtx_hdf5_name name = {job->path, job->path, index, d->path};
    struct dtx_hdf5_box box = {d->ndim, d->shape, lo, len, d->type.size_bytes};
    enum dtx_status status;

    if (dtx_guard_is_on()) {
        return dtx_guard_read(job->path, index, d->path, &box, buffer,
                              job->err);
    }
    dtx_hdf5_lock();
    status =
        dtx_hdf5_read_box(&job->storage->sources, name, &box, buffer, job->err);
    dtx_hdf5_unlock();
    return status;
}

static bool
is_empty(int ndim, const int64_t *len)
{
    int d;

    for (d = 0; d < ndim; d++) {
        if (len[d] == 0) {
            return true;
        }
    }
    return false;
}

static void
swap(const struct dtx_dataset *d, const int64_t *len, void *buffer)
{
    bool is_pair =
        d->type.dtype == DTX_COMPLEX64 || d->type.dtype == DTX_COMPLEX128;
    size_t unit = d->type.size_bytes / (is_pair ? 2 : 1);
    size_t count = is_pair ? 2 : 1;
    int i;

    for (i = 0; i < d->ndim; i++) {
        count *= (size_t)len[i];
    }
    dtx_swap_bytes(buffer, count, unit);
}

enum dtx_status
dtx_hdf5_read(struct dtx_storage *storage, int dataset, const int64_t *lo,
              const int64_t *len, void *buffer, struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    const struct dtx_dataset *d = &self->catalog->datasets[dataset];
    struct job job = {.storage = self,
                      .dataset = d,
                      .path = self->catalog->files[d->file],
                      .err = err};
    enum dtx_status status;

    assert(d->form != DTX_FORM_OBJECT);
    if (is_empty(d->ndim, len)) {
        return DTX_OK;
    }
    if (d->form == DTX_FORM_CONTIGUOUS) {
        status = read_contiguous(&job, lo, len, buffer);
    } else {
        status = read_stored(&job, dataset, lo, len, buffer);
    }
    if (status == DTX_OK && d->is_big_endian) {
        swap(d, len, buffer);
    }
    return status;
}

enum dtx_status
dtx_hdf5_digest_object(struct dtx_storage *storage, int dataset,
                       uint64_t *digest_out, struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    const struct dtx_dataset *d = &self->catalog->datasets[dataset];
    const char *file = self->catalog->files[d->file];
    enum dtx_status status;

    if (dtx_guard_is_on()) {
        return dtx_guard_digest(file, d->path, digest_out, err);
    }
    dtx_hdf5_lock();
    status =
        dtx_hdf5_object_digest(&self->sources, file, d->path, digest_out, err);
    dtx_hdf5_unlock();
    return status;
}
