#include "storage/hdf5/hdf5_carry.h"

#include <stdio.h>
#include <string.h>

#include "storage/hdf5/hdf5_attributes.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "util/alloc.h"
#include "util/error.h"

/* One thing on the list. */
struct entry {
    enum dtx_carried kind;
    enum dtx_dtype dtype; /* of a dataset: its mark isn't carried */
    const char *file;
    const char *path;
    char name[DTX_CARRIED_TEXT];
};

const char *
dtx_hdf5_carried_name(enum dtx_carried kind, int index, char *text)
{
    snprintf(text, DTX_CARRIED_TEXT, "%c%d", "dogt"[kind], index);
    return text;
}

/* ---------------------------------------------------------------- list */

static void
add(struct dtx_text *list, enum dtx_carried kind, int index,
    enum dtx_dtype dtype, const char *file, const char *path)
{
    dtx_wire_add_number(list, (uint64_t)kind);
    dtx_wire_add_number(list, (uint64_t)index);
    dtx_wire_add_number(list, (uint64_t)dtype);
    dtx_wire_add_string(list, file);
    dtx_wire_add_string(list, path);
}

int
dtx_hdf5_list_carried(const struct dtx_catalog *catalog,
                      const struct dtx_target_file *file, struct dtx_text *list)
{
    int count = 0, i;

    for (i = 0; i < file->dataset_count; i++) {
        int source = file->datasets[i].source_dataset;
        const struct dtx_dataset *d =
            &catalog->datasets[source < 0 ? 0 : source];

        if (source >= 0 && d->attribute_count > 0) {
            add(list, DTX_CARRIED_DATASET, i, d->type.dtype,
                catalog->files[d->file], d->path);
            count++;
        }
    }
    for (i = 0; i < file->object_count; i++) {
        const struct dtx_dataset *d =
            &catalog->datasets[file->objects[i].source_dataset];

        add(list, DTX_CARRIED_OBJECT, i, DTX_RAW, catalog->files[d->file],
            d->path);
        count++;
    }
    for (i = 0; i < file->group_count; i++) {
        const struct dtx_group *g =
            &catalog->groups[file->groups[i].source_group];

        add(list, g->is_type ? DTX_CARRIED_TYPE : DTX_CARRIED_GROUP, i, DTX_RAW,
            catalog->files[g->file], g->path);
        count++;
    }
    return count;
}

/* ---------------------------------------------------------------- image */

static enum dtx_status
fail_image(struct dtx_error *err)
{
    return dtx_hdf5_fail(err, DTX_ERR_LIMIT,
                         "cannot make a file of attributes and objects in "
                         "memory");
}

/*
 * The bytes of an image, which HDF5 would free when it closes the file.
 * H5Fget_file_image() is no use: what it returns has a wrong checksum.
 */
struct kept {
    void *bytes;
    size_t count;
};

static void *
make_bytes(size_t count, H5FD_file_image_op_t op, void *data)
{
    (void)op;
    ((struct kept *)data)->count = count;
    return dtx_alloc(count, 1);
}

static void *
copy_bytes(void *to, const void *from, size_t count, H5FD_file_image_op_t op,
           void *data)
{
    (void)op;
    (void)data;
    return memcpy(to, from, count);
}

static void *
resize_bytes(void *bytes, size_t count, H5FD_file_image_op_t op, void *data)
{
    (void)op;
    ((struct kept *)data)->count = count;
    return dtx_realloc(bytes, count, 1);
}

static herr_t
keep_bytes(void *bytes, H5FD_file_image_op_t op, void *data)
{
    if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
        ((struct kept *)data)->bytes = bytes;
    } else {
        dtx_free(bytes);
    }
    return 0;
}

static void *
same_data(void *data)
{
    return data;
}

static herr_t
leave_data(void *data)
{
    (void)data;
    return 0;
}

/* Makes an image, whose bytes are in *kept once it is closed. */
static hid_t
create_image(struct kept *kept)
{
    H5FD_file_image_callbacks_t calls = {make_bytes, copy_bytes, resize_bytes,
                                         keep_bytes, same_data,  leave_data,
                                         kept};
    hid_t access = dtx_hdf5_memory_access();
    hid_t image = -1;

    if (access < 0) {
        return -1;
    }
    if (H5Pset_file_image_callbacks(access, &calls) >= 0) {
        image =
            H5Fcreate(dtx_hdf5_memory_name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    H5Pclose(access);
    return image;
}

hid_t
dtx_hdf5_open_image(const struct dtx_text *bytes)
{
    hid_t access = dtx_hdf5_memory_access();
    hid_t image = -1;

    if (access < 0) {
        return -1;
    }
    if (H5Pset_file_image(access, bytes->data, bytes->length) >= 0) {
        image = H5Fopen(dtx_hdf5_memory_name, H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    return image;
}

/* A group of the image that gets the attributes of a source's object. */
static enum dtx_status
carry_attributes(const struct entry *entry, hid_t file, hid_t image,
                 struct dtx_error *err)
{
    struct dtx_hdf5_place source = {entry->file, entry->path};
    struct dtx_hdf5_place target = {"memory", entry->path};
    enum dtx_status status;
    hid_t from =
        H5Oopen(file, entry->path[0] == '\0' ? "/" : entry->path, H5P_DEFAULT);
    hid_t to;

    if (from < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_SOURCE, "cannot read '%s' of '%s'",
                             entry->path, entry->file);
    }
    to = H5Gcreate2(image, entry->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (to < 0) {
        status = fail_image(err);
    } else {
        status = dtx_hdf5_copy_attributes(from, entry->dtype, source, to,
                                          target, err);
        H5Gclose(to);
    }
    H5Oclose(from);
    return status;
}

static enum dtx_status
carry_object(const struct entry *entry, hid_t file, hid_t image,
             struct dtx_error *err)
{
    if (H5Ocopy(file, entry->path, image, entry->name, H5P_DEFAULT,
                H5P_DEFAULT) < 0) {
        return dtx_hdf5_fail(err, DTX_ERR_SOURCE, "cannot read '%s' of '%s'",
                             entry->path, entry->file);
    }
    return DTX_OK;
}

static enum dtx_status
carry_entry(struct dtx_hdf5_handles *sources, const struct entry *entry,
            hid_t image, struct dtx_error *err)
{
    enum dtx_status status;
    hid_t file;

    status = dtx_hdf5_use_file(sources, entry->file, entry->file, &file, err);
    if (status != DTX_OK) {
        return status;
    }
    return entry->kind == DTX_CARRIED_OBJECT || entry->kind == DTX_CARRIED_TYPE
               ? carry_object(entry, file, image, err)
               : carry_attributes(entry, file, image, err);
}

/* Takes the next entry off the list. False where it is damaged, or memory
 * runs out. */
static bool
next_entry(struct dtx_wire *list, struct dtx_names *paths, struct entry *entry)
{
    uint64_t kind = dtx_wire_number(list);
    uint64_t index = dtx_wire_number(list);
    uint64_t dtype = dtx_wire_number(list);
    int file = dtx_names_add(paths, dtx_wire_string(list));

    entry->path = dtx_wire_string(list);
    if (list->is_damaged || kind > DTX_CARRIED_TYPE ||
        dtype >= DTX_DTYPE_COUNT || file < 0) {
        return false;
    }
    entry->kind = (enum dtx_carried)kind;
    entry->dtype = (enum dtx_dtype)dtype;
    entry->file = paths->strings[file];
    dtx_hdf5_carried_name(entry->kind, (int)index, entry->name);
    return true;
}

enum dtx_status
dtx_hdf5_carry(struct dtx_hdf5_handles *sources, struct dtx_names *paths,
               struct dtx_wire *list, struct dtx_text *bytes,
               struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    struct kept kept = {0};
    hid_t image = create_image(&kept);
    struct entry entry;

    if (image < 0) {
        return fail_image(err);
    }
    while (status == DTX_OK && list->left > 0) {
        status = next_entry(list, paths, &entry)
                     ? carry_entry(sources, &entry, image, err)
                     : dtx_error_memory(err);
    }
    if (H5Fclose(image) < 0 && status == DTX_OK) {
        status = fail_image(err);
    }
    if (status == DTX_OK) {
        dtx_text_add_bytes(bytes, kept.bytes, kept.count);
    }
    dtx_free(kept.bytes);
    return status;
}
