#include "storage/hdf5/hdf5_storage.h"

#include "storage/files.h"
#include "storage/guard/guard.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_scan.h"
#include "util/alloc.h"
#include "util/error.h"

static enum dtx_status
scan(struct dtx_storage *storage, const char *path, struct dtx_text *listing,
     struct dtx_error *err)
{
    (void)storage;
    return dtx_guard_is_on() ? dtx_guard_scan(path, listing, err)
                             : dtx_hdf5_scan(path, listing, err);
}

/* What is open is known by addresses in the catalog before. */
static void
use_catalog(struct dtx_storage *storage, const struct dtx_catalog *catalog)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;

    dtx_hdf5_lock();
    dtx_hdf5_handles_finish(&self->sources);
    dtx_hdf5_unlock();
    dtx_fd_cache_clear(&self->readers);
    if (dtx_guard_is_on()) {
        dtx_guard_forget();
    }
    self->catalog = catalog;
}

static void
forget(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    dtx_file_forget(path);
}

static enum dtx_status
commit(struct dtx_storage *storage, const char *from, const char *to,
       struct dtx_error *err)
{
    (void)storage;
    return dtx_file_commit(from, to, err);
}

static enum dtx_status
write_text(struct dtx_storage *storage, const char *path, const char *text,
           struct dtx_error *err)
{
    (void)storage;
    return dtx_file_write_text(path, text, err);
}

static void
remove_file(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    dtx_file_remove(path);
}

static void
remove_folders(struct dtx_storage *storage)
{
    dtx_file_remove_folders(&((struct dtx_hdf5_storage *)storage)->folders);
}

static bool
exists(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    return dtx_file_exists(path);
}

static bool
is_missing(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    return dtx_file_is_missing(path);
}

static bool
identify(struct dtx_storage *storage, const char *path, struct dtx_text *text)
{
    (void)storage;
    return dtx_file_identify(path, text);
}

static int64_t
size(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    return dtx_file_size(path);
}

static int64_t
modified(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    return dtx_file_modified(path);
}

static bool
mark(struct dtx_storage *storage, const char *path, int64_t *bytes_out,
     int64_t *modified_ns_out)
{
    (void)storage;
    return dtx_file_mark(path, bytes_out, modified_ns_out);
}

static bool
space(struct dtx_storage *storage, const char *path, uint64_t *system_out,
      uint64_t *free_out)
{
    (void)storage;
    return dtx_file_space(path, system_out, free_out);
}

static uint64_t
holes(struct dtx_storage *storage, const char *path)
{
    (void)storage;
    return dtx_file_holes(path);
}

static struct dtx_journal_file *
journal_of(struct dtx_storage *storage)
{
    return &((struct dtx_hdf5_storage *)storage)->journal;
}

static enum dtx_status
journal_open(struct dtx_storage *storage, const char *path,
             struct dtx_text *content, struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;

    return dtx_journal_file_open(&self->journal, path, &self->folders, content,
                                 err);
}

static enum dtx_status
journal_cut(struct dtx_storage *storage, uint64_t bytes, struct dtx_error *err)
{
    return dtx_journal_file_cut(journal_of(storage), bytes, err);
}

static enum dtx_status
journal_append(struct dtx_storage *storage, const char *lines,
               struct dtx_error *err)
{
    return dtx_journal_file_append(journal_of(storage), lines, err);
}

static enum dtx_status
journal_close(struct dtx_storage *storage, bool has_served,
              struct dtx_error *err)
{
    return dtx_journal_file_close(journal_of(storage), has_served, err);
}

static bool
journal_peek(struct dtx_storage *storage, const char *path,
             struct dtx_text *content)
{
    (void)storage;
    return dtx_journal_file_peek(path, content);
}

static void
destroy(struct dtx_storage *storage)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    struct dtx_error unseen;

    if (self == NULL) {
        return;
    }
    dtx_hdf5_lock();
    dtx_hdf5_handles_finish(&self->sources);
    dtx_hdf5_handles_finish(&self->targets);
    dtx_hdf5_unlock();
    dtx_fd_cache_finish(&self->readers);
    dtx_fd_cache_finish(&self->writers);
    (void)!dtx_journal_file_close(&self->journal, false, &unseen);
    dtx_names_finish(&self->folders);
    pthread_mutex_destroy(&self->scratch_mutex);
    dtx_free(self->scratch);
    dtx_free(self->numbers);
    dtx_free(self);
}

static const struct dtx_storage_ops hdf5_ops = {
    .scan = scan,
    .use_catalog = use_catalog,
    .read = dtx_hdf5_read,
    .digest_object = dtx_hdf5_digest_object,
    .create = dtx_hdf5_create,
    .reopen = dtx_hdf5_reopen,
    .write = dtx_hdf5_write,
    .sync = dtx_hdf5_sync,
    .close = dtx_hdf5_close,
    .abandon = dtx_hdf5_leave,
    .pack = dtx_hdf5_pack,
    .forget = forget,
    .commit = commit,
    .write_text = write_text,
    .journal_open = journal_open,
    .journal_cut = journal_cut,
    .journal_append = journal_append,
    .journal_close = journal_close,
    .journal_peek = journal_peek,
    .remove = remove_file,
    .remove_folders = remove_folders,
    .exists = exists,
    .is_missing = is_missing,
    .identify = identify,
    .size = size,
    .modified = modified,
    .mark = mark,
    .space = space,
    .holes = holes,
    .own_number = dtx_hdf5_own_number,
    .use_numbers = dtx_hdf5_use_numbers,
    .destroy = destroy,
};

static enum dtx_status
open_source(const char *path, int *fd_out, struct dtx_error *err)
{
    uint64_t bytes;

    return dtx_file_open_source(path, fd_out, &bytes, err);
}

enum dtx_status
dtx_hdf5_storage_create(struct dtx_storage **storage_out, struct dtx_error *err)
{
    struct dtx_hdf5_storage *self;
    enum dtx_status status = dtx_hdf5_start(err);

    if (status != DTX_OK) {
        return status;
    }
    self = dtx_alloc(1, sizeof *self);
    if (self == NULL) {
        return dtx_error_memory(err);
    }
    self->base.ops = &hdf5_ops;
    self->targets.writes = true;
    dtx_fd_cache_init(&self->readers, DTX_ERR_SOURCE, open_source);
    dtx_fd_cache_init(&self->writers, DTX_ERR_TARGET, dtx_file_open_target);
    pthread_mutex_init(&self->scratch_mutex, NULL);
    *storage_out = &self->base;
    return DTX_OK;
}
