#include "storage/memory/memory_storage.h"

#include <string.h>

#include "layout/crc64.h"
#include "layout/listing.h"
#include "storage/memory/memory_internal.h"
#include "storage/row_walk.h"
#include "util/alloc.h"
#include "util/error.h"

/* The operations of the seam; each takes the lock once. */

static void
list_file(const struct dtx_memory_file *file, struct dtx_text *listing)
{
    uint64_t offset = 0;
    struct dtx_dataset d;
    size_t i;

    dtx_listing_begin(listing, (uint64_t)dtx_memory_file_bytes(file), 0);
    for (i = 0; i < file->blob_count; i++) {
        const struct dtx_memory_blob *blob = &file->blobs[i];

        d = (struct dtx_dataset){.path = blob->path,
                                 .type = blob->type,
                                 .ndim = blob->ndim,
                                 .shape = blob->shape,
                                 .offset = offset};
        d.form = blob->is_object    ? DTX_FORM_OBJECT
                 : blob->bytes == 0 ? DTX_FORM_EMPTY
                                    : DTX_FORM_CONTIGUOUS;
        offset += blob->bytes;
        dtx_listing_dataset(listing, &d, NULL);
    }
}

static enum dtx_status
scan(struct dtx_storage *storage, const char *path, struct dtx_text *listing,
     struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    struct dtx_memory_file *file = dtx_memory_find_file(self->files, path);
    enum dtx_status status = DTX_OK;

    if (file == NULL) {
        status =
            dtx_error_set(err, DTX_ERR_SOURCE,
                          "cannot open '%s': no such file or directory", path);
    } else if (file->text != NULL) {
        status = dtx_error_set(err, DTX_ERR_SOURCE,
                               "cannot read '%s': it is no HDF5 file", path);
    } else {
        list_file(file, listing);
        status = listing->failed ? dtx_error_memory(err) : DTX_OK;
    }
    dtx_memory_leave(self);
    return status;
}

static void
use_catalog(struct dtx_storage *storage, const struct dtx_catalog *catalog)
{
    ((struct memory_storage *)storage)->catalog = catalog;
}

/* Counts down to the call that is to fail. */
static bool
must_fail(int64_t *calls_left)
{
    return *calls_left > 0 && --*calls_left == 0;
}

/* Copies a box of a blob to or from a dense buffer; one of them is NULL. */
static void
copy_box(struct dtx_memory_blob *blob, const int64_t *lo, const int64_t *len,
         char *to, const char *from)
{
    struct dtx_row_walk walk;
    uint64_t offset;
    int64_t i;

    dtx_row_walk_init(&walk, blob->ndim, blob->shape, lo, len,
                      blob->type.size_bytes);
    while (dtx_row_walk_next(&walk, &offset)) {
        for (i = 0; i < walk.run_count; i++) {
            if (to != NULL) {
                memcpy(to, blob->data + offset, walk.run_bytes);
                to += walk.run_bytes;
            } else {
                memcpy(blob->data + offset, from, walk.run_bytes);
                from += walk.run_bytes;
            }
            offset += walk.stride_bytes;
        }
    }
}

/* The blob of a dataset of the catalog; NULL where it is to fail. */
static struct dtx_memory_blob *
find_source(struct memory_storage *self, int dataset, struct dtx_error *err)
{
    const struct dtx_dataset *d = &self->catalog->datasets[dataset];
    const char *path = self->catalog->files[d->file];
    struct dtx_memory_blob *blob =
        dtx_memory_find_blob(dtx_memory_find_file(self->files, path), d->path);

    if (blob == NULL || blob->is_unreadable || must_fail(&self->reads_left)) {
        dtx_error_set(err, DTX_ERR_SOURCE,
                      "cannot read dataset '%s' of '%s': input/output error",
                      d->path, path);
        return NULL;
    }
    return blob;
}

static enum dtx_status
read_box(struct dtx_storage *storage, int dataset, const int64_t *lo,
         const int64_t *len, void *buffer, struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    struct dtx_memory_blob *blob = find_source(self, dataset, err);

    if (blob != NULL) {
        copy_box(blob, lo, len, buffer, NULL);
    }
    dtx_memory_leave(self);
    return blob != NULL ? DTX_OK : DTX_ERR_SOURCE;
}

static enum dtx_status
digest_object(struct dtx_storage *storage, int dataset, uint64_t *digest_out,
              struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    struct dtx_memory_blob *blob = find_source(self, dataset, err);

    if (blob != NULL) {
        *digest_out = dtx_crc64_append(0, blob->data, blob->bytes);
    }
    dtx_memory_leave(self);
    return blob != NULL ? DTX_OK : DTX_ERR_SOURCE;
}

/* Copies an object of the source into a file that is made. */
static enum dtx_status
copy_object(struct memory_storage *self, struct dtx_memory_file *made,
            const struct dtx_target_object *object, struct dtx_error *err)
{
    struct dtx_memory_blob *from =
        find_source(self, object->source_dataset, err);
    struct dtx_memory_blob *to;

    if (from == NULL) {
        return DTX_ERR_SOURCE;
    }
    to = dtx_memory_add_blob(made, object->path, from->type, from->ndim,
                             from->shape);
    if (to == NULL) {
        return dtx_error_memory(err);
    }
    to->is_object = true;
    memcpy(to->data, from->data, from->bytes);
    return DTX_OK;
}

static enum dtx_status
create(struct dtx_storage *storage, struct dtx_target_file *file,
       struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    enum dtx_status status = DTX_OK;
    struct dtx_memory_file *made;
    uint64_t offset = 1; /* 0 says that there is none */
    struct dtx_memory_blob *blob;
    int i;

    if (file->view != NULL) {
        dtx_memory_leave(self);
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "files in memory can't show others' tensors");
    }
    dtx_memory_remove_file(self->files, file->temporary);
    made = dtx_memory_add_file(self->files, file->temporary);
    if (made == NULL) {
        status = dtx_error_memory(err);
    }
    for (i = 0; i < file->dataset_count && status == DTX_OK; i++) {
        struct dtx_target_dataset *d = &file->datasets[i];

        blob = dtx_memory_add_blob(made, d->path, d->type, d->ndim, d->shape);
        if (blob == NULL) {
            status = dtx_error_memory(err);
        } else {
            d->offset = blob->bytes == 0 ? 0 : offset;
            offset += blob->bytes;
        }
    }
    for (i = 0; i < file->object_count && status == DTX_OK; i++) {
        status = copy_object(self, made, &file->objects[i], err);
    }
    dtx_memory_leave(self);
    return status;
}

/* The offsets are those that create() sets. */
static enum dtx_status
reopen(struct dtx_storage *storage, struct dtx_target_file *file,
       struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    struct dtx_memory_file *made =
        dtx_memory_find_file(self->files, file->temporary);
    enum dtx_status status = DTX_OK;
    uint64_t offset = 1;
    int i;

    for (i = 0; i < file->dataset_count && status == DTX_OK; i++) {
        struct dtx_target_dataset *d = &file->datasets[i];
        struct dtx_memory_blob *blob = dtx_memory_find_blob(made, d->path);

        if (blob == NULL) {
            status = dtx_error_set(err, DTX_ERR_TARGET,
                                   "cannot go on with '%s': dataset '%s' "
                                   "isn't what it was",
                                   file->temporary, d->path);
        } else {
            d->offset = blob->bytes == 0 ? 0 : offset;
            offset += blob->bytes;
        }
    }
    dtx_memory_leave(self);
    return status;
}

/* Changes a bit of the element at an index. */
static void
damage(struct dtx_memory_blob *blob, const int64_t *index)
{
    size_t at = 0;
    int i;

    for (i = 0; i < blob->ndim; i++) {
        at = at * (size_t)blob->shape[i] + (size_t)index[i];
    }
    blob->data[at * blob->type.size_bytes] ^= 1;
}

static enum dtx_status
write_box(struct dtx_storage *storage, const struct dtx_target_file *file,
          int dataset, const int64_t *lo, const int64_t *len,
          const void *buffer, struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    const struct dtx_target_dataset *d = &file->datasets[dataset];
    struct dtx_memory_blob *blob = dtx_memory_find_blob(
        dtx_memory_find_file(self->files, file->temporary), d->path);
    enum dtx_status status = DTX_OK;

    if (blob == NULL || must_fail(&self->writes_left)) {
        status = dtx_error_set(err, DTX_ERR_TARGET,
                               "cannot write '%s': no space left on device",
                               file->temporary);
    } else {
        copy_box(blob, lo, len, NULL, buffer);
        if (must_fail(&self->sound_writes_left)) {
            damage(blob, lo);
        }
    }
    dtx_memory_leave(self);
    return status;
}

static enum dtx_status
close_file(struct dtx_storage *storage, const struct dtx_target_file *file,
           struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    enum dtx_status status = DTX_OK;

    if (dtx_memory_find_file(self->files, file->temporary) == NULL) {
        status = dtx_error_set(err, DTX_ERR_TARGET,
                               "cannot open '%s': no such file or directory",
                               file->temporary);
    }
    dtx_memory_leave(self);
    return status;
}

static void
abandon(struct dtx_storage *storage, const struct dtx_target_file *file)
{
    (void)storage;
    (void)file;
}

static enum dtx_status
journal_open(struct dtx_storage *storage, const char *path,
             struct dtx_text *content, struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    char *copy = dtx_strdup(path);
    enum dtx_status status =
        copy == NULL ? dtx_error_memory(err)
                     : dtx_memory_journal_open(self->files, path, content, err);

    if (status == DTX_OK) {
        self->journal = copy;
    } else {
        dtx_free(copy);
    }
    dtx_memory_leave(self);
    return status;
}

static enum dtx_status
journal_cut(struct dtx_storage *storage, uint64_t bytes, struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);

    (void)err;
    dtx_memory_journal_cut(self->files, self->journal, bytes);
    dtx_memory_leave(self);
    return DTX_OK;
}

static enum dtx_status
journal_append(struct dtx_storage *storage, const char *lines,
               struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    enum dtx_status status =
        dtx_memory_journal_append(self->files, self->journal, lines, err);

    dtx_memory_leave(self);
    return status;
}

static enum dtx_status
journal_close(struct dtx_storage *storage, bool has_served,
              struct dtx_error *err)
{
    struct memory_storage *self = dtx_memory_enter(storage);

    (void)err;
    if (self->journal != NULL) {
        dtx_memory_journal_close(self->files, self->journal, has_served);
    }
    dtx_free(self->journal);
    self->journal = NULL;
    dtx_memory_leave(self);
    return DTX_OK;
}

static bool
journal_peek(struct dtx_storage *storage, const char *path,
             struct dtx_text *content)
{
    struct memory_storage *self = dtx_memory_enter(storage);
    struct dtx_memory_file *file = dtx_memory_find_file(self->files, path);
    bool is_there = file != NULL && file->text != NULL;

    if (is_there) {
        dtx_text_add(content, file->text);
    }
    dtx_memory_leave(self);
    return is_there;
}

static void
destroy(struct dtx_storage *storage)
{
    struct dtx_error unseen;

    (void)!journal_close(storage, false, &unseen);
    dtx_free(storage);
}

/* Files in memory have no other form. */
static enum dtx_status
pack(struct dtx_storage *storage, const struct dtx_target_file *file,
     uint64_t memory_bytes, struct dtx_error *err)
{
    (void)memory_bytes;
    (void)storage;
    (void)file;
    (void)err;
    return DTX_OK;
}

static int
own_number(struct dtx_storage *storage)
{
    (void)storage;
    return 0;
}

static enum dtx_status
use_numbers(struct dtx_storage *storage, const int *numbers, int count,
            struct dtx_error *err)
{
    (void)storage;
    (void)numbers;
    (void)count;
    (void)err;
    return DTX_OK;
}

static const struct dtx_storage_ops memory_ops = {
    .scan = scan,
    .use_catalog = use_catalog,
    .read = read_box,
    .digest_object = digest_object,
    .create = create,
    .reopen = reopen,
    .write = write_box,
    .sync = close_file,
    .close = close_file,
    .abandon = abandon,
    .forget = dtx_memory_forget,
    .commit = dtx_memory_commit,
    .write_text = dtx_memory_write_text,
    .journal_open = journal_open,
    .journal_cut = journal_cut,
    .journal_append = journal_append,
    .journal_close = journal_close,
    .journal_peek = journal_peek,
    .remove = dtx_memory_remove,
    .remove_folders = dtx_memory_remove_folders,
    .pack = pack,
    .identify = dtx_memory_identify,
    .exists = dtx_memory_exists,
    .is_missing = dtx_memory_is_missing,
    .size = dtx_memory_size,
    .modified = dtx_memory_modified,
    .mark = dtx_memory_mark,
    .space = dtx_memory_space,
    .holes = dtx_memory_holes,
    .own_number = own_number,
    .use_numbers = use_numbers,
    .destroy = destroy,
};

enum dtx_status
dtx_memory_storage_create(struct dtx_memory_files *files,
                          struct dtx_storage **storage_out,
                          struct dtx_error *err)
{
    struct memory_storage *self = dtx_alloc(1, sizeof *self);

    if (self == NULL) {
        return dtx_error_memory(err);
    }
    self->base.ops = &memory_ops;
    self->files = files;
    *storage_out = &self->base;
    return DTX_OK;
}

void
dtx_memory_storage_fail(struct dtx_storage *storage, int64_t read_call,
                        int64_t write_call)
{
    struct memory_storage *self = dtx_memory_enter(storage);

    self->reads_left = read_call;
    self->writes_left = write_call;
    dtx_memory_leave(self);
}

void
dtx_memory_storage_damage(struct dtx_storage *storage, int64_t write_call)
{
    struct memory_storage *self = dtx_memory_enter(storage);

    self->sound_writes_left = write_call;
    dtx_memory_leave(self);
}
