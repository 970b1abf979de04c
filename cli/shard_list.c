#include "shard_list.h"

#include <inttypes.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/suggest.h"

static const void *
copy(struct shard_list *list, const void *from, size_t count, size_t size)
{
    const void *made = dtx_arena_copy(&list->arena, from, count, size);

    list->has_failed |= made == NULL;
    return made;
}

bool
shard_list_add(const struct dtx_shard *shard, void *context)
{
    struct shard_list *list = context;
    size_t ndim = (size_t)shard->ndim;
    const struct dtx_index_run **runs =
        dtx_arena_alloc(&list->arena, ndim + 1, sizeof(*runs));
    struct dtx_shard *made;

    if (runs == NULL || dtx_grow(&list->shards, list->count, &list->capacity,
                                 sizeof(*list->shards)) != 0) {
        list->has_failed = true;
        return false;
    }
    made = &list->shards[list->count++];
    *made = *shard;
    made->place = copy(list, shard->place, strlen(shard->place) + 1, 1);
    made->file = copy(list, shard->file, strlen(shard->file) + 1, 1);
    made->dataset = copy(list, shard->dataset, strlen(shard->dataset) + 1, 1);
    made->shape = copy(list, shard->shape, ndim, sizeof(*shard->shape));
    made->run_counts =
        copy(list, shard->run_counts, ndim, sizeof(*shard->run_counts));
    for (size_t d = 0; d < ndim; d++) {
        runs[d] = copy(list, shard->runs[d], (size_t)shard->run_counts[d],
                       sizeof(*shard->runs[d]));
    }
    made->runs = runs;
    return !list->has_failed;
}

void
shard_list_finish(struct shard_list *list)
{
    dtx_free(list->shards);
    dtx_arena_finish(&list->arena);
    *list = (struct shard_list){0};
}

const struct dtx_shard *
shard_list_find(const struct shard_list *list, int64_t rank)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->shards[i].rank == rank) {
            return &list->shards[i];
        }
    }
    return NULL;
}

/* The index in a shard of a logical index; -1 where it isn't there. */
static int64_t
local_index(const struct dtx_shard *shard, int dim, int64_t index)
{
    int64_t local = 0;

    for (int i = 0; i < shard->run_counts[dim]; i++) {
        const struct dtx_index_run *run = &shard->runs[dim][i];

        if (index >= run->begin && index < run->end) {
            return local + index - run->begin;
        }
        local += run->end - run->begin;
    }
    return -1;
}

bool
shard_offset(const struct dtx_shard *shard, const int64_t *indices,
             uint64_t element_bytes, uint64_t *offset_out)
{
    uint64_t element = 0;

    if (!shard->has_offset || shard->is_global) {
        return false;
    }
    for (int d = 0; d < shard->ndim; d++) {
        int64_t local = local_index(shard, d, indices[d]);

        if (local < 0) {
            return false;
        }
        element = element * (uint64_t)shard->shape[d] + (uint64_t)local;
    }
    *offset_out = shard->offset + element * element_bytes;
    return true;
}

static void
add_json_runs(const struct dtx_shard *shard, struct json *json)
{
    json_array(json, "runs");
    for (int d = 0; d < shard->ndim; d++) {
        json_array(json, NULL);
        for (int i = 0; i < shard->run_counts[d]; i++) {
            const int64_t run[] = {shard->runs[d][i].begin,
                                   shard->runs[d][i].end};

            json_shape(json, NULL, 2, run);
        }
        json_array_end(json);
    }
    json_array_end(json);
}

void
shard_list_json(const struct shard_list *list, const char *key,
                struct json *json)
{
    json_array(json, key);
    for (size_t i = 0; i < list->count; i++) {
        const struct dtx_shard *shard = &list->shards[i];

        json_object(json, NULL);
        json_int(json, "rank", shard->rank);
        json_string(json, "place", shard->place);
        json_int(json, "copy_of", shard->copy_of);
        json_shape(json, "shape", shard->ndim, shard->shape);
        add_json_runs(shard, json);
        json_uint(json, "bytes", shard->bytes);
        json_string(json, "file", shard->file);
        json_string(json, "dataset", shard->dataset);
        if (shard->has_offset) {
            json_uint(json, "offset", shard->offset);
        }
        json_object_end(json);
    }
    json_array_end(json);
}

int
shard_find_tensor(const char *name, int count,
                  const char *(*name_of)(const void *owner, int index),
                  const void *owner, struct dtx_error *err)
{
    const char **names = dtx_alloc((size_t)count + 1, sizeof(*names));
    const char *close;
    int found = -1;

    if (names == NULL) {
        dtx_error_memory(err);
        return -1;
    }
    for (int i = 0; i < count && found < 0; i++) {
        names[i] = name_of(owner, i);
        found = strcmp(names[i], name) == 0 ? i : -1;
    }
    if (found < 0) {
        dtx_error_set(err, DTX_ERR_INVALID, "there is no tensor '%s'", name);
        close = dtx_suggest(name, names, count);
        if (close != NULL) {
            dtx_error_hint(err, "did you mean '%s'?", close);
        } else {
            dtx_error_hint(err, "'dtx inspect' lists the tensors");
        }
    }
    dtx_free(names);
    return found;
}
