#define _XOPEN_SOURCE 700 /* realpath */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "storage/files.h"
#include "storage/hdf5/hdf5_elsewhere.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

/* A virtual dataset can map virtual ones; rings of them never end. */
enum { DEPTH_MAX = 16 };

/* The source file that was looked at last stays open: mappings of one file
 * mostly follow one another. */
struct check {
    struct dtx_hdf5_place place;
    struct dtx_names *files; /* all that were looked at; may be NULL */
    struct dtx_error *err;
    int depth;
    hid_t properties;
    char *own;     /* the name of the virtual dataset's file */
    char *name;    /* of the open file as the mapping has it, or NULL */
    hid_t file;    /* -1: none */
    char *in_file; /* the dataset of the mapping at hand */
};

typedef ssize_t (*name_getter)(hid_t, size_t, char *, size_t);

/* A name of a mapping, for the caller to free; NULL on failure. */
static char *
mapping_name(hid_t properties, size_t index, name_getter get)
{
    ssize_t length = get(properties, index, NULL, 0);
    char *name;

    if (length < 0) {
        return NULL;
    }
    name = dtx_alloc((size_t)length + 1, 1);
    if (name != NULL && get(properties, index, name, (size_t)length + 1) < 0) {
        dtx_free(name);
        return NULL;
    }
    return name;
}

/* True for names with a block number in them ("part-%b.h5"): such a dataset
 * is as large as there are files. Else "%%" becomes "%". */
static bool
is_pattern(char *name)
{
    char *from;
    char *to = name;

    for (from = name; *from != '\0'; from++) {
        if (from[0] == '%' && from[1] == 'b') {
            return true;
        }
        if (from[0] == '%' && from[1] == '%') {
            from++;
        }
        *to++ = *from;
    }
    *to = '\0';
    return false;
}

/* Sets text to folder + name; the folder goes up to its last slash. */
static bool
beside(struct dtx_text *text, const char *folder, const char *name)
{
    const char *slash = strrchr(folder, '/');

    text->length = 0;
    dtx_text_add_bytes(text, folder,
                       slash == NULL ? 0 : (size_t)(slash - folder) + 1);
    dtx_text_add(text, name);
    return !text->failed && dtx_file_exists(text->data);
}

/*
 * Where HDF5 finds a source: as it is where absolute; else, and where that
 * is gone, under HDF5_VDS_PREFIX, beside the virtual dataset's file, from the
 * working folder, and beside the file that a symbolic link leads to. Where
 * there is none, text is the place beside the file.
 */
static void
resolve(const char *own, const char *name, struct dtx_text *text)
{
    const char *prefix = getenv("HDF5_VDS_PREFIX");
    const char *slash = strrchr(name, '/');
    char real[PATH_MAX];

    if (name[0] == '/') {
        if (beside(text, "", name)) {
            return;
        }
        name = slash + 1;
    }
    if (prefix != NULL && prefix[0] != '\0') {
        text->length = 0;
        dtx_text_format(text, "%s/%s", prefix, name);
        if (!text->failed && dtx_file_exists(text->data)) {
            return;
        }
    }
    if (beside(text, own, name) || beside(text, "", name)) {
        return;
    }
    if (realpath(own, real) == NULL || !beside(text, real, name)) {
        beside(text, own, name);
    }
}

static enum dtx_status
open_source(struct check *check, const char *name)
{
    struct dtx_text path = {0};
    enum dtx_status status;

    if (strcmp(name, ".") == 0) {
        dtx_text_add(&path, check->own);
    } else {
        resolve(check->own, name, &path);
    }
    if (path.failed ||
        (check->files != NULL && dtx_names_add(check->files, path.data) < 0)) {
        status = dtx_error_memory(check->err);
    } else {
        status =
            dtx_hdf5_open_source(path.data, &check->file, NULL, check->err);
        if (status != DTX_OK) {
            dtx_error_set(
                check->err, status, "virtual dataset '%s' of '%s': %s",
                check->place.dataset, check->place.file, check->err->message);
        }
    }
    dtx_text_finish(&path);
    return status;
}

/* Makes check->file the source file of that name. Takes the name. */
static enum dtx_status
use_source(struct check *check, char *name)
{
    if (check->name != NULL && strcmp(check->name, name) == 0) {
        dtx_free(name);
        return DTX_OK;
    }
    if (check->file >= 0) {
        H5Fclose(check->file);
        check->file = -1;
    }
    dtx_free(check->name);
    check->name = name;
    return open_source(check, name);
}

/*
 * True where a mapping takes more of its source than there is.
 *
 * actual   the source's dataspace
 * mapped   what is selected of it; where that is all, HDF5 doesn't know the
 *          extents, and only the number of elements tells
 * virtual  what is selected of the virtual dataset
 */
static bool
reaches_past(hid_t actual, hid_t mapped, hid_t virtual)
{
    hsize_t low[H5S_MAX_RANK];
    hsize_t high[H5S_MAX_RANK];
    hsize_t dims[H5S_MAX_RANK];
    int ndim = H5Sget_simple_extent_dims(actual, dims, NULL);
    int d;

    if (H5Sget_select_type(mapped) == H5S_SEL_ALL) {
        return H5Sget_select_npoints(virtual) >
               H5Sget_simple_extent_npoints(actual);
    }
    if (H5Sget_simple_extent_ndims(mapped) != ndim) {
        return true;
    }
    if (H5Sget_select_npoints(mapped) <= 0 ||
        H5Sget_select_bounds(mapped, low, high) < 0) {
        return false; /* nothing, or without end */
    }
    for (d = 0; d < ndim; d++) {
        if (high[d] >= dims[d]) {
            return true;
        }
    }
    return false;
}

static enum dtx_status check_dataset(struct check check, hid_t dataset);

/* Compares what is mapped with what the opened source has. */
static enum dtx_status
check_extents(struct check *check, hid_t dataset, size_t index)
{
    hid_t actual = H5Dget_space(dataset);
    hid_t mapped = H5Pget_virtual_srcspace(check->properties, index);
    hid_t virtual = H5Pget_virtual_vspace(check->properties, index);
    enum dtx_status status = DTX_OK;

    if (actual < 0 || mapped < 0 || virtual < 0) {
        status = dtx_hdf5_fail(check->err, DTX_ERR_SOURCE,
                               "cannot read virtual dataset '%s' of '%s'",
                               check->place.dataset, check->place.file);
    } else if (reaches_past(actual, mapped, virtual)) {
        status = dtx_error_set(
            check->err, DTX_ERR_SOURCE,
            "virtual dataset '%s' of '%s' maps more of dataset '%s' of '%s' "
            "than that has",
            check->place.dataset, check->place.file, check->in_file,
            check->name);
    }
    H5Sclose(actual);
    H5Sclose(mapped);
    H5Sclose(virtual);
    return status;
}

static bool
is_virtual(hid_t dataset)
{
    hid_t properties = H5Dget_create_plist(dataset);
    bool answer = H5Pget_layout(properties) == H5D_VIRTUAL;

    H5Pclose(properties);
    return answer;
}

static enum dtx_status
check_in_file(struct check *check, size_t index)
{
    struct dtx_hdf5_place place = {
        strcmp(check->name, ".") == 0 ? check->place.file : check->name,
        check->in_file};
    enum dtx_status status;
    hid_t dataset = H5Dopen2(check->file, check->in_file, H5P_DEFAULT);

    if (dataset < 0) {
        return dtx_error_set(
            check->err, DTX_ERR_SOURCE,
            "virtual dataset '%s' of '%s': its source '%s' has no dataset "
            "'%s'",
            check->place.dataset, check->place.file, check->name,
            check->in_file);
    }
    status = check_extents(check, dataset, index);
    if (status == DTX_OK && is_virtual(dataset)) {
        status = check_dataset((struct check){.place = place,
                                              .files = check->files,
                                              .err = check->err,
                                              .depth = check->depth + 1},
                               dataset);
    }
    H5Dclose(dataset);
    return status;
}

static enum dtx_status
check_mapping(struct check *check, size_t index)
{
    enum dtx_status status;
    char *name =
        mapping_name(check->properties, index, H5Pget_virtual_filename);

    check->in_file =
        mapping_name(check->properties, index, H5Pget_virtual_dsetname);
    if (name == NULL || check->in_file == NULL) {
        status = dtx_error_memory(check->err);
        dtx_free(name);
    } else if (is_pattern(name) || is_pattern(check->in_file)) {
        status = DTX_OK;
        dtx_free(name);
    } else {
        status = use_source(check, name);
        if (status == DTX_OK) {
            status = check_in_file(check, index);
        }
    }
    dtx_free(check->in_file);
    check->in_file = NULL;
    return status;
}

char *
dtx_hdf5_file_name(hid_t object)
{
    ssize_t length = H5Fget_name(object, NULL, 0);
    char *name = length < 0 ? NULL : dtx_alloc((size_t)length + 1, 1);

    if (name != NULL) {
        H5Fget_name(object, name, (size_t)length + 1);
    }
    return name;
}

static enum dtx_status
check_mappings(struct check *check)
{
    enum dtx_status status = DTX_OK;
    size_t count = 0;
    size_t i;

    if (H5Pget_virtual_count(check->properties, &count) < 0) {
        return dtx_hdf5_fail(check->err, DTX_ERR_SOURCE,
                             "cannot read virtual dataset '%s' of '%s'",
                             check->place.dataset, check->place.file);
    }
    for (i = 0; i < count && status == DTX_OK; i++) {
        status = check_mapping(check, i);
    }
    return status;
}

/* Looks at a dataset for a check that says where it is, and how deep. */
static enum dtx_status
check_dataset(struct check check, hid_t dataset)
{
    enum dtx_status status;

    if (check.depth > DEPTH_MAX) {
        return dtx_error_set(check.err, DTX_ERR_SOURCE,
                             "virtual dataset '%s' of '%s' maps itself, or "
                             "others more than %d deep",
                             check.place.dataset, check.place.file, DEPTH_MAX);
    }
    check.file = -1;
    check.own = dtx_hdf5_file_name(dataset);
    check.properties = H5Dget_create_plist(dataset);
    if (check.own == NULL || check.properties < 0) {
        status = dtx_error_memory(check.err);
    } else {
        status = check_mappings(&check);
    }
    if (check.file >= 0) {
        H5Fclose(check.file);
    }
    if (check.properties >= 0) {
        H5Pclose(check.properties);
    }
    dtx_free(check.name);
    dtx_free(check.own);
    return status;
}

enum dtx_status
dtx_hdf5_check_virtual(hid_t dataset, struct dtx_hdf5_place place,
                       struct dtx_names *files, struct dtx_error *err)
{
    return check_dataset(
        (struct check){.place = place, .files = files, .err = err}, dataset);
}
