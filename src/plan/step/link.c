#include "plan/step/link.h"

#include "util/alloc.h"
#include "util/sort.h"

int
dtx_links_add(struct dtx_links *links, struct dtx_link link)
{
    if (link.lo >= link.hi) {
        return 0;
    }
    if (dtx_grow(&links->array, links->count, &links->capacity,
                 sizeof *links->array) != 0) {
        return -1;
    }
    links->array[links->count++] = link;
    return 0;
}

static int
compare(const void *left, const void *right)
{
    const struct dtx_link *a = left;
    const struct dtx_link *b = right;

    if (a->src_shard != b->src_shard) {
        return a->src_shard < b->src_shard ? -1 : 1;
    }
    if (a->dst_shard != b->dst_shard) {
        return a->dst_shard < b->dst_shard ? -1 : 1;
    }
    if (a->peer != b->peer) {
        return a->peer < b->peer ? -1 : 1;
    }
    return a->lo < b->lo ? -1 : a->lo > b->lo;
}

void
dtx_links_sort(struct dtx_links *links, size_t first)
{
    if (links->count - first > 1) {
        dtx_sort(links->array + first, links->count - first,
                 sizeof *links->array, compare);
    }
}

void
dtx_links_finish(struct dtx_links *links)
{
    dtx_free(links->array);
    *links = (struct dtx_links){0};
}
