/*
 * Proposals from files: samples of their data, and what they show.
 */
#include <string.h>

#include "layout/crc64.h"
#include "layout/shape.h"
#include "plan/bind/bind.h"
#include "propose/propose.h"
#include "storage/storage.h"
#include "util/alloc.h"
#include "util/error.h"

enum {
    ROWS_MAX = 8,        /* of a dataset that are looked at */
    ROW_BYTES_MAX = 4096 /* of each */
};

struct sampling {
    struct dtx_storage *storage;
    const struct dtx_dataset *dataset;
    int index;             /* of the dataset */
    int64_t row_count;     /* of the last dim */
    int64_t element_count; /* of a row that are looked at */
    unsigned char *buffer; /* [ROW_BYTES_MAX], or a larger element */
};

/* Where a row begins; len is that of the box. */
static void
find_row(const struct sampling *s, int64_t row, int64_t *lo, int64_t *len)
{
    int dim;

    for (dim = s->dataset->ndim - 1; dim >= 0; dim--) {
        bool is_last = dim == s->dataset->ndim - 1;

        lo[dim] = is_last ? 0 : row % s->dataset->shape[dim];
        len[dim] = is_last ? s->element_count : 1;
        row = is_last ? row : row / s->dataset->shape[dim];
    }
}

static bool
is_constant(const unsigned char *bytes, size_t count, size_t size)
{
    size_t i;

    for (i = size; i < count; i++) {
        if (bytes[i] != bytes[i - size]) {
            return false;
        }
    }
    return true;
}

static bool
is_zero(const unsigned char *bytes, size_t count)
{
    return bytes[0] == 0 && is_constant(bytes, count, 1);
}

/* Looks at a row; first_out keeps the first element. */
static enum dtx_status
take_row(struct sampling *s, int64_t row, bool is_first, bool is_last,
         unsigned char *first, struct evidence_sample *sample,
         struct dtx_error *err)
{
    size_t size = s->dataset->type.size_bytes;
    size_t bytes = (size_t)s->element_count * size;
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    bool is_row_zero;
    enum dtx_status status;

    find_row(s, row, lo, len);
    status =
        s->storage->ops->read(s->storage, s->index, lo, len, s->buffer, err);
    if (status != DTX_OK) {
        return status;
    }
    sample->digest = dtx_crc64_append(sample->digest, s->buffer, bytes);
    is_row_zero = is_zero(s->buffer, bytes);
    if (is_first) {
        memcpy(first, s->buffer, size);
        sample->ends_in_zeros = !is_row_zero;
    }
    if (is_last) {
        sample->ends_in_zeros &= is_row_zero;
    }
    sample->is_constant &= is_constant(s->buffer, bytes, size) &&
                           memcmp(first, s->buffer, size) == 0;
    return DTX_OK;
}

/* last * i / steps, of which the product needn't fit. */
static int64_t
row_of(int64_t last, int64_t steps, int64_t i)
{
    return steps == 0 ? 0 : last / steps * i + last % steps * i / steps;
}

static enum dtx_status
take_rows(struct sampling *s, struct evidence_sample *sample,
          struct dtx_error *err)
{
    int64_t count = s->row_count < ROWS_MAX ? s->row_count : ROWS_MAX;
    unsigned char *first = dtx_alloc(s->dataset->type.size_bytes, 1);
    enum dtx_status status = first == NULL ? dtx_error_memory(err) : DTX_OK;
    int64_t i;

    sample->is_constant = true;
    for (i = 0; i < count && status == DTX_OK; i++) {
        int64_t row = row_of(s->row_count - 1, count - 1, i);

        status = take_row(s, row, i == 0, i == count - 1 && count > 1, first,
                          sample, err);
    }
    sample->ends_in_zeros &= count > 1;
    dtx_free(first);
    return status;
}

/* Looks at some rows of a dataset, from the first to the last. */
static enum dtx_status
take_sample(struct dtx_storage *storage, const struct dtx_catalog *catalog,
            int index, struct evidence_sample *sample, struct dtx_error *err)
{
    const struct dtx_dataset *d = &catalog->datasets[index];
    struct sampling s = {
        .storage = storage, .dataset = d, .index = index, .row_count = 1};
    size_t size = d->type.size_bytes > 0 ? d->type.size_bytes : 1;
    size_t most = size < ROW_BYTES_MAX ? ROW_BYTES_MAX / size : 1;
    enum dtx_status status;
    int dim;

    s.element_count = d->ndim == 0 ? 1 : d->shape[d->ndim - 1];
    if (dtx_shape_count(d->ndim, d->shape) <= 0) {
        return DTX_OK; /* nothing to see */
    }
    for (dim = 0; dim < d->ndim - 1; dim++) {
        s.row_count *= d->shape[dim];
    }
    if ((uint64_t)s.element_count > most) {
        s.element_count = (int64_t)most;
    }
    s.buffer = dtx_alloc((size_t)s.element_count, size);
    if (s.buffer == NULL) {
        return dtx_error_memory(err);
    }
    status = take_rows(&s, sample, err);
    sample->is_taken = status == DTX_OK;
    dtx_free(s.buffer);
    return status;
}

static enum dtx_status
take_samples(struct evidence *e, struct dtx_error *err)
{
    struct dtx_storage *storage = NULL;
    enum dtx_status status = dtx_storage_create(&storage, err);
    int i;

    if (status != DTX_OK) {
        return status;
    }
    storage->ops->use_catalog(storage, e->catalog);
    for (i = 0; i < e->catalog->dataset_count && status == DTX_OK; i++) {
        if (e->wanted[i]) {
            status = take_sample(storage, e->catalog, i, &e->samples[i], err);
        }
    }
    storage->ops->destroy(storage);
    return status;
}

enum dtx_status
dtx_propose_layout(const struct dtx_layout *files,
                   const struct dtx_catalog *catalog,
                   const struct dtx_catalog *table,
                   const struct dtx_proposed_mesh *mesh, char **text_out,
                   struct dtx_error *err)
{
    struct evidence e = {0};
    enum dtx_status status = evidence_gather(&e, files, catalog) == 0
                                 ? DTX_OK
                                 : dtx_error_memory(err);

    if (status == DTX_OK) {
        status = take_samples(&e, err);
    }
    if (status == DTX_OK) {
        status = propose_from_evidence(files, &e, table, mesh, text_out, err);
    }
    evidence_finish(&e);
    return status;
}

/* What a layout's own tensors are. */
static enum dtx_status
know_tensors(const struct dtx_layout *layout, const struct dtx_binding *b,
             struct propose_known **tensors_out, int *count_out,
             struct dtx_error *err)
{
    struct propose_known *tensors = dtx_alloc(b->bound_count, sizeof *tensors);
    size_t i;

    if (tensors == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < b->bound_count; i++) {
        const struct dtx_bound *bound = &b->bound[i];

        tensors[i] =
            (struct propose_known){.name = bound->name,
                                   .ndim = bound->is_object ? 0 : bound->ndim,
                                   .shape = bound->shape,
                                   .rule = &layout->rules[bound->rule]};
    }
    *tensors_out = tensors;
    *count_out = (int)b->bound_count;
    return DTX_OK;
}

enum dtx_status
dtx_propose_like(const struct dtx_layout *layout,
                 const struct dtx_catalog *catalog,
                 const struct dtx_proposed_mesh *mesh, const char *path,
                 struct dtx_diagnostics *list, char **text_out,
                 struct dtx_error *err)
{
    struct dtx_arena arena = {0};
    struct dtx_intern intern = {.arena = &arena};
    struct dtx_binding binding = {.arena = &arena,
                                  .layout = layout,
                                  .catalog = catalog,
                                  .list = list,
                                  .intern = &intern};
    struct propose_known *tensors = NULL;
    enum dtx_status status = DTX_OK;
    int count = 0;

    if (catalog != NULL) {
        status = dtx_bind_source(&binding, err);
        if (status == DTX_OK) {
            status = know_tensors(layout, &binding, &tensors, &count, err);
        }
    }
    if (status == DTX_OK) {
        status = propose_from_layout(layout, tensors, count, mesh, path,
                                     text_out, err);
    }
    dtx_free(tensors);
    dtx_binding_finish(&binding);
    dtx_intern_finish(&intern);
    dtx_arena_finish(&arena);
    return status;
}
