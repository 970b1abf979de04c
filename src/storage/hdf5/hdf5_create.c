#include "layout/shape.h"
#include "storage/files.h"
#include "storage/guard/guard.h"
#include "storage/hdf5/hdf5_attributes.h"
#include "storage/hdf5/hdf5_carry.h"
#include "storage/hdf5/hdf5_close.h"
#include "storage/hdf5/hdf5_driver.h"
#include "storage/hdf5/hdf5_internal.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "storage/stop.h"
#include "util/error.h"
#include "util/math.h"

/* Large datasets start at a page, so that no page is shared between them. */
enum { ALIGN_FROM = 1 << 16, ALIGN_TO = 4096 };

/* Metadata goes together in blocks, apart from the data: quicker to write and
 * to read. A block isn't given back, so it is in proportion. */
enum { META_PER_DATASET = 512, META_LEAST = 2048, META_MOST = 1 << 20 };

/* A target file on its way. */
struct making {
    struct dtx_hdf5_storage *storage;
    struct dtx_target_file *file;
    struct dtx_error *err;
    hid_t id;
    hid_t links; /* makes the groups above, names in UTF-8 */
    hid_t image; /* what a guard has carried over; -1: none */
};

/* Something that is carried over, and where it stands: in the image, or else
 * in the source. */
struct origin {
    enum dtx_carried kind;
    int index; /* in the target's file */
    int source_file;
    const char *source_path;
};

static enum dtx_status
fail_making(struct making *making, const char *what, const char *path)
{
    return dtx_hdf5_fail(making->err, DTX_ERR_TARGET,
                         "cannot create %s '%s' in '%s'", what, path,
                         making->file->temporary);
}

/* Bytes of the datasets; 0 for compressed ones, which can't be told, and those
 * that other files hold. */
static uint64_t
space_needed(const struct dtx_target_file *file)
{
    const struct dtx_target_dataset *d;
    uint64_t total = 0;
    uint64_t bytes;
    int i;

    for (i = 0; i < file->dataset_count && !file->gzip && file->view == NULL;
         i++) {
        d = &file->datasets[i];
        if (dtx_mul_overflows((uint64_t)dtx_shape_count(d->ndim, d->shape),
                              d->type.size_bytes, &bytes) ||
            dtx_add_overflows(total, bytes, &total)) {
            return UINT64_MAX;
        }
    }
    return total;
}

/* The newest format: large attributes, quick groups, and a mark in files that
 * were never closed. */
static hid_t
creation_access(const struct dtx_target_file *file)
{
    hid_t access = dtx_hdf5_access();
    int64_t block = (int64_t)file->dataset_count * META_PER_DATASET;

    block = dtx_min(dtx_max(block, META_LEAST), META_MOST);
    if (access >= 0 && (dtx_hdf5_use_driver(access) < 0 ||
                        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST,
                                             H5F_LIBVER_LATEST) < 0 ||
                        H5Pset_meta_block_size(access, (hsize_t)block) < 0 ||
                        H5Pset_alignment(access, ALIGN_FROM, ALIGN_TO) < 0)) {
        H5Pclose(access);
        return -1;
    }
    return access;
}

static hid_t
link_properties(void)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);

    if (links >= 0 && (H5Pset_create_intermediate_group(links, 1) < 0 ||
                       H5Pset_char_encoding(links, H5T_CSET_UTF8) < 0)) {
        H5Pclose(links);
        return -1;
    }
    return links;
}

/* Makes the empty file. H5F_ACC_EXCL follows no symbolic link. */
static enum dtx_status
make_file(struct making *making)
{
    const char *path = making->file->temporary;
    enum dtx_status status;
    hid_t access;
    int code;

    status =
        dtx_file_make_folders(path, &making->storage->folders, making->err);
    if (status == DTX_OK) {
        status =
            dtx_file_check_space(path, space_needed(making->file), making->err);
    }
    if (status != DTX_OK) {
        return status;
    }
    code = dtx_file_remove(path);
    if (code != 0) {
        return dtx_file_error(making->err, DTX_ERR_TARGET, "replace", path,
                              code);
    }
    access = creation_access(making->file);
    if (access < 0) {
        return dtx_error_memory(making->err);
    }
    making->id = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, access);
    if (making->id < 0) {
        status =
            dtx_hdf5_open_failed(DTX_ERR_TARGET, "create", path, making->err);
    }
    H5Pclose(access);
    return status;
}

/* The file of an origin, and the path there; text has room for
 * DTX_CARRIED_TEXT bytes. */
static enum dtx_status
find_origin(struct making *making, const struct origin *origin, char *text,
            hid_t *file_out, const char **path_out)
{
    const char *file = making->storage->catalog->files[origin->source_file];

    if (making->image >= 0) {
        *file_out = making->image;
        *path_out = dtx_hdf5_carried_name(origin->kind, origin->index, text);
        return DTX_OK;
    }
    *path_out = origin->source_path[0] == '\0' ? "/" : origin->source_path;
    return dtx_hdf5_use_file(&making->storage->sources, file, file, file_out,
                             making->err);
}

/* Copies the attributes of an origin. */
static enum dtx_status
copy_attributes(struct making *making, const struct origin *origin,
                enum dtx_dtype dtype, hid_t to, const char *to_path)
{
    const char *file = making->storage->catalog->files[origin->source_file];
    struct dtx_hdf5_place source = {file, origin->source_path};
    struct dtx_hdf5_place target = {making->file->temporary, to_path};
    char text[DTX_CARRIED_TEXT];
    enum dtx_status status;
    const char *path;
    hid_t id, from;

    status = find_origin(making, origin, text, &id, &path);
    if (status != DTX_OK) {
        return status;
    }
    from = H5Oopen(id, path, H5P_DEFAULT);
    if (from < 0) {
        return dtx_hdf5_fail(making->err, DTX_ERR_SOURCE,
                             "cannot read '%s' of '%s'", origin->source_path,
                             file);
    }
    status =
        dtx_hdf5_copy_attributes(from, dtype, source, to, target, making->err);
    H5Oclose(from);
    return status;
}

static enum dtx_status
dress_dataset(struct making *making, int index, hid_t id)
{
    struct dtx_target_dataset *d = &making->file->datasets[index];
    const struct dtx_dataset *source;
    struct origin origin = {.kind = DTX_CARRIED_DATASET, .index = index};
    haddr_t offset =
        making->file->view == NULL ? H5Dget_offset(id) : HADDR_UNDEF;

    d->offset = offset == HADDR_UNDEF ? 0 : offset;
    if (d->type.dtype == DTX_FLOAT8_E4M3FN &&
        dtx_hdf5_write_mark(id, d->type.dtype) < 0) {
        return fail_making(making, "attribute 'dtype' of", d->path);
    }
    if (d->source_dataset < 0) {
        return DTX_OK;
    }
    source = &making->storage->catalog->datasets[d->source_dataset];
    if (source->attribute_count == 0) {
        return DTX_OK;
    }
    origin.source_file = source->file;
    origin.source_path = source->path;
    return copy_attributes(making, &origin, source->type.dtype, id, d->path);
}

static hid_t
make_space(const struct dtx_target_dataset *d)
{
    hsize_t dims[H5S_MAX_RANK];
    int i;

    for (i = 0; i < d->ndim; i++) {
        dims[i] = (hsize_t)d->shape[i];
    }
    return d->ndim == 0 ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(d->ndim, dims, NULL);
}

static hid_t
make_type(const struct making *making, const struct dtx_target_dataset *d)
{
    const struct dtx_raw_type *raw = NULL;

    if (d->type.dtype == DTX_RAW) {
        raw = &making->storage->catalog->raw_types[d->type.raw_index];
    }
    return dtx_hdf5_make_type(d->type, raw);
}

static enum dtx_status
make_dataset(struct making *making, int index)
{
    const struct dtx_target_dataset *d = &making->file->datasets[index];
    hid_t properties = making->file->view == NULL
                           ? dtx_hdf5_make_properties(making->file, d)
                           : dtx_hdf5_make_view(making->file, index);
    hid_t type = properties < 0 ? -1 : make_type(making, d);
    hid_t space = type < 0 ? -1 : make_space(d);
    enum dtx_status status;
    hid_t id = -1;

    if (space >= 0) {
        id = H5Dcreate2(making->id, d->path, type, space, making->links,
                        properties, H5P_DEFAULT);
    }
    if (id >= 0) {
        status = dress_dataset(making, index, id);
        H5Dclose(id);
    } else {
        status = fail_making(making, "dataset", d->path);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (properties >= 0) {
        H5Pclose(properties);
    }
    return status;
}

/* Copies a whole object of the source to a path of the file. */
static enum dtx_status
copy_whole(struct making *making, const struct origin *origin, const char *to)
{
    char text[DTX_CARRIED_TEXT];
    const char *path;
    hid_t id;
    enum dtx_status status = find_origin(making, origin, text, &id, &path);

    if (status != DTX_OK) {
        return status;
    }
    if (H5Ocopy(id, path, making->id, to, H5P_DEFAULT, making->links) < 0) {
        return dtx_hdf5_fail(
            making->err, DTX_ERR_TARGET,
            "cannot copy '%s' of '%s' to '%s' in '%s'", origin->source_path,
            making->storage->catalog->files[origin->source_file], to,
            making->file->temporary);
    }
    return DTX_OK;
}

static enum dtx_status
copy_object(struct making *making, int index)
{
    const struct dtx_target_object *object = &making->file->objects[index];
    const struct dtx_dataset *source =
        &making->storage->catalog->datasets[object->source_dataset];
    struct origin origin = {DTX_CARRIED_OBJECT, index, source->file,
                            source->path};

    return copy_whole(making, &origin, object->path);
}

/* The group of a path, made where it isn't there. */
static hid_t
make_group(struct making *making, const char *path)
{
    if (path[0] == '\0') {
        return H5Gopen2(making->id, "/", H5P_DEFAULT);
    }
    if (H5Lexists(making->id, path, H5P_DEFAULT) > 0) {
        return H5Gopen2(making->id, path, H5P_DEFAULT);
    }
    return H5Gcreate2(making->id, path, making->links, H5P_DEFAULT,
                      H5P_DEFAULT);
}

static enum dtx_status
dress_group(struct making *making, int index)
{
    const struct dtx_target_group *group = &making->file->groups[index];
    const struct dtx_group *source =
        &making->storage->catalog->groups[group->source_group];
    struct origin origin = {source->is_type ? DTX_CARRIED_TYPE
                                            : DTX_CARRIED_GROUP,
                            index, source->file, source->path};
    enum dtx_status status;
    hid_t id;

    if (source->is_type) {
        return copy_whole(making, &origin, group->path);
    }
    id = make_group(making, group->path);
    if (id < 0) {
        return fail_making(making, "group", group->path);
    }
    status = copy_attributes(making, &origin, DTX_RAW, id, group->path);
    H5Gclose(id);
    return status;
}

static enum dtx_status
fill_file(struct making *making)
{
    const struct dtx_target_file *file = making->file;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < file->dataset_count && status == DTX_OK; i++) {
        status = make_dataset(making, i);
        status = status == DTX_OK ? dtx_stop_heard(making->err) : status;
    }
    for (i = 0; i < file->object_count && status == DTX_OK; i++) {
        status = copy_object(making, i);
        status = status == DTX_OK ? dtx_stop_heard(making->err) : status;
    }
    for (i = 0; i < file->group_count && status == DTX_OK; i++) {
        status = dress_group(making, i);
        status = status == DTX_OK ? dtx_stop_heard(making->err) : status;
    }
    return status;
}

/* Has the guard, where there is one, carry over what the file takes. */
static enum dtx_status
open_image(struct making *making)
{
    struct dtx_text list = {0}, image = {0};
    enum dtx_status status = DTX_OK;

    making->image = -1;
    if (!dtx_guard_is_on()) {
        return DTX_OK;
    }
    if (dtx_hdf5_list_carried(making->storage->catalog, making->file, &list) >
        0) {
        status =
            dtx_guard_carry(&list, making->file->path, &image, making->err);
        if (status == DTX_OK) {
            making->image = dtx_hdf5_open_image(&image);
            if (making->image < 0) {
                status =
                    dtx_hdf5_fail(making->err, DTX_ERR_LIMIT,
                                  "cannot read back what was carried over");
            }
        }
    }
    dtx_text_finish(&list);
    dtx_text_finish(&image);
    return status;
}

static void
close_image(struct making *making)
{
    if (making->image >= 0) {
        H5Fclose(making->image);
    }
}

/* Makes the file and all that is in it, and closes it. */
static enum dtx_status
make_and_fill(struct making *making)
{
    enum dtx_status status = make_file(making);

    if (status != DTX_OK) {
        return status;
    }
    making->links = link_properties();
    if (making->links < 0) {
        status = dtx_error_memory(making->err);
    } else {
        status = open_image(making);
        status = status == DTX_OK ? fill_file(making) : status;
        close_image(making);
        H5Pclose(making->links);
    }
    status = dtx_hdf5_finish(making->id, making->file->temporary, status,
                             making->err);
    if (status != DTX_OK) {
        dtx_file_remove(making->file->temporary);
    }
    return status;
}

enum dtx_status
dtx_hdf5_create(struct dtx_storage *storage, struct dtx_target_file *file,
                struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    struct making making = {.storage = self, .file = file, .err = err};
    enum dtx_status status;

    /* an earlier file of a run that failed may have had this address */
    dtx_fd_drop(&self->writers, file);
    dtx_hdf5_lock();
    status = dtx_hdf5_drop_file(&self->targets, file, err);
    if (status == DTX_OK) {
        status = make_and_fill(&making);
    }
    dtx_hdf5_unlock();
    return status;
}
