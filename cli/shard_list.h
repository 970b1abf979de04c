/*
 * The shards of one tensor, to be drawn or written as JSON.
 */
#ifndef DTX_CLI_SHARD_LIST_H
#define DTX_CLI_SHARD_LIST_H

#include <dtx/plan.h>

#include "json.h"
#include "util/arena.h"
#include "util/text.h"

/* All shards, copied. `= {0}` is empty. */
struct shard_list {
    struct dtx_arena arena;
    struct dtx_shard *shards; /* [count] in the order of the mesh */
    size_t count, capacity;
    bool has_failed; /* out of memory */
};

/* Adds a shard; context is a struct shard_list. */
dtx_shard_visit shard_list_add;
void shard_list_finish(struct shard_list *list);

/* The shard of a rank, or NULL. */
const struct dtx_shard *shard_list_find(const struct shard_list *list,
                                        int64_t rank);

/*
 * Draws which ranks hold what: a line for each stretch of the first dim that
 * is split, a column for each of the second.
 *
 * shape  [ndim] of the whole tensor
 */
void shard_list_draw(const struct shard_list *list, int ndim,
                     const int64_t *shape, struct dtx_text *text);

/* A table of the shards, and where each stands. */
void shard_list_table(const struct shard_list *list, struct dtx_text *text);

/* An array of the shards. */
void shard_list_json(const struct shard_list *list, const char *key,
                     struct json *json);

/* The number of bytes from the start of the file to an element, by logical
 * indices [ndim]. False where it isn't known. */
bool shard_offset(const struct dtx_shard *shard, const int64_t *indices,
                  uint64_t element_bytes, uint64_t *offset_out);

/* The index of a tensor by name among count, of which name_of gives the
 * names; sets an error with a suggestion, and returns -1, where there is none.
 */
int shard_find_tensor(const char *name, int count,
                      const char *(*name_of)(const void *owner, int index),
                      const void *owner, struct dtx_error *err);

#endif
