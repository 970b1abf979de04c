#include "plan/step/link_find.h"

#include "plan/weigh/totals.h"
#include "planned.h"

/* All links of all processes of one class. */
struct exchange {
    const struct planned *p;
    const struct dtx_class *c;
    struct dtx_links *outgoing; /* [process_count] */
    struct dtx_links *incoming;
};

static struct exchange
exchange_begin(const struct planned *p, const struct dtx_class *c)
{
    int count = p->options.process_count;
    struct exchange e = {p, c, calloc((size_t)count, sizeof *e.outgoing),
                         calloc((size_t)count, sizeof *e.incoming)};

    for (int i = 0; i < count; i++) {
        so(dtx_links_outgoing(c, i, &e.outgoing[i]) == 0);
        so(dtx_links_incoming(c, i, &e.incoming[i]) == 0);
    }
    return e;
}

static void
exchange_finish(struct exchange *e)
{
    for (int i = 0; i < e->p->options.process_count; i++) {
        dtx_links_finish(&e->outgoing[i]);
        dtx_links_finish(&e->incoming[i]);
    }
    free(e->outgoing);
    free(e->incoming);
}

/* ---------------------------------------------------------------- both ends */

/* The next link with a peer from *at on; NULL at the end. */
static const struct dtx_link *
next_with(const struct dtx_links *links, int peer, size_t *at)
{
    while (*at < links->count && links->array[*at].peer != peer) {
        (*at)++;
    }
    return *at < links->count ? &links->array[(*at)++] : NULL;
}

static void
check_pair(const struct exchange *e, int from, int to)
{
    size_t out_at = 0, in_at = 0;
    const struct dtx_link *out, *in;

    do {
        out = next_with(&e->outgoing[from], to, &out_at);
        in = next_with(&e->incoming[to], from, &in_at);
        so((out == NULL) == (in == NULL));
        if (out != NULL) {
            so(out->src_shard == in->src_shard);
            so(out->dst_shard == in->dst_shard);
            so(out->lo == in->lo && out->hi == in->hi);
            so(out->lo < out->hi);
        }
    } while (out != NULL);
}

/* Who sends a shard has it, unless it only reads the files. */
static void
check_ends(const struct exchange *e, int process)
{
    const struct dtx_class *c = e->c;

    for (size_t i = 0; i < e->outgoing[process].count; i++) {
        const struct dtx_link *link = &e->outgoing[process].array[i];

        if (c->round > 0) { /* from what is kept */
            continue;
        }
        so(dtx_side_shard(c->src, link->src_position) == link->src_shard);
        so(c->strategy == DTX_STRATEGY_DIRECT
               ? link->peer == process
               : e->p->plan->src_process[link->src_position] == process);
    }
    for (size_t i = 0; i < e->incoming[process].count; i++) {
        const struct dtx_link *link = &e->incoming[process].array[i];

        so(dtx_side_shard(c->dst, link->dst_position) == link->dst_shard);
        so(e->p->plan->dst_process[link->dst_position] == process);
    }
}

static void
check_exchange(struct planned *p, const struct dtx_class *c)
{
    struct exchange e = exchange_begin(p, c);

    for (int from = 0; from < p->options.process_count; from++) {
        check_ends(&e, from);
        for (int to = 0; to < p->options.process_count; to++) {
            check_pair(&e, from, to);
        }
    }
    exchange_finish(&e);
}

/* ---------------------------------------------------------------- sums */

/* Elements of a link. */
static uint64_t
link_elements(const struct dtx_class *c, const struct dtx_link *link)
{
    int src[DTX_NDIM_MAX], dst[DTX_NDIM_MAX];
    uint64_t elements = 1;

    dtx_side_pieces(c->src, link->src_shard, src);
    dtx_side_pieces(c->dst, link->dst_shard, dst);
    for (int dim = 0; dim < c->ndim; dim++) {
        const struct dtx_pair *pair =
            dtx_overlap_find(c->overlaps[dim], src[dim], dst[dim]);

        elements *= (uint64_t)(dim == c->split_dim ? link->hi - link->lo
                                                   : pair->length);
    }
    return elements;
}

/* Adds the links of a round to what processes do. */
static void
add_links(struct planned *p, const struct dtx_class *c,
          struct dtx_process_cost *sums)
{
    struct exchange e = exchange_begin(p, c);

    for (int i = 0; i < p->options.process_count; i++) {
        uint64_t *own = c->round > 0 ? &sums[i].passed : &sums[i].kept;

        for (size_t k = 0; k < e.outgoing[i].count; k++) {
            const struct dtx_link *link = &e.outgoing[i].array[k];

            *(link->peer == i ? own : &sums[i].sent) +=
                link_elements(c, link) * c->wire_bytes;
        }
        for (size_t k = 0; k < e.incoming[i].count; k++) {
            const struct dtx_link *link = &e.incoming[i].array[k];

            sums[i].received +=
                link->peer == i ? 0 : link_elements(c, link) * c->wire_bytes;
        }
    }
    exchange_finish(&e);
}

/* The process's sums are those of its links. */
static void
check_sums(struct planned *p, const struct dtx_class *c)
{
    int count = p->options.process_count;
    struct dtx_process_cost *costs = calloc((size_t)count, sizeof *costs);
    struct dtx_process_cost *sums = calloc((size_t)count, sizeof *sums);

    so(dtx_class_add_costs(p->plan, c, 1, costs) == 0);
    for (const struct dtx_class *round = c; round != NULL;
         round = round->next) {
        add_links(p, round, sums);
    }
    for (int i = 0; i < count; i++) {
        so(costs[i].kept == sums[i].kept);
        so(costs[i].passed == sums[i].passed);
        so(costs[i].sent == sums[i].sent);
        so(costs[i].received == sums[i].received);
    }
    free(costs);
    free(sums);
}

/* ---------------------------------------------------------------- shares */

static int
fewest_processes(const struct dtx_side *side)
{
    int fewest = 1000;

    for (int i = 0; i < side->shard_count; i++) {
        int count = side->process_first[i + 1] - side->process_first[i];

        fewest = count < fewest ? count : fewest;
    }
    return fewest;
}

/* Every element of each transfer is in exactly one share, of a holder. */
static void
check_shares(const struct dtx_class *c, int src_shard, int dst_shard)
{
    int receivers =
        c->dst->process_first[dst_shard + 1] - c->dst->process_first[dst_shard];
    int64_t length;

    for (length = 1; length < 40; length += 7) {
        for (int r = 0; r < receivers; r++) {
            int64_t end = 0;

            for (int i = 0; i < dtx_class_share_count(c, src_shard); i++) {
                struct dtx_share share =
                    dtx_class_share(c, src_shard, dst_shard, r, i, length);

                so(share.lo == end && share.hi >= share.lo);
                so(dtx_side_find_use(c->src, share.process, src_shard) != NULL);
                end = share.hi;
            }
            so(end == length);
        }
    }
}

static void
check_all_shares(const struct dtx_class *c)
{
    for (int src = 0; src < c->src->shard_count; src++) {
        for (int dst = 0; dst < c->dst->shard_count; dst++) {
            check_shares(c, src, dst);
        }
    }
}

/* Small tensors aren't worth several senders; here they get some. */
static void
share_out(struct dtx_class *c, struct random *random)
{
    int most = c->relays != NULL ? 5 : fewest_processes(c->src);

    c->share_count = 1 + (int)random_below(random, (uint64_t)most);
    if (c->ndim > 0) {
        c->split_dim = (int)random_below(random, (uint64_t)c->ndim);
    }
    for (struct dtx_class *next = c->next; next != NULL; next = next->next) {
        next->share_count = c->share_count;
        next->split_dim = c->split_dim;
    }
}

static void
check_rounds(struct planned *p, const struct dtx_class *c)
{
    for (const struct dtx_class *round = c; round != NULL;
         round = round->next) {
        check_exchange(p, round);
    }
    check_sums(p, c);
}

static void
check(struct planned *p, struct random *random)
{
    for (int i = 0; i < p->plan->class_count; i++) {
        struct dtx_class *c = p->plan->classes[i];

        check_rounds(p, c);
        share_out(c, random);
        check_all_shares(c);
        check_rounds(p, c);
    }
}

Test(link, both_ends_agree_and_add_up, .timeout = 300)
{
    each_random_plan(200, 16, 16, check);
}
