/*
 * What a page shows of traffic and of tensors. Tensors that move alike are
 * looked at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_page_internal.h"
#include "util/alloc.h"
#include "util/error.h"

enum {
    BINS_MOST = 128,   /* of the heat map, each way */
    KINDS_MOST = 64,   /* whose shards are drawn: the largest */
    BOXES_MOST = 2048, /* of one side of a kind */
    NDIM_MAX = 32,
};

/* Transfers that are listed for the traffic; some seconds' work. */
static const int64_t transfers_most = 50000000;

/* Tensors that move alike. */
struct kind {
    int tensor; /* the first of them */
    int64_t count;
    uint64_t bytes; /* of all */
};

struct kinds {
    int count;
    struct kind *items; /* largest first */
    int *number;        /* [tensors] index into items by the first tensor */
};

static uint64_t
tensor_bytes(const struct dtx_plan_tensor *t)
{
    uint64_t bytes = t->source_type.size_bytes;

    for (int d = 0; d < t->ndim; d++) {
        bytes *= (uint64_t)t->shape[d];
    }
    return bytes;
}

static int
compare_kinds(const void *left, const void *right)
{
    const struct kind *a = left;
    const struct kind *b = right;

    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return a->tensor < b->tensor ? -1 : a->tensor > b->tensor;
}

static void
kinds_finish(struct kinds *kinds)
{
    dtx_free(kinds->items);
    dtx_free(kinds->number);
}

/* False when out of memory; to be finished all the same. */
static bool
kinds_find(struct kinds *kinds, const struct dtx_plan *plan)
{
    int count = dtx_plan_tensor_count(plan);

    kinds->items = dtx_alloc((size_t)count, sizeof(*kinds->items));
    kinds->number = dtx_alloc((size_t)count, sizeof(*kinds->number));
    if (kinds->items == NULL || kinds->number == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        struct dtx_plan_tensor t;

        dtx_plan_tensor(plan, i, &t);
        if (t.alike == i) {
            kinds->number[i] = kinds->count;
            kinds->items[kinds->count++] = (struct kind){i, 0, 0};
        }
        kinds->items[kinds->number[t.alike]].count++;
        kinds->items[kinds->number[t.alike]].bytes += tensor_bytes(&t);
    }
    qsort(kinds->items, (size_t)kinds->count, sizeof(*kinds->items),
          compare_kinds);
    for (int k = 0; k < kinds->count; k++) {
        kinds->number[kinds->items[k].tensor] = k;
    }
    return true;
}

/* ---------------------------------------------------------------- traffic */

struct traffic {
    uint64_t bytes[BINS_MOST][BINS_MOST]; /* from, to */
    int group;                            /* processes of one bin */
    uint64_t factor;                      /* tensors of the kind */
    int64_t left; /* transfers that may still be listed */
};

static bool
count_transfer(const struct dtx_transfer *transfer, void *context)
{
    struct traffic *t = context;

    t->bytes[transfer->src_process / t->group]
            [transfer->dst_process / t->group] += transfer->bytes * t->factor;
    return --t->left > 0;
}

static enum dtx_status
count_traffic(struct traffic *t, const struct dtx_plan *plan,
              const struct kinds *kinds, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    for (int k = 0; k < kinds->count && t->left > 0 && status == DTX_OK; k++) {
        t->factor = (uint64_t)kinds->items[k].count;
        status = dtx_plan_each_transfer_of(plan, kinds->items[k].tensor,
                                           count_transfer, t, err);
    }
    return status;
}

/* The bins that aren't empty, as [from, to, bytes]. */
static void
add_bins(struct json *json, const struct traffic *t)
{
    json_array(json, "bins");
    for (int from = 0; from < BINS_MOST; from++) {
        for (int to = 0; to < BINS_MOST; to++) {
            if (t->bytes[from][to] > 0) {
                json_array(json, NULL);
                json_int(json, NULL, from);
                json_int(json, NULL, to);
                json_uint(json, NULL, t->bytes[from][to]);
                json_array_end(json);
            }
        }
    }
    json_array_end(json);
}

enum dtx_status
page_add_traffic(struct json *json, const struct dtx_plan *plan,
                 struct dtx_error *err)
{
    int count = dtx_plan_options(plan)->process_count;
    struct traffic *t = dtx_alloc(1, sizeof(*t));
    struct kinds kinds = {0};
    enum dtx_status status = DTX_OK;

    if (t == NULL || !kinds_find(&kinds, plan)) {
        status = dtx_error_memory(err);
    } else {
        t->group = (count + BINS_MOST - 1) / BINS_MOST;
        t->left = transfers_most;
        status = count_traffic(t, plan, &kinds, err);
    }
    if (status == DTX_OK && t->left > 0) {
        json_object(json, "traffic");
        json_int(json, "group", t->group);
        json_int(json, "count", (count + t->group - 1) / t->group);
        add_bins(json, t);
        json_object_end(json);
    }
    kinds_finish(&kinds);
    dtx_free(t);
    return status;
}

/* ---------------------------------------------------------------- tensors */

struct boxes {
    struct json *json;
    int64_t *owners; /* [owner_count] of each rank the first with its shard,
                        ascending */
    size_t owner_count, owner_capacity;
    int count;
    bool is_cut_off, has_failed;
};

static bool
add_owner(const struct dtx_shard *shard, void *context)
{
    struct boxes *b = context;

    b->has_failed = dtx_grow(&b->owners, b->owner_count, &b->owner_capacity,
                             sizeof(*b->owners)) != 0;
    if (b->has_failed) {
        return false;
    }
    b->owners[b->owner_count++] = shard->copy_of;
    return true;
}

static int
compare_ranks(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

/* How many ranks hold the shard of this one. */
static int64_t
count_copies(const struct boxes *b, int64_t rank)
{
    const int64_t *found =
        bsearch(&rank, b->owners, b->owner_count, sizeof(rank), compare_ranks);
    const int64_t *first = found, *end = b->owners + b->owner_count;

    while (first > b->owners && first[-1] == rank) {
        first--;
    }
    while (found < end && *found == rank) {
        found++;
    }
    return found - first;
}

static void
add_box(struct json *json, const struct dtx_shard *shard, const int *at)
{
    json_array(json, NULL);
    for (int d = 0; d < shard->ndim; d++) {
        json_int(json, NULL, shard->runs[d][at[d]].begin);
        json_int(json, NULL, shard->runs[d][at[d]].end);
    }
    json_array_end(json);
}

/* The boxes of a shard, the products of its runs. False where there is no
 * room for all. */
static bool
add_boxes(struct boxes *b, const struct dtx_shard *shard)
{
    int at[NDIM_MAX] = {0};
    int dim = 0;

    do {
        if (b->count == BOXES_MOST) {
            b->is_cut_off = true;
            return false;
        }
        b->count++;
        add_box(b->json, shard, at);
        dim = shard->ndim - 1;
        while (dim >= 0 && ++at[dim] == shard->run_counts[dim]) {
            at[dim--] = 0;
        }
    } while (dim >= 0);
    return true;
}

static bool
add_shard(const struct dtx_shard *shard, void *context)
{
    struct boxes *b = context;
    bool goes_on;

    for (int d = 0; d < shard->ndim; d++) {
        if (shard->run_counts[d] == 0) {
            return true;
        }
    }
    if (shard->copy_of != shard->rank) {
        return true;
    }
    if (b->count == BOXES_MOST) {
        b->is_cut_off = true;
        return false;
    }
    json_object(b->json, NULL);
    json_int(b->json, "rank", shard->rank);
    json_int(b->json, "copies", count_copies(b, shard->rank));
    json_array(b->json, "boxes");
    goes_on = add_boxes(b, shard);
    json_array_end(b->json);
    json_object_end(b->json);
    return goes_on;
}

/* The shards of one side; "all" says whether they are all of them. */
static enum dtx_status
add_shards(struct json *json, const struct dtx_plan *plan, int tensor,
           enum dtx_role role, struct dtx_error *err)
{
    struct boxes b = {.json = json};
    enum dtx_status status =
        dtx_plan_each_shard(plan, role, tensor, add_owner, &b, err);

    if (status == DTX_OK && b.has_failed) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        qsort(b.owners, b.owner_count, sizeof(*b.owners), compare_ranks);
        json_object(json, role == DTX_SOURCE ? "src" : "dst");
        json_array(json, "shards");
        status = dtx_plan_each_shard(plan, role, tensor, add_shard, &b, err);
        json_array_end(json);
        json_bool(json, "all", !b.is_cut_off);
        json_object_end(json);
    }
    dtx_free(b.owners);
    return status;
}

/* A type as a person reads it: "float32", or "raw, 12 bytes". */
static void
add_type(struct json *json, const char *key, struct dtx_type type)
{
    char text[64];

    if (type.dtype != DTX_RAW) {
        json_string(json, key, dtx_dtype_name(type.dtype));
        return;
    }
    snprintf(text, sizeof(text), "raw, %zu bytes", type.size_bytes);
    json_string(json, key, text);
}

static enum dtx_status
add_kind(struct json *json, const struct dtx_plan *plan,
         const struct kind *kind, struct dtx_error *err)
{
    struct dtx_plan_tensor t;
    enum dtx_status status;

    dtx_plan_tensor(plan, kind->tensor, &t);
    json_object(json, NULL);
    json_int(json, "count", kind->count);
    json_uint(json, "bytes", tensor_bytes(&t));
    json_shape(json, "shape", t.ndim, t.shape);
    add_type(json, "source_dtype", t.source_type);
    add_type(json, "dtype", t.type);
    json_string(json, "from", t.from);
    json_string(json, "to", t.to);
    status = add_shards(json, plan, kind->tensor, DTX_SOURCE, err);
    if (status == DTX_OK) {
        status = add_shards(json, plan, kind->tensor, DTX_TARGET, err);
    }
    json_object_end(json);
    return status;
}

/* The names of the tensors that are drawn, and the kind of each. */
static void
add_names(struct json *json, const struct dtx_plan *plan,
          const struct kinds *kinds)
{
    json_array(json, "tensors");
    for (int i = 0; i < dtx_plan_tensor_count(plan); i++) {
        struct dtx_plan_tensor t;

        dtx_plan_tensor(plan, i, &t);
        if (kinds->number[t.alike] < KINDS_MOST) {
            json_array(json, NULL);
            json_string(json, NULL, t.name);
            json_int(json, NULL, kinds->number[t.alike]);
            json_array_end(json);
        }
    }
    json_array_end(json);
}

enum dtx_status
page_add_tensors(struct json *json, const struct dtx_plan *plan,
                 struct dtx_error *err)
{
    struct kinds kinds = {0};
    enum dtx_status status = DTX_OK;

    if (!kinds_find(&kinds, plan)) {
        status = dtx_error_memory(err);
    } else {
        json_array(json, "kinds");
        for (int k = 0; k < kinds.count && k < KINDS_MOST && status == DTX_OK;
             k++) {
            status = add_kind(json, plan, &kinds.items[k], err);
        }
        json_array_end(json);
        json_int(json, "kinds_left_out",
                 kinds.count > KINDS_MOST ? kinds.count - KINDS_MOST : 0);
        add_names(json, plan, &kinds);
    }
    kinds_finish(&kinds);
    return status;
}
