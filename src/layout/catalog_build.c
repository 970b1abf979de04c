#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "layout/elsewhere.h"
#include "layout/listing.h"
#include "layout/listing_form.h"
#include "layout/raw_types.h"
#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

/* The rest of a listing. What can't be read sets is_damaged and reads as 0. */
struct reader {
    const char *at;
    size_t left; /* bytes */
    bool is_damaged;
};

struct builder {
    struct dtx_catalog *catalog;
    uint64_t *file_sizes; /* of the catalog */
    int64_t *file_times;
    struct dtx_elsewhere elsewhere;
    struct dtx_dataset *datasets;
    size_t dataset_count, dataset_capacity;
    struct dtx_group *groups;
    size_t group_count, group_capacity;
    struct dtx_raw_uses raw;
    size_t previous_first; /* the first dataset of the file before */
    struct reader reader;
    int file;
    struct dtx_error *err;
};

static uint64_t
read_number(struct reader *r)
{
    uint64_t number = 0;

    if (r->left < sizeof(number)) {
        r->is_damaged = true;
        r->left = 0;
        return 0;
    }
    memcpy(&number, r->at, sizeof(number));
    r->at += sizeof(number);
    r->left -= sizeof(number);
    return number;
}

/* A number that is at most `limit`. */
static int
read_small(struct reader *r, int limit)
{
    uint64_t number = read_number(r);

    if (number > (uint64_t)limit) {
        r->is_damaged = true;
        return 0;
    }
    return (int)number;
}

/* Bytes that stay in the listing. */
static const char *
read_bytes(struct reader *r, size_t *count_out)
{
    uint64_t count = read_number(r);
    const char *bytes = r->at;

    if (count > r->left) {
        r->is_damaged = true;
        count = 0;
    }
    r->at += count;
    r->left -= (size_t)count;
    *count_out = (size_t)count;
    return bytes;
}

/*
 * A string, in the arena; `known` itself where it is the same, NULL for none.
 * NULL when out of memory or damaged.
 */
static const char *
read_string(struct builder *b, const char *known)
{
    size_t length;
    const char *bytes = read_bytes(&b->reader, &length);
    char *string;

    if (known != NULL && strlen(known) == length &&
        memcmp(known, bytes, length) == 0) {
        return known;
    }
    if (b->reader.is_damaged || memchr(bytes, '\0', length) != NULL) {
        b->reader.is_damaged = true;
        return NULL;
    }
    string = dtx_arena_alloc(&b->catalog->arena, length + 1, 1);
    if (string != NULL && length > 0) {
        memcpy(string, bytes, length);
    }
    return string;
}

/* A status for what a read has left behind. */
static enum dtx_status
check_read(struct builder *b, bool is_allocated)
{
    if (b->reader.is_damaged) {
        return dtx_error_set(b->err, DTX_ERR_SOURCE,
                             "cannot read '%s': what HDF5 finds in it "
                             "contradicts itself; the file is damaged",
                             b->catalog->files[b->file]);
    }
    return is_allocated ? DTX_OK : dtx_error_memory(b->err);
}

static enum dtx_status
read_attributes(struct builder *b, int *count_out,
                const struct dtx_attribute **attributes_out)
{
    /* Each takes two numbers at least, so that a damaged count is seen
     * before it is allocated. */
    size_t most = b->reader.left / (2 * sizeof(uint64_t));
    int count = read_small(&b->reader, (int)dtx_min((int64_t)most, INT_MAX));
    struct dtx_attribute *attributes =
        dtx_arena_alloc(&b->catalog->arena, (size_t)count, sizeof(*attributes));
    enum dtx_status status = DTX_OK;
    int i;

    if (attributes == NULL) {
        return dtx_error_memory(b->err);
    }
    for (i = 0; status == DTX_OK && i < count; i++) {
        attributes[i].name = read_string(b, NULL);
        attributes[i].digest = read_number(&b->reader);
        status = check_read(b, attributes[i].name != NULL);
    }
    *count_out = count;
    *attributes_out = attributes;
    return status == DTX_OK ? check_read(b, true) : status;
}

static enum dtx_status
read_shape(struct builder *b, struct dtx_dataset *d)
{
    int64_t *shape;
    int dim;

    d->ndim = read_small(&b->reader, DTX_NDIM_MAX);
    shape =
        dtx_arena_alloc(&b->catalog->arena, (size_t)d->ndim, sizeof(*shape));
    if (shape == NULL) {
        return dtx_error_memory(b->err);
    }
    for (dim = 0; dim < d->ndim; dim++) {
        uint64_t extent = read_number(&b->reader);

        b->reader.is_damaged |= extent > INT64_MAX;
        shape[dim] = (int64_t)(extent & INT64_MAX);
    }
    d->shape = shape;
    return check_read(b, true);
}

/* Notes the encoding of a type. Its raw_index is that of the use until all
 * are known. */
static enum dtx_status
read_raw_type(struct builder *b, struct dtx_dataset *d)
{
    struct dtx_raw_type type;

    type.bytes =
        (const unsigned char *)read_bytes(&b->reader, &type.byte_count);
    type.size_bytes = read_number(&b->reader);
    type.description = read_string(b, NULL);
    b->reader.is_damaged |= type.size_bytes != d->type.size_bytes;
    if (!b->reader.is_damaged && type.description != NULL) {
        d->type.raw_index = dtx_raw_uses_add(&b->raw, &type);
    }
    return check_read(b, d->type.raw_index >= 0);
}

/* The type has the size of its kind, and an encoding where it needs one. */
static bool
is_sound(const struct dtx_dataset *d)
{
    if (d->type.dtype != DTX_RAW) {
        return d->type.size_bytes == dtx_dtype_size(d->type.dtype) &&
               d->type.raw_index < 0;
    }
    return d->form == DTX_FORM_OBJECT ||
           (d->type.raw_index >= 0 && d->type.size_bytes > 0);
}

/* Neither the elements nor the bytes of a dataset may be beyond counting. */
static enum dtx_status
check_size(struct builder *b, const struct dtx_dataset *d)
{
    int64_t count = dtx_shape_count(d->ndim, d->shape);
    int64_t bytes;

    if (count < 0 || d->type.size_bytes > INT64_MAX ||
        dtx_mul_overflows(count, (int64_t)d->type.size_bytes, &bytes)) {
        return dtx_error_set(b->err, DTX_ERR_SOURCE,
                             "dataset '%s' of '%s' has more elements than "
                             "can be addressed",
                             d->path, b->catalog->files[b->file]);
    }
    return DTX_OK;
}

/* The path of the dataset that stands at the same place in the file before:
 * files of one checkpoint mostly list the same paths. */
static const char *
expected_path(const struct builder *b, size_t file_first)
{
    size_t index = b->previous_first + (b->dataset_count - file_first);

    return index < file_first ? b->datasets[index].path : NULL;
}

static enum dtx_status
read_dataset(struct builder *b, size_t file_first)
{
    struct dtx_dataset d = {.file = b->file, .type.raw_index = -1};
    enum dtx_status status;

    d.path = read_string(b, expected_path(b, file_first));
    d.type.dtype = (enum dtx_dtype)read_small(&b->reader, DTX_DTYPE_COUNT - 1);
    d.type.size_bytes = read_number(&b->reader);
    d.is_big_endian = read_small(&b->reader, 1) == 1;
    d.form = (enum dtx_dataset_form)read_small(&b->reader, DTX_FORM_OBJECT);
    status = check_read(b, d.path != NULL);
    if (status == DTX_OK) {
        status = read_shape(b, &d);
    }
    d.offset = read_number(&b->reader);
    if (status == DTX_OK) {
        status = read_attributes(b, &d.attribute_count, &d.attributes);
    }
    if (read_small(&b->reader, 1) == 1 && status == DTX_OK) {
        status = read_raw_type(b, &d);
    }
    if (status == DTX_OK) {
        b->reader.is_damaged |= !is_sound(&d);
        status = check_read(b, true);
    }
    if (status == DTX_OK) {
        status = check_size(b, &d);
    }
    if (status == DTX_OK && dtx_grow(&b->datasets, b->dataset_count,
                                     &b->dataset_capacity, sizeof(d)) != 0) {
        status = dtx_error_memory(b->err);
    }
    if (status == DTX_OK) {
        b->datasets[b->dataset_count++] = d;
    }
    return status;
}

static enum dtx_status
read_group(struct builder *b, bool is_type)
{
    struct dtx_group g = {.file = b->file, .is_type = is_type};
    enum dtx_status status;

    g.path = read_string(b, NULL);
    status = check_read(b, g.path != NULL);
    if (status == DTX_OK) {
        status = read_attributes(b, &g.attribute_count, &g.attributes);
    }
    if (status == DTX_OK && dtx_grow(&b->groups, b->group_count,
                                     &b->group_capacity, sizeof(g)) != 0) {
        status = dtx_error_memory(b->err);
    }
    if (status == DTX_OK) {
        b->groups[b->group_count++] = g;
    }
    return status;
}

static enum dtx_status
read_elsewhere(struct builder *b)
{
    const char *path = read_string(b, NULL);
    uint64_t size = read_number(&b->reader);
    int64_t time = (int64_t)read_number(&b->reader);
    enum dtx_status status = check_read(b, path != NULL);

    if (status == DTX_OK &&
        dtx_elsewhere_add(&b->elsewhere, path, size, time) != 0) {
        status = dtx_error_memory(b->err);
    }
    return status;
}

static int
compare_datasets(const void *a, const void *b)
{
    const struct dtx_dataset *first = a;
    const struct dtx_dataset *second = b;

    return strcmp(first->path, second->path);
}

static int
compare_groups(const void *a, const void *b)
{
    const struct dtx_group *first = a;
    const struct dtx_group *second = b;

    return strcmp(first->path, second->path);
}

/* Sorts what a file has; the same path twice would be damage. */
static enum dtx_status
sort_file(struct builder *b, size_t dataset_first, size_t group_first)
{
    size_t i;

    if (b->dataset_count > dataset_first) {
        qsort(b->datasets + dataset_first, b->dataset_count - dataset_first,
              sizeof(*b->datasets), compare_datasets);
    }
    if (b->group_count > group_first) {
        qsort(b->groups + group_first, b->group_count - group_first,
              sizeof(*b->groups), compare_groups);
    }
    for (i = dataset_first + 1; i < b->dataset_count; i++) {
        b->reader.is_damaged |=
            compare_datasets(&b->datasets[i - 1], &b->datasets[i]) == 0;
    }
    for (i = group_first + 1; i < b->group_count; i++) {
        b->reader.is_damaged |=
            compare_groups(&b->groups[i - 1], &b->groups[i]) == 0;
    }
    return check_read(b, true);
}

static enum dtx_status
read_file(struct builder *b)
{
    size_t dataset_first = b->dataset_count;
    size_t group_first = b->group_count;
    enum dtx_status status;

    b->reader.is_damaged |= read_number(&b->reader) != DTX_LISTING_MAGIC;
    b->file_sizes[b->file] = read_number(&b->reader);
    b->file_times[b->file] = (int64_t)read_number(&b->reader);
    status = check_read(b, true);
    while (status == DTX_OK && b->reader.left > 0) {
        uint64_t kind = read_number(&b->reader);

        if (kind == DTX_LISTING_DATASET) {
            status = read_dataset(b, dataset_first);
        } else if (kind == DTX_LISTING_GROUP || kind == DTX_LISTING_TYPE) {
            status = read_group(b, kind == DTX_LISTING_TYPE);
        } else if (kind == DTX_LISTING_ELSEWHERE) {
            status = read_elsewhere(b);
        } else {
            b->reader.is_damaged = true;
            status = check_read(b, true);
        }
    }
    if (status == DTX_OK) {
        status = sort_file(b, dataset_first, group_first);
    }
    b->previous_first = dataset_first;
    return status;
}

/* Lets each dataset's type be the catalog's rather than a use of its own. */
static enum dtx_status
number_raw_types(struct builder *b)
{
    int *index = dtx_alloc(b->raw.count, sizeof(*index));
    bool is_done =
        index != NULL && dtx_raw_uses_number(&b->raw, b->catalog, index);
    size_t i;

    for (i = 0; is_done && i < b->dataset_count; i++) {
        int *raw_index = &b->datasets[i].type.raw_index;

        *raw_index = *raw_index >= 0 ? index[*raw_index] : 0;
    }
    dtx_free(index);
    return is_done ? DTX_OK : dtx_error_memory(b->err);
}

/* Moves what was gathered into the catalog. */
static enum dtx_status
finish_catalog(struct builder *b)
{
    struct dtx_catalog *c = b->catalog;
    enum dtx_status status;

    if (b->dataset_count > INT_MAX || b->group_count > INT_MAX) {
        return dtx_error_set(b->err, DTX_ERR_LIMIT,
                             "the files hold more than %d datasets", INT_MAX);
    }
    status = number_raw_types(b);
    if (status != DTX_OK) {
        return status;
    }
    c->dataset_count = (int)b->dataset_count;
    c->datasets = dtx_arena_copy(&c->arena, b->datasets, b->dataset_count,
                                 sizeof(*b->datasets));
    c->group_count = (int)b->group_count;
    c->groups = dtx_arena_copy(&c->arena, b->groups, b->group_count,
                               sizeof(*b->groups));
    if (c->datasets == NULL || c->groups == NULL ||
        dtx_elsewhere_store(&b->elsewhere, c) != 0) {
        return dtx_error_memory(b->err);
    }
    return DTX_OK;
}

/* Names the files and makes room for their sizes. */
static enum dtx_status
set_files(struct builder *b, const struct dtx_layout *layout, int file_count)
{
    struct dtx_catalog *c = b->catalog;
    int *position_file;

    c->file_count =
        dtx_catalog_paths(layout, &c->arena, &position_file, &c->files);
    if (c->file_count < 0) {
        dtx_error_memory(b->err);
        return DTX_ERR_LIMIT;
    }
    if (c->file_count != file_count) {
        dtx_error_set(b->err, DTX_ERR_INTERNAL,
                      "%d listings for the %d files of a layout", file_count,
                      c->file_count);
        return DTX_ERR_INTERNAL;
    }
    c->position_file = position_file;
    b->file_sizes =
        dtx_arena_alloc(&c->arena, (size_t)file_count, sizeof(*b->file_sizes));
    b->file_times =
        dtx_arena_alloc(&c->arena, (size_t)file_count, sizeof(*b->file_times));
    c->file_sizes = b->file_sizes;
    c->file_times = b->file_times;
    if (b->file_sizes == NULL || b->file_times == NULL) {
        dtx_error_memory(b->err);
        return DTX_ERR_LIMIT;
    }
    return DTX_OK;
}

enum dtx_status
dtx_catalog_build(const struct dtx_layout *layout, int file_count,
                  const char *const *listings, const size_t *lengths,
                  struct dtx_catalog **catalog_out, struct dtx_error *err)
{
    struct builder b = {.err = err};
    enum dtx_status status;

    b.catalog = dtx_alloc(1, sizeof(*b.catalog));
    if (b.catalog == NULL) {
        return dtx_error_memory(err);
    }
    status = set_files(&b, layout, file_count);
    for (; status == DTX_OK && b.file < file_count; b.file++) {
        b.reader = (struct reader){listings[b.file], lengths[b.file], false};
        status = read_file(&b);
    }
    if (status == DTX_OK) {
        status = finish_catalog(&b);
    }
    dtx_free(b.datasets);
    dtx_free(b.groups);
    dtx_raw_uses_finish(&b.raw);
    dtx_elsewhere_finish(&b.elsewhere);
    if (status != DTX_OK) {
        dtx_catalog_destroy(b.catalog);
        return status;
    }
    *catalog_out = b.catalog;
    return DTX_OK;
}
