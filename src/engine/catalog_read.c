/*
 * Reading a source's catalog: each file is opened by one of the processes that
 * may read, and all get all listings.
 */
#include <dtx/catalog.h>

#include <string.h>

#include "engine/clock.h"
#include "engine/commit/unfinished.h"
#include "engine/reshard.h"
#include "layout/listing.h"
#include "storage/stop.h"
#include "storage/storage.h"
#include "transport/transport.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/names.h"

/* Who reads, and how. */
struct reading {
    struct dtx_transport *transport;
    struct dtx_storage *storage;
    const struct dtx_readers *readers; /* NULL: all processes */
    dtx_progress_visit *progress;      /* may be NULL */
    void *progress_context;
    struct engine_beat beat;
};

/* The listings of this process's files, and how long each is. */
struct own_listings {
    struct dtx_text bytes;
    uint64_t *lengths; /* [files of this process] */
    size_t count;
};

/* Whose turn a file is: the readers go round. */
static int
reader_of(const struct reading *r, int file)
{
    return r->readers == NULL ? file % r->transport->process_count
                              : r->readers->processes[file % r->readers->count];
}

static enum dtx_status
check_readers(const struct reading *r, struct dtx_error *err)
{
    int count = r->transport->process_count, i;

    for (i = 0; r->readers != NULL && i < r->readers->count; i++) {
        int process = r->readers->processes[i];

        if (process < 0 || process >= count) {
            return dtx_error_set(
                err, DTX_ERR_INVALID,
                "process %d can't read the source: there are %d process%s, "
                "counted from 0",
                process, count, count == 1 ? "" : "es");
        }
    }
    return DTX_OK;
}

/* Says how far the files are listed, about once a second; the others are as
 * far as this process. */
static void
show_progress(struct reading *r, int file, int file_count)
{
    struct dtx_progress progress = {.bytes_done = (uint64_t)file,
                                    .bytes_total = (uint64_t)file_count,
                                    .phase = "listing files",
                                    .unit = "files"};

    if (r->progress != NULL && r->transport->process == 0 &&
        engine_beat_is_due(&r->beat, &progress.seconds)) {
        r->progress(&progress, r->progress_context);
    }
}

static enum dtx_status
scan_own(struct reading *r, const char *const *paths, int file_count,
         struct own_listings *own, struct dtx_error *err)
{
    struct dtx_storage *storage = r->storage;
    enum dtx_status status = DTX_OK;
    int i;

    own->lengths = dtx_alloc((size_t)file_count, sizeof *own->lengths);
    if (own->lengths == NULL) {
        status = dtx_error_memory(err);
    }
    for (i = 0; i < file_count && status == DTX_OK; i++) {
        size_t before = own->bytes.length;

        if (reader_of(r, i) != r->transport->process) {
            continue;
        }
        if (dtx_must_stop()) {
            status = dtx_stop_check(err);
        } else if (storage->ops->is_missing(storage, paths[i])) {
            /* binding says whether anything is missing with it */
            dtx_listing_begin(&own->bytes, DTX_FILE_MISSING, 0);
        } else {
            status = storage->ops->scan(storage, paths[i], &own->bytes, err);
        }
        own->lengths[own->count++] = own->bytes.length - before;
        show_progress(r, i + 1, file_count);
        if (status == DTX_OK && own->bytes.failed) {
            status = dtx_error_memory(err);
        }
    }
    return status;
}

/* Where each file's listing stands in what all processes gathered. */
struct all_listings {
    char *bytes;
    char *lengths;       /* as gathered: uint64_t each */
    size_t *byte_counts; /* [processes] */
    size_t *length_counts;
    const char **starts; /* [files] */
    size_t *sizes;       /* [files] */
};

static void
all_listings_finish(struct all_listings *all)
{
    dtx_free(all->bytes);
    dtx_free(all->lengths);
    dtx_free(all->byte_counts);
    dtx_free(all->length_counts);
    dtx_free(all->starts);
    dtx_free(all->sizes);
}

/* Where the next listing of a process stands in what was gathered. */
struct cursor {
    const char *bytes;
    const char *length;
};

/* Puts what came process by process into the order of the files. */
static enum dtx_status
order_listings(const struct reading *r, struct all_listings *all,
               int file_count, struct dtx_error *err)
{
    size_t count = (size_t)r->transport->process_count, i;
    struct cursor *cursors = dtx_alloc(count, sizeof *cursors);
    const char *bytes = all->bytes, *lengths = all->lengths;
    int file;

    if (cursors == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        cursors[i] = (struct cursor){bytes, lengths};
        bytes += all->byte_counts[i];
        lengths += all->length_counts[i];
    }
    for (file = 0; file < file_count; file++) {
        struct cursor *at = &cursors[reader_of(r, file)];
        uint64_t length;

        memcpy(&length, at->length, sizeof length);
        all->starts[file] = at->bytes;
        all->sizes[file] = (size_t)length;
        at->length += sizeof length;
        at->bytes += length;
    }
    dtx_free(cursors);
    return DTX_OK;
}

static enum dtx_status
gather_all(const struct reading *r, const struct own_listings *own,
           int file_count, struct all_listings *all, struct dtx_error *err)
{
    struct dtx_transport *t = r->transport;
    enum dtx_status status = DTX_OK;

    all->byte_counts = dtx_alloc((size_t)t->process_count, sizeof(size_t));
    all->length_counts = dtx_alloc((size_t)t->process_count, sizeof(size_t));
    all->starts = dtx_alloc((size_t)file_count, sizeof *all->starts);
    all->sizes = dtx_alloc((size_t)file_count, sizeof *all->sizes);
    if (all->byte_counts == NULL || all->length_counts == NULL ||
        all->starts == NULL || all->sizes == NULL) {
        status = dtx_error_memory(err);
    }
    status = dtx_transport_settle(t, status, err);
    if (status == DTX_OK) {
        status =
            t->ops->gather(t, own->lengths, own->count * sizeof *own->lengths,
                           all->length_counts, &all->lengths, err);
    }
    if (status == DTX_OK) {
        status = t->ops->gather(t, own->bytes.data, own->bytes.length,
                                all->byte_counts, &all->bytes, err);
    }
    return status == DTX_OK ? order_listings(r, all, file_count, err) : status;
}

static enum dtx_status
read_files(const struct dtx_layout *layout, struct reading *r,
           const char *const *paths, int file_count,
           struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct own_listings own = {0};
    struct all_listings all = {0};
    enum dtx_status status = scan_own(r, paths, file_count, &own, err);

    status = dtx_transport_settle(r->transport, status, err);
    if (status == DTX_OK) {
        status = gather_all(r, &own, file_count, &all, err);
        status = dtx_transport_settle(r->transport, status, err);
    }
    if (status == DTX_OK) {
        status = dtx_catalog_build(layout, file_count, all.starts, all.sizes,
                                   catalog_out, err);
        status = dtx_transport_settle(r->transport, status, err);
    }
    all_listings_finish(&all);
    dtx_text_finish(&own.bytes);
    dtx_free(own.lengths);
    return status;
}

/*
 * A manifest lists every file of its ranks. Where these have more, someone has
 * changed it, and millions of files that never were would be looked for. How
 * many they have is counted rather than whether each is listed, since one file
 * can be named in two ways; up to the first that is too many.
 */
static enum dtx_status
check_listed(const struct dtx_layout *layout, struct dtx_error *err)
{
    struct dtx_names files = {0};
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;
    int listed = layout->written_file_count, i;

    if (listed == 0 || layout->mesh.position_count <= listed) {
        return DTX_OK;
    }
    for (i = 0; i < layout->mesh.position_count && status == DTX_OK; i++) {
        path.length = 0;
        dtx_layout_file(layout, i, &path);
        if (path.failed || dtx_names_add(&files, path.data) < 0) {
            status = dtx_error_memory(err);
        } else if (files.count > listed) {
            status = dtx_error_set(err, DTX_ERR_SOURCE,
                                   "the manifest lists %d file%s, but its "
                                   "ranks have more, such as '%s'",
                                   listed, listed == 1 ? "" : "s", path.data);
        }
    }
    dtx_names_finish(&files);
    dtx_text_finish(&path);
    return status;
}

enum dtx_status
engine_read_catalog(const struct dtx_layout *layout,
                    struct dtx_transport *transport,
                    const struct dtx_catalog_options *options,
                    struct dtx_storage *storage,
                    struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    static const struct dtx_catalog_options none = {0};
    const struct dtx_catalog_options *o = options != NULL ? options : &none;
    struct reading reading = {.transport = transport,
                              .storage = storage,
                              .readers = o->readers,
                              .progress = o->progress,
                              .progress_context = o->progress_context,
                              .beat = engine_beat_begin()};
    struct dtx_arena arena = {0};
    int *position_file;
    const char **paths;
    enum dtx_status status = check_listed(layout, err);
    int count = 0;

    if (status == DTX_OK) {
        count = dtx_catalog_paths(layout, &arena, &position_file, &paths);
        status =
            count < 0 ? dtx_error_memory(err) : check_readers(&reading, err);
    }
    if (status == DTX_OK && reader_of(&reading, 0) == transport->process) {
        status = engine_refuse_unfinished(layout, storage, err);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = read_files(layout, &reading, paths, count, catalog_out, err);
    }
    dtx_arena_finish(&arena);
    return status;
}

/* Gives the catalog's files the names under which they were read. */
static enum dtx_status
rename_files(struct dtx_catalog *catalog, const char *const *paths, int count,
             struct dtx_error *err)
{
    int i;

    for (i = 0; i < count; i++) {
        catalog->files[i] = dtx_arena_string(&catalog->arena, paths[i]);
        if (catalog->files[i] == NULL) {
            return dtx_error_memory(err);
        }
    }
    return DTX_OK;
}

enum dtx_status
engine_read_temporaries(const struct dtx_layout *target,
                        struct dtx_transport *transport,
                        const struct dtx_readers *readers,
                        struct dtx_storage *storage,
                        struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct reading reading = {
        .transport = transport, .storage = storage, .readers = readers};
    struct dtx_arena arena = {0};
    struct dtx_catalog *catalog = NULL;
    int *position_file;
    const char **paths;
    int count = dtx_catalog_paths(target, &arena, &position_file, &paths);
    enum dtx_status status = count < 0 ? dtx_error_memory(err) : DTX_OK;
    int i;

    for (i = 0; i < count && status == DTX_OK; i++) {
        paths[i] =
            dtx_arena_format(&arena, "%s" DTX_TEMPORARY_ENDING, paths[i]);
        status = paths[i] == NULL ? dtx_error_memory(err) : DTX_OK;
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = read_files(target, &reading, paths, count, &catalog, err);
    }
    if (status == DTX_OK) {
        status = rename_files(catalog, paths, count, err);
        status = dtx_transport_settle(transport, status, err);
    }
    dtx_arena_finish(&arena);
    if (status != DTX_OK) {
        dtx_catalog_destroy(catalog);
        return status;
    }
    *catalog_out = catalog;
    return DTX_OK;
}

enum dtx_status
dtx_catalog_read(const struct dtx_layout *layout,
                 struct dtx_transport *transport,
                 const struct dtx_readers *readers,
                 struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct dtx_catalog_options options = {.readers = readers};

    return dtx_catalog_read_with(layout, transport, &options, catalog_out, err);
}

enum dtx_status
dtx_catalog_read_with(const struct dtx_layout *layout,
                      struct dtx_transport *transport,
                      const struct dtx_catalog_options *options,
                      struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct dtx_storage *storage = NULL;
    enum dtx_status status = dtx_storage_create(&storage, err);

    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = engine_read_catalog(layout, transport, options, storage,
                                     catalog_out, err);
    }
    if (storage != NULL) {
        storage->ops->destroy(storage);
    }
    return status;
}

bool
dtx_layout_has_files(const struct dtx_layout *layout)
{
    struct dtx_storage *storage = NULL;
    struct dtx_text path = {0};
    struct dtx_error ignored;
    bool found = false;
    int position;

    if (dtx_storage_create(&storage, &ignored) != DTX_OK) {
        return true; /* reading them says what is wrong */
    }
    for (position = 0; position < layout->mesh.position_count && !found;
         position++) {
        path.length = 0;
        dtx_layout_file(layout, position, &path);
        found = path.failed || dtx_must_stop() || /* reading them says why */
                !storage->ops->is_missing(storage, path.data);
    }
    dtx_text_finish(&path);
    storage->ops->destroy(storage);
    return found;
}
