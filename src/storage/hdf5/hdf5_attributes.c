#include "storage/hdf5/hdf5_attributes.h"

#include <string.h>

#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_value.h"
#include "util/alloc.h"
#include "util/error.h"

static const char mark_name[] = "dtype";

/* The text of a value that is one string, cut to fit. */
static void
copy_string(const struct dtx_hdf5_value *value, char *text, size_t size)
{
    const char *from = value->data;
    size_t length = H5Tget_size(value->type);

    if (H5Tis_variable_str(value->type) > 0) {
        from = *(char *const *)value->data;
        length = from == NULL ? 0 : strlen(from);
    }
    if (length > size - 1) {
        length = size - 1;
    }
    if (length > 0) {
        memcpy(text, from, length);
    }
    text[length] = '\0';
    text[strcspn(text, " ")] = '\0'; /* Fortran pads with blanks */
}

enum dtx_dtype
dtx_hdf5_read_mark(hid_t object)
{
    struct dtx_hdf5_value value;
    enum dtx_dtype dtype = DTX_RAW;
    char text[32] = "";
    bool no_memory;
    hid_t attribute;

    if (H5Aexists(object, mark_name) <= 0) {
        return DTX_RAW;
    }
    attribute = H5Aopen(object, mark_name, H5P_DEFAULT);
    if (attribute < 0) {
        return DTX_RAW;
    }
    if (dtx_hdf5_value_read(attribute, &value, &no_memory) >= 0 &&
        H5Tget_class(value.type) == H5T_STRING && value.count == 1) {
        copy_string(&value, text, sizeof text);
    }
    dtx_hdf5_value_finish(&value);
    H5Aclose(attribute);
    if (!dtx_dtype_find(text, &dtype) || !dtx_hdf5_can_mark(dtype)) {
        return DTX_RAW;
    }
    return dtype;
}

/* As h5py writes a string, so that it reads it back as one. */
herr_t
dtx_hdf5_write_mark(hid_t dataset, enum dtx_dtype dtype)
{
    const char *name = dtx_dtype_name(dtype);
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = -1;
    herr_t answer = -1;

    if (type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
        H5Tset_cset(type, H5T_CSET_UTF8) >= 0) {
        attribute = H5Acreate2(dataset, mark_name, type, space, H5P_DEFAULT,
                               H5P_DEFAULT);
    }
    if (attribute >= 0) {
        answer = H5Awrite(attribute, type, &name);
        H5Aclose(attribute);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    return answer;
}

/* One pass over the attributes of an object. */
struct pass {
    struct dtx_hdf5_place source;
    bool skips_mark;
    enum dtx_status status;
    struct dtx_error *err;
    /* listing */
    struct dtx_arena *arena;
    struct dtx_attribute *list;
    size_t count;
    size_t capacity;
    /* copying */
    hid_t to;
    struct dtx_hdf5_place target;
};

static enum dtx_status
fail_reading(struct pass *pass, const char *name, bool no_memory)
{
    if (no_memory) {
        return dtx_error_memory(pass->err);
    }
    return dtx_hdf5_fail(pass->err, DTX_ERR_SOURCE,
                         "cannot read attribute '%s' of '%s' in '%s'", name,
                         pass->source.dataset, pass->source.file);
}

/* Opens an attribute and reads it, unless it is one to leave out
 * (*skip_out). */
static enum dtx_status
read_attribute(struct pass *pass, hid_t object, const char *name,
               struct dtx_hdf5_value *value, bool *skip_out)
{
    enum dtx_status status = DTX_OK;
    bool no_memory;
    hid_t attribute;

    *value = (struct dtx_hdf5_value){.type = -1, .space = -1};
    *skip_out = pass->skips_mark && strcmp(name, mark_name) == 0;
    if (*skip_out) {
        return DTX_OK;
    }
    attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) {
        return fail_reading(pass, name, false);
    }
    if (dtx_hdf5_value_read(attribute, value, &no_memory) < 0) {
        status = fail_reading(pass, name, no_memory);
    } else {
        *skip_out = dtx_hdf5_has_reference(value->type);
    }
    H5Aclose(attribute);
    return status;
}

static enum dtx_status
list_value(struct pass *pass, const char *name,
           const struct dtx_hdf5_value *value)
{
    char *copy = dtx_arena_string(pass->arena, name);

    if (copy == NULL || dtx_grow(&pass->list, pass->count, &pass->capacity,
                                 sizeof *pass->list) != 0) {
        return dtx_error_memory(pass->err);
    }
    pass->list[pass->count++] = (struct dtx_attribute){
        .name = copy, .digest = dtx_hdf5_value_digest(value)};
    return DTX_OK;
}

static herr_t
list_one(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct pass *pass = data;
    struct dtx_hdf5_value value;
    bool skip;

    (void)info;
    pass->status = read_attribute(pass, object, name, &value, &skip);
    if (pass->status == DTX_OK && !skip) {
        pass->status = list_value(pass, name, &value);
    }
    dtx_hdf5_value_finish(&value);
    return pass->status == DTX_OK ? 0 : -1;
}

static bool
is_marked(hid_t object, enum dtx_dtype dtype)
{
    return dtx_hdf5_can_mark(dtype) && dtx_hdf5_read_mark(object) == dtype;
}

/* Calls op for each attribute; HDF5's own failure becomes ours. */
static enum dtx_status
for_each(hid_t object, H5A_operator2_t op, struct pass *pass)
{
    H5O_info_t info;

    if (H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) < 0) {
        return dtx_hdf5_fail(pass->err, DTX_ERR_SOURCE,
                             "cannot read attributes of '%s' in '%s'",
                             pass->source.dataset, pass->source.file);
    }
    if (info.num_attrs > 0 &&
        H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, op, pass) < 0 &&
        pass->status == DTX_OK) {
        return dtx_hdf5_fail(pass->err, DTX_ERR_SOURCE,
                             "cannot read attributes of '%s' in '%s'",
                             pass->source.dataset, pass->source.file);
    }
    return pass->status;
}

enum dtx_status
dtx_hdf5_list_attributes(hid_t object, enum dtx_dtype dtype,
                         struct dtx_hdf5_place place, struct dtx_arena *arena,
                         int *count_out,
                         const struct dtx_attribute **attributes_out,
                         struct dtx_error *err)
{
    struct pass pass = {.source = place,
                        .skips_mark = is_marked(object, dtype),
                        .err = err,
                        .arena = arena};
    enum dtx_status status = for_each(object, list_one, &pass);

    if (status == DTX_OK && pass.count > 0) {
        *attributes_out =
            dtx_arena_copy(arena, pass.list, pass.count, sizeof *pass.list);
        if (*attributes_out == NULL) {
            status = dtx_error_memory(err);
        }
    } else if (status == DTX_OK) {
        *attributes_out = NULL;
    }
    if (status == DTX_OK) {
        *count_out = (int)pass.count;
    }
    dtx_free(pass.list);
    return status;
}

static enum dtx_status
write_value(struct pass *pass, const char *name,
            const struct dtx_hdf5_value *value)
{
    enum dtx_status status = DTX_OK;
    hid_t attribute;

    attribute = H5Acreate2(pass->to, name, value->type, value->space,
                           H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || (value->data != NULL &&
                          H5Awrite(attribute, value->type, value->data) < 0)) {
        status = dtx_hdf5_fail(pass->err, DTX_ERR_TARGET,
                               "cannot write attribute '%s' of '%s' in '%s'",
                               name, pass->target.dataset, pass->target.file);
    }
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    return status;
}

static herr_t
copy_one(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct pass *pass = data;
    struct dtx_hdf5_value value;
    bool skip;

    (void)info;
    if (H5Aexists(pass->to, name) > 0) {
        return 0;
    }
    pass->status = read_attribute(pass, object, name, &value, &skip);
    if (pass->status == DTX_OK && !skip) {
        pass->status = write_value(pass, name, &value);
    }
    dtx_hdf5_value_finish(&value);
    return pass->status == DTX_OK ? 0 : -1;
}

enum dtx_status
dtx_hdf5_copy_attributes(hid_t from, enum dtx_dtype dtype,
                         struct dtx_hdf5_place source, hid_t to,
                         struct dtx_hdf5_place target, struct dtx_error *err)
{
    struct pass pass = {.source = source,
                        .skips_mark = is_marked(from, dtype),
                        .err = err,
                        .to = to,
                        .target = target};

    return for_each(from, copy_one, &pass);
}
