/*
 * The logical shape of a source's tensor, from its shards.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/shape.h"
#include "plan/bind/attributes.h"
#include "plan/bind/blame.h"
#include "plan/bind/holders.h"
#include "plan/bind/refuse.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"

enum { SHAPE_BYTES = 320, PLACE_BYTES = 256 };

/* What finding one tensor's shape needs. */
struct finding {
    struct dtx_binding *b;
    struct dtx_bound *bound;
    const struct dtx_rule *rule;
    struct dtx_arena scratch;
    int *datasets; /* [positions] the position's dataset */
};

static void
format_shape(int ndim, const int64_t *shape, char *text)
{
    size_t used = 1;
    int dim;

    memcpy(text, "[", 2);
    for (dim = 0; dim < ndim && used < SHAPE_BYTES - 24; dim++) {
        used += (size_t)snprintf(text + used, SHAPE_BYTES - used, "%s%" PRId64,
                                 dim > 0 ? ", " : "", shape[dim]);
    }
    snprintf(text + used, SHAPE_BYTES - used, "]");
}

static void
add_place(const struct finding *f, int position, struct dtx_error *err)
{
    const struct dtx_catalog *catalog = f->b->catalog;
    char place[PLACE_BYTES];

    dtx_error_tensor(err, "'%s'", f->bound->name);
    dtx_layout_describe_position(f->b->layout, position, place, sizeof place);
    dtx_error_where(err, "%s, file '%s'", place,
                    catalog->files[catalog->position_file[position]]);
}

/* ---------------------------------------------------------------- deriving */

/* What the rule says of a dim: the extent, or -1. */
static int64_t
given_extent(const struct finding *f, int ndim, int dim)
{
    int i;

    for (i = 0; f->rule->has_shape && i < f->rule->shape_count; i++) {
        int given = f->rule->shape[i].dim;

        if ((given < 0 ? given + ndim : given) == dim) {
            return f->rule->shape[i].extent;
        }
    }
    return -1;
}

static bool
is_padded(const struct finding *f, int ndim, int dim)
{
    int axes[DTX_AXIS_MAX];
    int i;

    for (i = 0; i < f->rule->pad_count; i++) {
        int padded = f->rule->pad[i].dim;

        if ((padded < 0 ? padded + ndim : padded) == dim) {
            return true;
        }
    }
    return f->rule->split == DTX_SPLIT_PAD &&
           dtx_rule_axes(f->rule, ndim, dim, axes) > 0;
}

/* The number of a position's piece on the axes that shard a dim. */
static int
piece_on(const struct dtx_mesh *mesh, const int *axes, int count, int position)
{
    int piece = 0, i;

    for (i = 0; i < count; i++) {
        piece = piece * mesh->sizes[axes[i]] +
                dtx_mesh_coordinate(mesh, position, axes[i]);
    }
    return piece;
}

/* The extents of the distinct pieces of a dim together; -1: out of memory. */
static int64_t
sum_pieces(const struct finding *f, int ndim, int dim)
{
    const struct dtx_mesh *mesh = &f->b->layout->mesh;
    int axes[DTX_AXIS_MAX];
    int count = dtx_rule_axes(f->rule, ndim, dim, axes);
    size_t pieces = 1;
    int64_t *extents, sum = 0;
    int i, position;

    for (i = 0; i < count; i++) {
        pieces *= (size_t)mesh->sizes[axes[i]];
    }
    extents = dtx_alloc(pieces, sizeof *extents);
    if (extents == NULL) {
        return -1;
    }
    for (position = 0; position < mesh->position_count; position++) {
        int dataset = f->datasets[position];

        if (dataset >= 0 && f->b->catalog->datasets[dataset].ndim == ndim) {
            extents[piece_on(mesh, axes, count, position)] =
                f->b->catalog->datasets[dataset].shape[dim];
        }
    }
    for (i = 0; i < (int)pieces; i++) {
        if (dtx_add_overflows(sum, extents[i], &sum)) {
            sum = INT64_MAX;
            break;
        }
    }
    dtx_free(extents);
    return sum;
}

static enum dtx_status
derive_dim(const struct finding *f, int ndim, int dim, int64_t *extent_out,
           struct dtx_error *err)
{
    int64_t given = given_extent(f, ndim, dim);
    const struct dtx_dataset *first =
        &f->b->catalog->datasets[f->bound->dataset];

    if (given >= 0) {
        *extent_out = given;
        return DTX_OK;
    }
    if (f->b->layout->view == DTX_VIEW_GLOBAL) {
        *extent_out = first->shape[dim];
        return DTX_OK;
    }
    if (is_padded(f, ndim, dim)) {
        return dtx_refuse(f->b->layout, f->rule->mark, "E203", f->b->list, err,
                          "tensor '%s' is padded in dimension %d, so its "
                          "shards don't tell its extent; give it with 'shape'",
                          f->bound->name, dim);
    }
    *extent_out = sum_pieces(f, ndim, dim);
    return *extent_out < 0 ? dtx_error_memory(err) : DTX_OK;
}

/* The rule's `shape` must speak of dims that the tensor has. */
static enum dtx_status
check_dims(const struct finding *f, int ndim, struct dtx_error *err)
{
    const struct dtx_rule *rule = f->rule;
    int i;

    if (rule->has_shape && rule->shape_is_list && rule->shape_count != ndim) {
        return dtx_refuse(f->b->layout, rule->shape_mark, "E204", f->b->list,
                          err,
                          "tensor '%s' has %d dimensions, 'shape' gives %d",
                          f->bound->name, ndim, rule->shape_count);
    }
    for (i = 0; rule->has_shape && i < rule->shape_count; i++) {
        int dim = rule->shape[i].dim;

        if (dim >= ndim || dim + ndim < 0) {
            return dtx_refuse(
                f->b->layout, rule->shape[i].mark, "E204", f->b->list, err,
                "tensor '%s' has no dimension %d", f->bound->name, dim);
        }
    }
    return DTX_OK;
}

static enum dtx_status
derive(struct finding *f, struct dtx_error *err)
{
    int ndim = f->b->catalog->datasets[f->bound->dataset].ndim;
    int64_t *shape = dtx_arena_alloc(f->b->arena, (size_t)ndim, sizeof *shape);
    enum dtx_status status = DTX_OK;
    int dim;

    if (shape == NULL) {
        return dtx_error_memory(err);
    }
    status = check_dims(f, ndim, err);
    for (dim = 0; dim < ndim && status == DTX_OK; dim++) {
        status = derive_dim(f, ndim, dim, &shape[dim], err);
    }
    f->bound->ndim = ndim;
    f->bound->shape = shape;
    return status;
}

/* ---------------------------------------------------------------- checking */

/* The rule's dtype and shape, against a tensor whose own are known. */
static enum dtx_status
check_rule(const struct finding *f, struct dtx_error *err)
{
    const struct dtx_bound *bound = f->bound;
    int dim;

    if (f->rule->has_dtype && f->rule->dtype != bound->type.dtype) {
        return dtx_refuse(f->b->layout, f->rule->dtype_mark, "E205", f->b->list,
                          err, "tensor '%s' is %s, the rule says %s",
                          bound->name, dtx_dtype_name(bound->type.dtype),
                          dtx_dtype_name(f->rule->dtype));
    }
    for (dim = 0; dim < bound->ndim; dim++) {
        int64_t given = given_extent(f, bound->ndim, dim);

        if (given >= 0 && given != bound->shape[dim]) {
            return dtx_refuse(
                f->b->layout, f->rule->shape_mark, "E206", f->b->list, err,
                "tensor '%s' has %" PRId64
                " elements in dimension %d, 'shape' says %" PRId64,
                bound->name, bound->shape[dim], dim, given);
        }
    }
    return DTX_OK;
}

static enum dtx_status
refuse_shape(const struct finding *f, int position, const int64_t *expected,
             const int64_t *shape, struct dtx_error *err)
{
    const struct dtx_dataset *d =
        &f->b->catalog->datasets[f->datasets[position]];
    char want[SHAPE_BYTES], have[SHAPE_BYTES], whole[SHAPE_BYTES];

    if (d->ndim == f->bound->ndim) {
        format_shape(d->ndim, expected, want);
    } else { /* then the others don't tell its extents */
        snprintf(want, sizeof want, "%d dimensions", f->bound->ndim);
    }
    format_shape(d->ndim, d->shape, have);
    format_shape(f->bound->ndim, shape, whole);
    dtx_error_set(err, DTX_ERR_SOURCE,
                  "dataset '%s' has the wrong shape: expected %s, found %s",
                  d->path, want, have);
    add_place(f, position, err);
    if (d->ndim != f->bound->ndim) {
        d = &f->b->catalog->datasets[f->bound->dataset];
        dtx_error_hint(err, "'%s' has %d dimensions in '%s'", d->path, d->ndim,
                       f->b->catalog->files[d->file]);
    } else {
        dtx_error_hint(err, "the whole tensor is %s; compare the rule at %s:%d",
                       whole, f->b->layout->file, f->rule->mark.line);
    }
    return DTX_ERR_SOURCE;
}

static enum dtx_status
refuse_missing(const struct finding *f, int position, struct dtx_error *err)
{
    const struct dtx_catalog *catalog = f->b->catalog;

    if (catalog->file_sizes[catalog->position_file[position]] ==
        DTX_FILE_MISSING) {
        dtx_refuse_file(f->b, position, err);
        dtx_error_tensor(err, "'%s'", f->bound->name);
        return DTX_ERR_SOURCE;
    }
    dtx_error_set(err, DTX_ERR_SOURCE,
                  "the dataset of '%s' is missing on a rank that holds it",
                  f->bound->name);
    add_place(f, position, err);
    dtx_error_hint(err, "the rule at %s:%d gives it to this rank",
                   f->b->layout->file, f->rule->mark.line);
    return DTX_ERR_SOURCE;
}

/*
 * The extents come from the datasets that are there: where one is missing or
 * wrong, those that are right look wrong. So what is missing is told first,
 * and then the one that the fewest agree with.
 */
static enum dtx_status
refuse_mismatch(const struct finding *f, int position, const int64_t *expected,
                struct dtx_error *err)
{
    const struct dtx_mesh *mesh = &f->b->layout->mesh;
    int64_t shape[DTX_NDIM_MAX], local[DTX_NDIM_MAX];
    int other;

    for (other = 0; other < mesh->position_count; other++) {
        if (f->datasets[other] < 0 &&
            dtx_presence_holds(&f->bound->presence, mesh, other)) {
            return refuse_missing(f, other, err);
        }
    }
    for (other = 0; other < f->bound->ndim; other++) {
        shape[other] = f->bound->shape[other];
    }
    if (f->b->layout->view == DTX_VIEW_LOCAL) {
        other = dtx_blame_position(f->b, f->bound, f->datasets, shape, local);
        if (other < 0) {
            return dtx_error_memory(err);
        }
        position = other;
        expected = local;
    }
    return refuse_shape(f, position, expected, shape, err);
}

static enum dtx_status
check_position(struct finding *f, int position, struct dtx_error *err)
{
    const struct dtx_bound *bound = f->bound;
    int64_t local[DTX_NDIM_MAX];
    const int64_t *expected = local;
    int dataset = f->datasets[position];

    if (f->b->layout->view == DTX_VIEW_GLOBAL) {
        expected = bound->shape;
    } else {
        dtx_tiling_local_shape(bound->tiling, &f->b->layout->mesh, position,
                               local);
    }
    if (dataset < 0) {
        return dtx_shape_count(bound->ndim, expected) == 0
                   ? DTX_OK
                   : refuse_missing(f, position, err);
    }
    if (f->b->catalog->datasets[dataset].ndim != bound->ndim ||
        (bound->ndim > 0 &&
         memcmp(f->b->catalog->datasets[dataset].shape, expected,
                (size_t)bound->ndim * sizeof *expected) != 0)) {
        return refuse_mismatch(f, position, expected, err);
    }
    return DTX_OK;
}

static enum dtx_status
check_positions(struct finding *f, struct dtx_error *err)
{
    const struct dtx_mesh *mesh = &f->b->layout->mesh;
    enum dtx_status status = DTX_OK;
    int position;

    for (position = 0; position < mesh->position_count && status == DTX_OK;
         position++) {
        if (dtx_presence_holds(&f->bound->presence, mesh, position)) {
            status = check_position(f, position, err);
        }
    }
    return status;
}

/* ---------------------------------------------------------------- binding */

static enum dtx_status
make_tiling(struct finding *f, struct dtx_error *err)
{
    struct dtx_bound *bound = f->bound;
    int64_t count = dtx_shape_count(bound->ndim, bound->shape);
    int64_t bytes;

    if (count < 0 ||
        dtx_mul_overflows(count, (int64_t)bound->type.size_bytes, &bytes)) {
        dtx_error_set(err, DTX_ERR_LIMIT, "the tensor is too large");
        dtx_error_tensor(err, "'%s'", bound->name);
        return DTX_ERR_LIMIT;
    }
    bound->tiling =
        dtx_intern_tiling(f->b->intern, f->b->layout, f->rule, bound->name,
                          bound->ndim, bound->shape, f->b->list);
    if (bound->tiling == NULL) {
        return dtx_diagnostics_error_count(f->b->list) > 0
                   ? dtx_error_set(err, DTX_ERR_INVALID,
                                   "%s doesn't fit the tensor '%s'",
                                   f->b->layout->file, bound->name)
                   : dtx_error_memory(err);
    }
    return dtx_check_holders(f->b->layout, f->rule, bound->name, bound->tiling,
                             &bound->presence, f->b->list, err);
}

/* Returns -1 when out of memory. */
static int
find_datasets(struct finding *f)
{
    const struct dtx_binding *b = f->b;
    const struct dtx_mesh *mesh = &b->layout->mesh;
    int position;

    for (position = 0; position < mesh->position_count; position++) {
        f->datasets[position] =
            dtx_presence_holds(&f->bound->presence, mesh, position)
                ? dtx_source_dataset(b->layout, b->catalog, f->bound->name,
                                     position, &f->scratch)
                : DTX_DATASET_NONE;
        if (f->datasets[position] == DTX_DATASET_MEMORY) {
            return -1;
        }
    }
    return 0;
}

static enum dtx_status
bind_from_files(struct finding *f, struct dtx_error *err)
{
    enum dtx_status status;

    f->datasets = dtx_alloc((size_t)f->b->layout->mesh.position_count,
                            sizeof *f->datasets);
    if (f->datasets == NULL || find_datasets(f) != 0) {
        return dtx_error_memory(err);
    }
    status = derive(f, err);
    if (status == DTX_OK &&
        dtx_attributes_choose(f->b, f->bound->name, f->datasets,
                              &f->bound->dataset) != 0) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = make_tiling(f, err);
    }
    if (status == DTX_OK) {
        status = check_positions(f, err);
    }
    return status;
}

enum dtx_status
dtx_bind_shape(struct dtx_binding *binding, struct dtx_bound *bound,
               struct dtx_error *err)
{
    struct finding f = {.b = binding,
                        .bound = bound,
                        .rule = &binding->layout->rules[bound->rule]};
    enum dtx_status status;

    if (binding->catalog->file_count == 0) { /* of a table */
        status = check_dims(&f, bound->ndim, err);
        status = status == DTX_OK ? make_tiling(&f, err) : status;
    } else {
        status = bind_from_files(&f, err);
    }
    if (status == DTX_OK) {
        status = check_rule(&f, err);
    }
    dtx_free(f.datasets);
    dtx_arena_finish(&f.scratch);
    return status;
}
