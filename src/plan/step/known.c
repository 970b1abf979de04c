#include "plan/step/known.h"

#include "plan/step/box_walk.h"
#include "plan/step/link_find.h"
#include "util/alloc.h"

/* The index of a link's receiver among the processes that get its shard. */
static int
copy_of(const struct dtx_known_links *known, size_t i, int process,
        bool outgoing)
{
    const struct dtx_link *link = &known->links.array[i];

    if (!outgoing && i > 0 && link->dst_shard == link[-1].dst_shard) {
        return known->copies[i - 1];
    }
    return dtx_side_process_index(known->c->dst, link->dst_shard,
                                  outgoing ? link->peer : process);
}

/* Lists the links with what is kept of each. Returns -1 when out of memory. */
static int
list(struct dtx_known_links *known, int process, bool outgoing)
{
    size_t ndim = (size_t)known->c->ndim, count, i;

    if ((outgoing ? dtx_links_outgoing : dtx_links_incoming)(
            known->c, process, &known->links) != 0) {
        return -1;
    }
    count = known->links.count;
    known->copies = dtx_alloc(count, sizeof *known->copies);
    known->pairs = dtx_alloc(count * ndim, sizeof *known->pairs);
    if (known->copies == NULL || known->pairs == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        known->copies[i] = copy_of(known, i, process, outgoing);
        dtx_link_pairs(known->c, &known->links.array[i],
                       known->pairs + i * ndim);
    }
    return 0;
}

const struct dtx_known_links *
dtx_known_links_find(struct dtx_known_links *known, const struct dtx_class *c,
                     int process, bool outgoing)
{
    if (known->c == c) {
        return known;
    }
    dtx_known_links_finish(known);
    known->c = c;
    if (list(known, process, outgoing) != 0) {
        dtx_known_links_finish(known);
        return NULL;
    }
    return known;
}

void
dtx_known_links_finish(struct dtx_known_links *known)
{
    dtx_links_finish(&known->links);
    dtx_free(known->copies);
    dtx_free(known->pairs);
    *known = (struct dtx_known_links){0};
}
