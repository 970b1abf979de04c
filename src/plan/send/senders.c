#include "plan/send/senders.h"

#include "plan/send/sender_groups.h"
#include "util/math.h"

static int
node_of(const struct dtx_senders *s, int process)
{
    return s->nodes != NULL ? s->nodes[process] : 0;
}

/* The node of the holder at a place of `order`, in a shard that begins at
 * first. */
static int
holder_node(const struct dtx_class *c, int first, int at)
{
    return node_of(c->senders,
                   c->src->processes[first + c->senders->order[at]]);
}

/* The holders on a node; empty where there are none. */
static struct dtx_senders_group
holders_on(const struct dtx_class *c, int shard, int node)
{
    struct dtx_senders_group all = dtx_senders_all(c, shard);
    struct dtx_senders_group found;
    int lo = all.first, hi = all.end;

    if (c->senders->nodes == NULL) {
        return all;
    }
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;

        if (holder_node(c, all.first, middle) < node) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    found.first = found.end = lo;
    while (found.end < all.end &&
           holder_node(c, all.first, found.end) == node) {
        found.end++;
    }
    return found;
}

struct dtx_senders_group
dtx_senders_beside(const struct dtx_class *c, int shard, int at)
{
    return holders_on(c, shard,
                      holder_node(c, c->src->process_first[shard], at));
}

struct dtx_senders_group
dtx_senders_for(const struct dtx_class *c, int shard, int receiver,
                bool *near_out)
{
    struct dtx_senders_group g =
        holders_on(c, shard, node_of(c->senders, receiver));

    *near_out = g.first < g.end;
    return *near_out ? g : dtx_senders_all(c, shard);
}

int64_t
dtx_senders_place(const struct dtx_class *c, int dst_shard, int receiver,
                  int share)
{
    return ((int64_t)c->dst->process_first[dst_shard] + receiver) *
               c->share_count +
           share;
}

/* The place of `order`, in a group, whose piece has a place of the line: the
 * first that ends behind it. Where `last` or the one after it has it, as it is
 * where places are asked for in turn, that is found at once. */
static int
find_piece(struct dtx_senders_group g, const int64_t *ends, int64_t place,
           int last)
{
    int lo = g.first, hi = g.end - 1;

    for (int i = last; i <= last + 1; i++) {
        if (i >= lo && i <= hi && (i == hi || place < ends[i]) &&
            (i == lo || ends[i - 1] <= place)) {
            return i;
        }
    }
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;

        if (ends[middle] <= place) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

int
dtx_senders_next(const struct dtx_class *c, int src_shard, int dst_shard,
                 int receiver, int share, int *last, int *count_out)
{
    const struct dtx_senders *s = c->senders;
    int process =
        c->dst->processes[c->dst->process_first[dst_shard] + receiver];
    struct dtx_senders_group g = dtx_senders_all(c, src_shard);
    int64_t place, count = c->share_count - share;
    const int64_t *ends;
    bool is_near;

    if (s == NULL) { /* of rounds, told from end to end: nobody is chosen */
        *count_out = 1;
        return share % (g.end - g.first);
    }
    g = dtx_senders_for(c, src_shard, process, &is_near);
    ends = is_near ? s->near_ends : s->far_ends;
    place = dtx_senders_place(c, dst_shard, receiver, share);
    *last = find_piece(g, ends, place, *last);
    if (*last < g.end - 1) {
        count = dtx_min(count, ends[*last] - place);
    }
    *count_out = (int)count;
    return s->order[*last];
}

int
dtx_senders_find(const struct dtx_class *c, int src_shard, int dst_shard,
                 int receiver, int share)
{
    int last = -1, count;

    return dtx_senders_next(c, src_shard, dst_shard, receiver, share, &last,
                            &count);
}
