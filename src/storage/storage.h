/*
 * The storage seam: files of tensors.
 *
 * One object serves one run: it scans and reads the source's files and
 * creates and writes the target's. Two implementations: HDF5 with positioned
 * I/O (hdf5/) and memory (memory/), the test double.
 *
 * read() and write() may run on two threads at once, each of them on both, but
 * never two calls for the same elements of a target; everything else is called
 * from one thread at a time. All calls are local (not collective).
 * Buffers are dense and row-major, in the file's own element type but little-
 * endian. Nothing here converts types.
 */
#ifndef DTX_STORAGE_STORAGE_H
#define DTX_STORAGE_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/catalog.h"
#include "layout/target.h"
#include "util/text.h"

struct dtx_storage;

struct dtx_storage_ops {
    /* Adds the listing of a source file. DTX_ERR_SOURCE where it is missing,
     * damaged, or of another format; the message names the path. */
    enum dtx_status (*scan)(struct dtx_storage *storage, const char *path,
                            struct dtx_text *listing, struct dtx_error *err);

    /* Says which catalog the following reads and creates mean. Borrowed until
     * the storage is destroyed. */
    void (*use_catalog)(struct dtx_storage *storage,
                        const struct dtx_catalog *catalog);

    /*
     * Reads a box of a dataset.
     *
     * dataset   index in the catalog
     * lo, len   [ndim] in the dataset's own indices; inside its shape
     * buffer    room for the box; filled dense and row-major
     */
    enum dtx_status (*read)(struct dtx_storage *storage, int dataset,
                            const int64_t *lo, const int64_t *len, void *buffer,
                            struct dtx_error *err);

    /*
     * A digest of a dataset that is no tensor: of its type, extents and
     * values, the same in whatever file it stands. References say nothing
     * outside of their file, and count by their number only.
     *
     * dataset  index in the catalog, of DTX_FORM_OBJECT
     */
    enum dtx_status (*digest_object)(struct dtx_storage *storage, int dataset,
                                     uint64_t *digest_out,
                                     struct dtx_error *err);

    /* Creates a target file under its temporary name with all its datasets,
     * objects, groups and attributes, makes missing folders, and sets the
     * datasets' offsets. The whole space reads as zeros; where room can be
     * reserved cheaply, it is. */
    enum dtx_status (*create)(struct dtx_storage *storage,
                              struct dtx_target_file *file,
                              struct dtx_error *err);

    /* Takes up a file that an earlier run created as this one would have, and
     * sets the datasets' offsets. DTX_ERR_TARGET where it is another. */
    enum dtx_status (*reopen)(struct dtx_storage *storage,
                              struct dtx_target_file *file,
                              struct dtx_error *err);

    /* Writes a box of a dataset of a created file (by this process or, with
     * offsets set, another). file must stay the same object between calls. */
    enum dtx_status (*write)(struct dtx_storage *storage,
                             const struct dtx_target_file *file, int dataset,
                             const int64_t *lo, const int64_t *len,
                             const void *buffer, struct dtx_error *err);

    /* Makes durable what this process has written to the file by now, unless
     * its data goes through HDF5. */
    enum dtx_status (*sync)(struct dtx_storage *storage,
                            const struct dtx_target_file *file,
                            struct dtx_error *err);

    /* Closes the file after this process's last write and makes it durable. */
    enum dtx_status (*close)(struct dtx_storage *storage,
                             const struct dtx_target_file *file,
                             struct dtx_error *err);

    /* Closes the file as it is, for a run that fails; it need not be open. */
    void (*abandon)(struct dtx_storage *storage,
                    const struct dtx_target_file *file);

    /*
     * Gives a file that several processes have written and closed its final
     * form, where that isn't contiguous, with buffers of at most memory_bytes,
     * or of a few chunks. Collective over the file's processes: after a failure
     * of one of them all stop, and each gets its own failure only, so that they
     * have to agree.
     */
    enum dtx_status (*pack)(struct dtx_storage *storage,
                            const struct dtx_target_file *file,
                            uint64_t memory_bytes, struct dtx_error *err);

    /* Drops what the system has in its cache of a durable file, where it does
     * so: what is read next then comes from the storage. */
    void (*forget)(struct dtx_storage *storage, const char *path);

    /* Puts a complete file in its place, durably (rename, folder synced). */
    enum dtx_status (*commit)(struct dtx_storage *storage, const char *from,
                              const char *to, struct dtx_error *err);

    /* Writes a small text file durably under a temporary name, renamed. */
    enum dtx_status (*write_text)(struct dtx_storage *storage, const char *path,
                                  const char *text, struct dtx_error *err);

    /*
     * The journal, one at a time: a small text file that grows by lines and is
     * locked until it is closed, or this process ends.
     *
     * open    makes it where it isn't there; content gets its lines.
     *         DTX_ERR_TARGET where another run has it, and where what stands
     *         there is no journal: that is left alone.
     * cut     takes out all lines behind the first so many bytes
     * append  adds lines; they are durable on return, as is a cut
     * close   removes it first where it has served, which can fail
     *         (DTX_ERR_TARGET). None need be open.
     */
    enum dtx_status (*journal_open)(struct dtx_storage *storage,
                                    const char *path, struct dtx_text *content,
                                    struct dtx_error *err);
    enum dtx_status (*journal_cut)(struct dtx_storage *storage, uint64_t bytes,
                                   struct dtx_error *err);
    enum dtx_status (*journal_append)(struct dtx_storage *storage,
                                      const char *lines, struct dtx_error *err);
    enum dtx_status (*journal_close)(struct dtx_storage *storage,
                                     bool has_served, struct dtx_error *err);

    /* Adds the lines of a journal that another run may hold; false where there
     * is none. */
    bool (*journal_peek)(struct dtx_storage *storage, const char *path,
                         struct dtx_text *content);

    /* Removes a file if it is there; failure to is no error. */
    void (*remove)(struct dtx_storage *storage, const char *path);

    /* Removes the folders that this object has made, as far as they are
     * empty. */
    void (*remove_folders)(struct dtx_storage *storage);

    /* True where something stands at the path. */
    bool (*exists)(struct dtx_storage *storage, const char *path);

    /* True where nothing does. Where neither can be told, for want of
     * permission, opening the file says why. */
    bool (*is_missing)(struct dtx_storage *storage, const char *path);

    /* Adds what paths that lead to one existing file have in common, and no
     * others. False where there is none. */
    bool (*identify)(struct dtx_storage *storage, const char *path,
                     struct dtx_text *text);

    /* Bytes of a file, or -1. */
    int64_t (*size)(struct dtx_storage *storage, const char *path);

    /* When a file was last changed, in nanoseconds, or -1. */
    int64_t (*modified)(struct dtx_storage *storage, const char *path);

    /*
     * What tells a file that is closed from any other that takes its place,
     * under whatever name, and is kept by a faithful copy: its bytes, and when
     * they were last changed, in nanoseconds. Asked of the file itself, since
     * others may have written to it. False where there is none.
     */
    bool (*mark)(struct dtx_storage *storage, const char *path,
                 int64_t *bytes_out, int64_t *modified_ns_out);

    /* The file system that will hold a file, as a number, and the bytes free
     * there. False where that isn't known. */
    bool (*space)(struct dtx_storage *storage, const char *path,
                  uint64_t *system_out, uint64_t *free_out);

    /* Bytes of a file for which no room has been taken there yet. */
    uint64_t (*holes)(struct dtx_storage *storage, const char *path);

    /*
     * Processes that write one file together know each other by numbers that
     * need not be the transport's.
     *
     * own_number   this process's
     * use_numbers  those of all processes [count], copied; without it each is
     *              known by its own
     */
    int (*own_number)(struct dtx_storage *storage);
    enum dtx_status (*use_numbers)(struct dtx_storage *storage,
                                   const int *numbers, int count,
                                   struct dtx_error *err);

    void (*destroy)(struct dtx_storage *storage);
};

struct dtx_storage {
    const struct dtx_storage_ops *ops;
    /* the implementation's own data follows */
};

/*
 * The storage that files are in: the only place that knows which formats
 * there are. Owned by the caller, destroyed through its ops. Local.
 */
enum dtx_status dtx_storage_create(struct dtx_storage **storage_out,
                                   struct dtx_error *err);

#endif
