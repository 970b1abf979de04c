#include "engine/compare/replicas.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/step/apart.h"
#include "engine/step/chunk.h"
#include "engine/step/regions.h"
#include "layout/convert.h"
#include "layout/shape.h"
#include "storage/stop.h"
#include "util/error.h"
#include "util/math.h"
#include "util/text.h"

enum {
    SAMPLE_COUNT = 5,         /* the ends and three places between */
    SAMPLE_ELEMENTS = 512,    /* at each of them */
    DIFFERING_RANKS_MOST = 8, /* that a message names */
    OTHERS_BYTES = 32,
};

/* Shards of no more elements are compared whole: samples could overlap. */
enum { WHOLE_MOST = 2 * SAMPLE_COUNT * SAMPLE_ELEMENTS };

/* How one replica differs from the lowest rank's. */
struct difference {
    int64_t elements;
    double largest;
    bool is_measured; /* largest means something */
    bool is_sampled;  /* there can be more */
};

/* One shard that is compared. */
struct comparing {
    struct engine *e;
    int tensor;
    const struct dtx_tensor *t;
    int64_t shape[DTX_NDIM_MAX]; /* of the shard, without padding */
    char *blocks[2];             /* compared at a time; a stage's bytes each */
};

/* Elements that a block holds; the schedule saw to it that one does fit. */
static int64_t
block_elements(const struct comparing *c)
{
    return (int64_t)(c->e->plan->schedule->stage_bytes /
                     c->t->src_type.size_bytes);
}

/* ---------------------------------------------------------------- counting */

/* Adds the elements that differ in count elements of both blocks. */
static void
count_elements(const struct comparing *c, int64_t count, struct difference *d)
{
    size_t size = c->t->src_type.size_bytes;
    bool is_real = dtx_convert_is_possible(c->t->src_type.dtype, DTX_FLOAT64);
    int64_t i;

    for (i = 0; i < count; i++) {
        const char *a = c->blocks[0] + (size_t)i * size;
        const char *b = c->blocks[1] + (size_t)i * size;
        double x = 0, y = 0;

        if (memcmp(a, b, size) == 0) {
            continue;
        }
        d->elements++;
        if (is_real &&
            dtx_convert(c->t->src_type.dtype, DTX_FLOAT64, a, &x, 1) < 0 &&
            dtx_convert(c->t->src_type.dtype, DTX_FLOAT64, b, &y, 1) < 0 &&
            fabs(x - y) >= d->largest) {
            d->largest = fabs(x - y);
            d->is_measured = true;
        }
    }
}

/* Compares one box of two datasets. */
static enum dtx_status
compare_box(const struct comparing *c, const int *datasets, const int64_t *lo,
            const int64_t *len, int64_t count, struct difference *d,
            struct dtx_error *err)
{
    struct dtx_storage *storage = c->e->storage;
    enum dtx_status status =
        dtx_stop_check(err); /* there can be much to read */
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        status = storage->ops->read(storage, datasets[i], lo, len, c->blocks[i],
                                    err);
    }
    if (status == DTX_OK &&
        memcmp(c->blocks[0], c->blocks[1],
               (size_t)count * c->t->src_type.size_bytes) != 0) {
        count_elements(c, count, d);
    }
    return status;
}

static enum dtx_status
compare_all(const struct comparing *c, const int *datasets,
            struct difference *d, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    struct dtx_chunks chunk;

    dtx_chunks_begin(&chunk, c->t->ndim, c->shape, block_elements(c));
    while (status == DTX_OK && dtx_chunks_next(&chunk)) {
        status = compare_box(c, datasets, chunk.lo, chunk.len,
                             dtx_chunks_count(&chunk), d, err);
    }
    return status;
}

/* Sets lo to the index of the at-th element in row-major order. */
static void
find_index(const struct comparing *c, int64_t at, int64_t *lo)
{
    int dim;

    for (dim = c->t->ndim - 1; dim >= 0; dim--) {
        lo[dim] = at % c->shape[dim];
        at /= c->shape[dim];
    }
}

/* Compares runs of the last dim at the ends and between. */
static enum dtx_status
compare_samples(const struct comparing *c, const int *datasets,
                struct difference *d, struct dtx_error *err)
{
    int64_t total = dtx_shape_count(c->t->ndim, c->shape);
    int64_t row = c->shape[c->t->ndim - 1];
    int64_t run = dtx_min(dtx_min(row, SAMPLE_ELEMENTS), block_elements(c));
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    enum dtx_status status = DTX_OK;
    int i, dim;

    d->is_sampled = true;
    for (i = 0; i < SAMPLE_COUNT && status == DTX_OK; i++) {
        find_index(
            c,
            (total - 1) / (SAMPLE_COUNT - 1) * i +
                (i == SAMPLE_COUNT - 1 ? (total - 1) % (SAMPLE_COUNT - 1) : 0),
            lo);
        for (dim = 0; dim < c->t->ndim; dim++) {
            len[dim] = 1;
        }
        if (lo[dim - 1] > row - run) {
            lo[dim - 1] = row - run;
        }
        len[dim - 1] = run;
        status = compare_box(c, datasets, lo, len, run, d, err);
    }
    return status;
}

/* ---------------------------------------------------------------- shards */

/* Words for a differing rank: "rank 3 in 7 elements, by at most 0.5"; of a
 * sample "rank 3 in 2 elements or more, by 0.5 or more". */
static void
add_difference(struct dtx_text *text, int64_t rank, const struct difference *d)
{
    dtx_text_format(text, "%srank %" PRId64 " in %" PRId64 " element%s%s",
                    text->length > 0 ? "; " : "", rank, d->elements,
                    d->elements == 1 ? "" : "s",
                    d->is_sampled ? " or more" : "");
    if (d->is_measured) {
        dtx_text_format(text,
                        d->is_sampled ? ", by %g or more" : ", by at most %g",
                        d->largest);
    }
}

static enum dtx_status
refuse(const struct comparing *c, int first_position, int differing,
       const struct dtx_text *text, struct dtx_error *err)
{
    const struct dtx_rule *rule;
    char others[OTHERS_BYTES] = "";

    if (text->failed) {
        return dtx_error_memory(err);
    }
    dtx_error_set(
        err, DTX_ERR_SOURCE, "replicas differ from rank %" PRId64 "'s: %s",
        dtx_mesh_rank(&c->e->plan->source->mesh, first_position), text->data);
    dtx_error_tensor(err, "'%s'", c->t->src_name);
    if (differing > DIFFERING_RANKS_MOST) {
        snprintf(others, sizeof others, "%d ranks differ; ", differing);
    }
    rule = &c->e->plan->source->rules[c->t->src_rule];
    dtx_error_hint(err,
                   "%sif they are no replicas, mend the rule at %s:%d; "
                   "--check-replicas none takes the lowest rank's",
                   others, c->e->plan->source->file, rule->mark.line);
    return DTX_ERR_SOURCE;
}

static enum dtx_status
compare_pair(const struct comparing *c, const int *datasets,
             struct difference *d, struct dtx_error *err)
{
    int64_t total = dtx_shape_count(c->t->ndim, c->shape);

    if (c->e->options->check_replicas == DTX_CHECK_REPLICAS_ALL ||
        total <= WHOLE_MOST || c->t->ndim == 0) {
        return compare_all(c, datasets, d, err);
    }
    return compare_samples(c, datasets, d, err);
}

/* Compares all replicas of a shard with the lowest rank's. */
static enum dtx_status
compare_shard(struct comparing *c, const struct dtx_side *src, int shard,
              struct dtx_error *err)
{
    const struct dtx_plan *plan = c->e->plan;
    const int *positions = src->positions + src->shard_first[shard];
    int count = src->shard_first[shard + 1] - src->shard_first[shard];
    int datasets[2] = {dtx_plan_source_dataset(plan, c->tensor, positions[0]),
                       -1};
    struct dtx_text text = {0};
    enum dtx_status status = DTX_OK;
    int i, differing = 0;

    if (datasets[0] < 0) { /* an empty shard, left out */
        return datasets[0] == DTX_DATASET_NONE ? DTX_OK : dtx_error_memory(err);
    }
    dtx_side_logical_shape(src, shard, c->shape);
    if (dtx_shape_count(c->t->ndim, c->shape) == 0) {
        return DTX_OK;
    }
    for (i = 1; i < count && status == DTX_OK; i++) {
        struct difference d = {0};

        datasets[1] = dtx_plan_source_dataset(plan, c->tensor, positions[i]);
        if (datasets[1] == DTX_DATASET_MEMORY) {
            status = dtx_error_memory(err);
        } else if (datasets[1] != datasets[0]) {
            status = compare_pair(c, datasets, &d, err);
        }
        if (status != DTX_OK && status != DTX_ERR_INTERRUPTED) {
            dtx_error_tensor(err, "'%s'", c->t->src_name);
            engine_say_where(c->e->transport, plan, DTX_SOURCE, positions[i],
                             err);
        }
        if (d.elements > 0 && differing++ < DIFFERING_RANKS_MOST) {
            add_difference(
                &text, dtx_mesh_rank(&plan->source->mesh, positions[i]), &d);
        }
    }
    if (status == DTX_OK && differing > 0) {
        status = refuse(c, positions[0], differing, &text, err);
    }
    dtx_text_finish(&text);
    return status;
}

/* Compares the shards of a tensor that are this process's turn. */
static enum dtx_status
compare_tensor(struct comparing *c, int64_t *turn, struct dtx_error *err)
{
    const struct dtx_plan *plan = c->e->plan;
    const struct dtx_side *src = plan->classes[c->t->class_index]->optimal->src;
    enum dtx_status status = DTX_OK;
    int shard;

    if (plan->source->view == DTX_VIEW_GLOBAL ||
        src->position_count == src->shard_count) {
        return DTX_OK;
    }
    for (shard = 0; shard < src->shard_count && status == DTX_OK; shard++) {
        if (plan->src_procs.processes[(*turn)++ % plan->src_procs.count] ==
            c->e->transport->process) {
            status = compare_shard(c, src, shard, err);
        }
    }
    return status;
}

enum dtx_status
engine_check_replicas(struct engine *e, struct dtx_error *err)
{
    struct comparing c = {.e = e};
    enum dtx_status status = DTX_OK;
    int64_t turn = 0;
    int i;

    if (e->options->check_replicas == DTX_CHECK_REPLICAS_NONE) {
        return DTX_OK;
    }
    for (i = 0; i < 2 && status == DTX_OK; i++) {
        status = engine_allocate(
            e, true, (size_t)e->plan->schedule->stage_bytes, &c.blocks[i], err);
    }
    for (i = 0; i < e->plan->tensor_count && status == DTX_OK; i++) {
        c.tensor = i;
        c.t = &e->plan->tensors[i];
        status = compare_tensor(&c, &turn, err);
    }
    for (i = 0; i < 2; i++) {
        engine_release(e, true, c.blocks[i]);
    }
    return dtx_transport_settle(e->transport, status, err);
}
