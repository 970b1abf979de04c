/*
 * What relays make processes read, send and pass on.
 */
#include <string.h>

#include "plan/send/relay.h"
#include "util/alloc.h"

/* The flows of one class while they are added up. */
struct adding {
    const struct dtx_class *c;
    struct dtx_process_cost *processes;
    uint64_t share_bytes; /* of all tensors, per element of split_dim */
    bool only_sole;       /* leave out what one of several holders sends */
    /* Of a shard that several hold, and one transfer: [holders * shares] who
     * reads which share; NULL: nobody needs to be asked. */
    bool *reads;
};

static bool
has_one_holder(const struct dtx_class *c, int shard)
{
    return c->src->process_first[shard + 1] - c->src->process_first[shard] == 1;
}

static void
add_flow(void *context, const struct dtx_relay_flow *flow)
{
    const struct adding *a = context;
    uint64_t bytes = a->share_bytes * (uint64_t)flow->length;

    if (flow->receiver >= 0) { /* it passes the share to itself at last */
        a->processes[flow->receiver].passed += bytes;
    }
    if (a->only_sole && flow->round == 0 &&
        !has_one_holder(a->c, flow->src_shard)) {
        return;
    }
    a->processes[flow->giver].sent += bytes * (uint64_t)flow->receiver_count;
    if (flow->round == 0 && a->reads != NULL) {
        int holder =
            dtx_side_process_index(a->c->src, flow->src_shard, flow->giver);

        a->reads[holder * a->c->share_count + flow->share] = true;
    }
}

/* Sets the bytes of a share of the transfer that a walk stands on. */
static void
set_share_bytes(struct adding *a, const struct dtx_walk *walk, uint64_t count)
{
    int64_t length = a->c->ndim > 0 ? walk->pairs[a->c->split_dim]->length : 1;

    a->share_bytes = (uint64_t)(dtx_walk_elements(walk) / length) *
                     (uint64_t)a->c->wire_bytes * count;
}

/* Adds what those who hold a source shard and need a transfer of it keep. */
static void
add_keepers(struct adding *a, const struct dtx_walk *walk, int shard,
            uint64_t count)
{
    const struct dtx_side *src = a->c->src;
    int i;

    for (i = src->process_first[shard]; i < src->process_first[shard + 1];
         i++) {
        if (!dtx_side_has(a->c->dst, src->processes[i], walk->other)) {
            continue;
        }
        a->processes[src->processes[i]].passed +=
            (uint64_t)dtx_walk_elements(walk) * a->c->wire_bytes * count;
        if (a->reads != NULL) {
            memset(a->reads +
                       (i - src->process_first[shard]) * a->c->share_count,
                   true, (size_t)a->c->share_count * sizeof *a->reads);
        }
    }
}

/* Adds what the holders of a shard read of one transfer. */
static void
add_reads(struct adding *a, const struct dtx_walk *walk, int shard,
          uint64_t count)
{
    const struct dtx_class *c = a->c;
    int64_t length = c->ndim > 0 ? walk->pairs[c->split_dim]->length : 1;
    uint64_t elements = (uint64_t)(dtx_walk_elements(walk) / length);
    int first = c->src->process_first[shard];
    int holders = c->src->process_first[shard + 1] - first, h, i;

    for (h = 0; h < holders; h++) {
        for (i = 0; i < c->share_count; i++) {
            int64_t share = dtx_cut(length, c->share_count, i + 1) -
                            dtx_cut(length, c->share_count, i);

            if (a->reads[h * c->share_count + i]) {
                a->processes[c->src->processes[first + h]].read +=
                    count * (uint64_t)share * elements * c->src_bytes;
            }
        }
    }
}

/* A shard that one process holds is read once. */
static void
add_whole_read(struct adding *a, int shard, uint64_t count)
{
    const struct dtx_side *src = a->c->src;

    a->processes[src->processes[src->process_first[shard]]].read +=
        count * (uint64_t)dtx_side_elements(src, shard) * a->c->src_bytes;
}

static int
add_shard(struct adding *a, int shard, uint64_t count)
{
    const struct dtx_side *src = a->c->src;
    size_t marks =
        (size_t)(src->process_first[shard + 1] - src->process_first[shard]) *
        (size_t)a->c->share_count;
    struct dtx_walk walk;

    a->reads = NULL;
    if (has_one_holder(a->c, shard)) {
        add_whole_read(a, shard, count);
    } else {
        a->reads = dtx_alloc(marks, sizeof *a->reads);
        if (a->reads == NULL) {
            return -1;
        }
    }
    dtx_walk_begin(&walk, a->c, true, shard);
    while (dtx_walk_next(&walk)) {
        set_share_bytes(a, &walk, count);
        dtx_relay_each(&walk, shard, add_flow, a);
        add_keepers(a, &walk, shard, count);
        if (a->reads != NULL) {
            add_reads(a, &walk, shard, count);
            memset(a->reads, 0, marks * sizeof *a->reads);
        }
    }
    dtx_free(a->reads);
    return 0;
}

int
dtx_relay_add_costs(const struct dtx_class *c, uint64_t count,
                    struct dtx_process_cost *processes)
{
    struct adding a = {.c = c, .processes = processes};
    int shard, failed = 0;

    for (shard = 0; shard < c->src->shard_count && !failed; shard++) {
        failed = add_shard(&a, shard, count);
    }
    return failed;
}

void
dtx_relay_add_sole(const struct dtx_class *c, uint64_t count,
                   struct dtx_process_cost *processes)
{
    struct adding a = {.c = c, .processes = processes, .only_sole = true};
    struct dtx_walk walk;
    int shard;

    for (shard = 0; shard < c->src->shard_count; shard++) {
        dtx_walk_begin(&walk, c, true, shard);
        while (dtx_walk_next(&walk)) {
            set_share_bytes(&a, &walk, count);
            dtx_relay_each(&walk, shard, add_flow, &a);
        }
    }
}
