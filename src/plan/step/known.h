/*
 * Known links: those of a class and a process, kept from unit to unit.
 *
 * The parts of a tensor have the same links, and mostly so has the next one.
 * With each link is kept what is the same in all parts.
 */
#ifndef DTX_PLAN_STEP_KNOWN_H
#define DTX_PLAN_STEP_KNOWN_H

#include "plan/class/class.h"
#include "plan/step/link.h"

/* `= {0}` is empty. */
struct dtx_known_links {
    const struct dtx_class *c; /* NULL: none */
    struct dtx_links links;
    int *copies;                   /* [links.count] */
    const struct dtx_pair **pairs; /* [links.count][ndim] */
};

struct dtx_known_link {
    const struct dtx_link *link;
    int copy; /* which one it brings: each process that gets the target shard
                 has one */
    const struct dtx_pair *const *pairs; /* [ndim] */
};

/* The links of a class, listed where they aren't the ones that are known.
 * NULL when out of memory, with none known. */
const struct dtx_known_links *
dtx_known_links_find(struct dtx_known_links *known, const struct dtx_class *c,
                     int process, bool outgoing);
void dtx_known_links_finish(struct dtx_known_links *known);

static inline struct dtx_known_link
dtx_known_link_at(const struct dtx_known_links *known, size_t i)
{
    return (struct dtx_known_link){&known->links.array[i], known->copies[i],
                                   known->pairs + i * (size_t)known->c->ndim};
}

#endif
