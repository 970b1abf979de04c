#include "layout/listing.h"

#include <string.h>

#include "layout/listing_form.h"

static void
add_number(struct dtx_text *listing, uint64_t number)
{
    char bytes[sizeof(number)];

    memcpy(bytes, &number, sizeof(number));
    dtx_text_add_bytes(listing, bytes, sizeof(bytes));
}

static void
add_bytes(struct dtx_text *listing, const void *bytes, size_t count)
{
    add_number(listing, count);
    dtx_text_add_bytes(listing, bytes, count);
}

static void
add_string(struct dtx_text *listing, const char *string)
{
    add_bytes(listing, string, strlen(string));
}

static void
add_attributes(struct dtx_text *listing, int count,
               const struct dtx_attribute *attributes)
{
    int i;

    add_number(listing, (uint64_t)count);
    for (i = 0; i < count; i++) {
        add_string(listing, attributes[i].name);
        add_number(listing, attributes[i].digest);
    }
}

void
dtx_listing_begin(struct dtx_text *listing, uint64_t file_bytes,
                  int64_t changed_ns)
{
    add_number(listing, DTX_LISTING_MAGIC);
    add_number(listing, file_bytes);
    add_number(listing, (uint64_t)changed_ns);
}

void
dtx_listing_dataset(struct dtx_text *listing, const struct dtx_dataset *d,
                    const struct dtx_raw_type *raw)
{
    int dim;

    add_number(listing, DTX_LISTING_DATASET);
    add_string(listing, d->path);
    add_number(listing, (uint64_t)d->type.dtype);
    add_number(listing, d->type.size_bytes);
    add_number(listing, d->is_big_endian);
    add_number(listing, (uint64_t)d->form);
    add_number(listing, (uint64_t)d->ndim);
    for (dim = 0; dim < d->ndim; dim++) {
        add_number(listing, (uint64_t)d->shape[dim]);
    }
    add_number(listing, d->offset);
    add_attributes(listing, d->attribute_count, d->attributes);
    add_number(listing, raw != NULL);
    if (raw != NULL) {
        add_bytes(listing, raw->bytes, raw->byte_count);
        add_number(listing, raw->size_bytes);
        add_string(listing, raw->description);
    }
}

void
dtx_listing_group(struct dtx_text *listing, const struct dtx_group *g)
{
    add_number(listing, g->is_type ? DTX_LISTING_TYPE : DTX_LISTING_GROUP);
    add_string(listing, g->path);
    add_attributes(listing, g->attribute_count, g->attributes);
}

void
dtx_listing_elsewhere(struct dtx_text *listing, const char *path,
                      uint64_t file_bytes, int64_t changed_ns)
{
    add_number(listing, DTX_LISTING_ELSEWHERE);
    add_string(listing, path);
    add_number(listing, file_bytes);
    add_number(listing, (uint64_t)changed_ns);
}
