#include "traffic.h"

#include <stdlib.h>
#include <string.h>

#include "plan/step/step.h"
#include "support/claim.h"
#include "support/random.h"

/* What one process sends another in a step, or gets: its bytes and the number
 * of what it holds. */
struct packet {
    int peer;
    uint64_t bytes;
    uint64_t number;
    bool is_cut; /* not all that it holds is taken */
};

/* A box that a process keeps. */
struct kept {
    uint64_t number;
    size_t offset, bytes;
    int64_t step; /* in which it came */
};

struct station {
    int process;
    struct packet *sends, *receives;
    int send_count, receive_count;
    int send_first, receive_first;   /* all before are done */
    int send_posted, receive_posted; /* all before are open or done */
    int send_open, receive_open;
    bool *send_done, *receive_done;
    struct kept *kept; /* by number */
    size_t kept_count;
    struct kept *next_kept; /* of this step */
    size_t next_count, next_capacity;
    int64_t step;
    uint64_t arrived; /* the number of all that was written */
};

struct network {
    const struct dtx_plan *plan;
    struct station *stations; /* [process_count] */
    struct random random;
    struct traffic traffic;
};

/* ---------------------------------------------------------------- numbers */

static uint64_t
mixed(uint64_t a, uint64_t b)
{
    struct random r = {a * 0x9E3779B97F4A7C15u + b};

    return random_next(&r);
}

/* The number of an index of a dim, and the sum over those before. */
static uint64_t
sum_before(int tensor, int dim, int64_t index)
{
    /* A polynomial: no box has the sum of others by chance. */
    uint64_t key = mixed((uint64_t)tensor + 1, (uint64_t)dim + 1) | 1;
    uint64_t x = (uint64_t)index;

    return x * key + x * (x * x + key) * mixed(key, 1) +
           x * x * x * x * x * mixed(key, 2);
}

/* Boxes that put together are a larger one have numbers whose sum is its. */
static uint64_t
box_number(int tensor, int ndim, const int64_t *lo, const int64_t *len)
{
    uint64_t number = mixed((uint64_t)tensor + 1, 0);

    for (int dim = 0; dim < ndim; dim++) {
        number *= sum_before(tensor, dim, lo[dim] + len[dim]) -
                  sum_before(tensor, dim, lo[dim]);
    }
    return number;
}

/* The number of a slice, and where it stands in its message. */
static uint64_t
placed_number(const struct dtx_slice *slice, int tensor, int ndim)
{
    return mixed(box_number(tensor, ndim, slice->global, slice->len),
                 slice->offset);
}

/* ---------------------------------------------------------------- what is kept
 */

static int
compare_kept(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int
compare_offsets(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* 0 where boxes of which none overlap have a byte in common. */
static int
compare_places(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->offset + a->bytes <= b->offset   ? -1
           : b->offset + b->bytes <= a->offset ? 1
                                               : 0;
}

static uint64_t
region_bytes(const struct dtx_plan *plan, const struct dtx_region *r)
{
    const struct dtx_tensor *t = &plan->tensors[r->tensor];
    uint64_t bytes = plan->classes[t->class_index]->wire_bytes;

    for (int dim = 0; dim < t->ndim; dim++) {
        bytes *= (uint64_t)r->len[dim];
    }
    return bytes;
}

static void
keep(const struct network *n, struct station *s, const struct dtx_region *r,
     const struct dtx_slice *slice)
{
    int ndim = n->plan->tensors[r->tensor].ndim;

    claim(r->kept_offset + region_bytes(n->plan, r) <=
              dtx_schedule_store_bytes(n->plan->schedule, UINT64_MAX),
          "process %d keeps more than it may", s->process);
    if (s->next_count == s->next_capacity) {
        s->next_capacity = 2 * s->next_capacity + 16;
        s->next_kept =
            realloc(s->next_kept, s->next_capacity * sizeof *s->next_kept);
    }
    s->next_kept[s->next_count++] =
        (struct kept){box_number(r->tensor, ndim, slice->global, slice->len),
                      r->kept_offset, region_bytes(n->plan, r), s->step};
}

/* A step is read while the one before it travels, unless it follows it. */
static void
check_kept(const struct network *n, const struct station *s,
           const struct dtx_step *step, const struct dtx_region *r,
           const struct dtx_slice *slice)
{
    struct kept wanted = {.number = box_number(r->tensor,
                                               n->plan->tensors[r->tensor].ndim,
                                               slice->global, slice->len),
                          .offset = r->kept_offset};
    const struct kept *found = s->kept_count > 0
                                   ? bsearch(&wanted, s->kept, s->kept_count,
                                             sizeof wanted, compare_kept)
                                   : NULL;

    claim(found != NULL, "process %d passes on what hasn't come", s->process);
    claim(found->step < s->step - !step->follows,
          "process %d passes on what is still on its way", s->process);
}

/* ---------------------------------------------------------------- steps */

static void
take_reads(const struct network *n, struct station *s,
           const struct dtx_step *step)
{
    for (int i = 0; i < step->read_count; i++) {
        const struct dtx_region *r = &step->reads[i];

        claim(r->kept_shape != NULL ||
                  n->plan->src_process[r->positions[0]] == s->process,
              "process %d reads what another one holds", s->process);
        for (int k = 0; k < r->slice_count; k++) {
            const struct dtx_slice *slice =
                &step->read_slices[r->slice_first + k];

            if (r->kept_shape != NULL) {
                check_kept(n, s, step, r, slice);
            }
            s->sends[slice->message].number += placed_number(
                slice, r->tensor, n->plan->tensors[r->tensor].ndim);
        }
    }
}

static void
take_writes(const struct network *n, struct station *s,
            const struct dtx_step *step)
{
    for (int i = 0; i < step->write_count; i++) {
        const struct dtx_region *r = &step->writes[i];
        int ndim = n->plan->tensors[r->tensor].ndim;

        for (int k = 0; k < r->slice_count; k++) {
            const struct dtx_slice *slice =
                &step->write_slices[r->slice_first + k];

            s->receives[slice->message].number +=
                placed_number(slice, r->tensor, ndim);
            if (r->kept_shape != NULL) {
                keep(n, s, r, slice);
            }
            for (int d = 0; d < r->position_count; d++) {
                s->arrived +=
                    mixed((uint64_t)r->positions[d], 7) *
                    box_number(r->tensor, ndim, slice->global, slice->len);
            }
        }
    }
}

static struct packet *
packets(const struct dtx_message *messages, int count)
{
    struct packet *list = calloc((size_t)count + 1, sizeof *list);

    for (int i = 0; i < count; i++) {
        list[i] =
            (struct packet){messages[i].peer, messages[i].bytes, 0, false};
    }
    return list;
}

/* Takes a built step in. */
static void
take_step(struct network *n, struct station *s, const struct dtx_step *step)
{
    claim(step->kept + step->passed + step->sent + step->received <=
              n->plan->schedule->step_bytes,
          "process %d has more in a step than it may", s->process);
    s->send_count = step->send_count;
    s->receive_count = step->receive_count;
    s->sends = packets(step->sends, step->send_count);
    s->receives = packets(step->receives, step->receive_count);
    s->send_done = calloc((size_t)step->send_count + 1, sizeof(bool));
    s->receive_done = calloc((size_t)step->receive_count + 1, sizeof(bool));
    s->send_first = s->send_posted = s->send_open = 0;
    s->receive_first = s->receive_posted = s->receive_open = 0;
    take_reads(n, s, step);
    take_writes(n, s, step);
    for (int i = 0; i < step->receive_count; i++) {
        s->receives[i].is_cut =
            n->plan->options.strategy == DTX_STRATEGY_MATERIALIZE;
    }
    if (step->receive_count > n->traffic.most_links) {
        n->traffic.most_links = step->receive_count;
    }
}

/* Takes away what is written over by what came in this step. */
static void
overwrite_kept(struct station *s)
{
    size_t left = 0;

    qsort(s->next_kept, s->next_count, sizeof *s->next_kept, compare_offsets);
    for (size_t i = 1; i < s->next_count; i++) {
        claim(compare_places(&s->next_kept[i - 1], &s->next_kept[i]) < 0,
              "process %d keeps two boxes in one place", s->process);
    }
    for (size_t i = 0; i < s->kept_count; i++) {
        if (bsearch(&s->kept[i], s->next_kept, s->next_count, sizeof *s->kept,
                    compare_places) == NULL) {
            s->kept[left++] = s->kept[i];
        }
    }
    s->kept_count = left;
}

/* What came in this step is there for others, in place of what was there. */
static void
end_step(struct station *s)
{
    if (s->next_count > 0) {
        overwrite_kept(s);
        s->kept =
            realloc(s->kept, (s->kept_count + s->next_count) * sizeof *s->kept);
        memcpy(s->kept + s->kept_count, s->next_kept,
               s->next_count * sizeof *s->kept);
        s->kept_count += s->next_count;
        s->next_count = 0;
        qsort(s->kept, s->kept_count, sizeof *s->kept, compare_kept);
    }
    s->step++;
    free(s->sends);
    free(s->receives);
    free(s->send_done);
    free(s->receive_done);
}

/* ---------------------------------------------------------------- links */

/* Opens messages until so many are open as may be. */
static void
open_messages(struct network *n, struct station *s)
{
    while (s->send_first < s->send_posted && s->send_done[s->send_first]) {
        s->send_first++;
    }
    while (s->receive_first < s->receive_posted &&
           s->receive_done[s->receive_first]) {
        s->receive_first++;
    }
    while (s->send_open < DTX_STEP_PEERS_MOST &&
           s->send_posted < s->send_count) {
        s->send_open++;
        s->send_posted++;
    }
    while (s->receive_open < DTX_STEP_PEERS_MOST &&
           s->receive_posted < s->receive_count) {
        s->receive_open++;
        s->receive_posted++;
    }
    if (s->receive_open > n->traffic.most_peers) {
        n->traffic.most_peers = s->receive_open;
    }
}

/* The open receive that meets a send, or -1. */
static int
find_receive(const struct network *n, const struct station *from,
             const struct packet *packet)
{
    const struct station *to = &n->stations[packet->peer];

    for (int i = to->receive_first; i < to->receive_posted; i++) {
        if (to->receives[i].peer == from->process && !to->receive_done[i]) {
            return i;
        }
    }
    return -1;
}

/* Moves some of the open messages of a process; returns how many. */
static int64_t
move_messages(struct network *n, struct station *s)
{
    int64_t moved = 0;

    for (int i = s->send_first; i < s->send_posted; i++) {
        const struct packet *packet = &s->sends[i];
        int r;

        if (s->send_done[i] || random_below(&n->random, 4) == 0) {
            continue; /* this link is slow */
        }
        r = find_receive(n, s, packet);
        if (r >= 0) {
            struct station *to = &n->stations[packet->peer];

            claim(to->receives[r].bytes == packet->bytes &&
                      (to->receives[r].is_cut ||
                       to->receives[r].number == packet->number),
                  "what process %d sends isn't what %d waits for", s->process,
                  to->process);
            s->send_done[i] = to->receive_done[r] = true;
            s->send_open--;
            to->receive_open--;
            moved++;
        }
    }
    return moved;
}

/* Moves all messages of a step; those that are left when nothing has moved
 * for long never will. */
static void
move_all(struct network *n)
{
    int64_t left = 0, busiest = 0;
    int idle = 0, count = n->plan->options.process_count;

    for (int p = 0; p < count; p++) {
        const struct station *s = &n->stations[p];

        left += s->send_count;
        busiest = s->send_count > busiest ? s->send_count : busiest;
        busiest = s->receive_count > busiest ? s->receive_count : busiest;
    }
    n->traffic.messages += left;
    n->traffic.rounds_at_least +=
        (busiest + DTX_STEP_PEERS_MOST - 1) / DTX_STEP_PEERS_MOST;
    while (left > 0) {
        int64_t moved = 0;

        for (int p = 0; p < count; p++) {
            open_messages(n, &n->stations[p]);
        }
        for (int p = 0; p < count; p++) {
            moved += move_messages(n, &n->stations[p]);
        }
        idle = moved > 0 ? 0 : idle + 1;
        claim(idle < 100, "%lld messages wait for each other", (long long)left);
        left -= moved;
        n->traffic.rounds++;
    }
    for (int p = 0; p < count; p++) {
        claim(n->stations[p].receive_open == 0 &&
                  n->stations[p].receive_posted == n->stations[p].receive_count,
              "process %d waits for what nobody sends", p);
    }
}

/* ---------------------------------------------------------------- arrivals */

/* The number of a shard's elements, put together from its tiles. */
static uint64_t
shard_number(const struct dtx_side *side, int tensor, int shard)
{
    int pieces[DTX_NDIM_MAX];
    uint64_t number = mixed((uint64_t)tensor + 1, 0);

    dtx_side_pieces(side, shard, pieces);
    for (int dim = 0; dim < side->tiling->ndim; dim++) {
        const struct dtx_tiling_dim *d = &side->tiling->dims[dim];
        uint64_t sum = 0;

        for (int i = d->piece_first[pieces[dim]];
             i < d->piece_first[pieces[dim] + 1]; i++) {
            const struct dtx_tile *tile = &d->tiles[d->piece_tiles[i]];

            sum += sum_before(tensor, dim, tile->hi) -
                   sum_before(tensor, dim, tile->lo);
        }
        number *= sum;
    }
    return number;
}

static void
check_arrivals(const struct network *n)
{
    const struct dtx_plan *plan = n->plan;
    size_t count = (size_t)plan->options.process_count;
    uint64_t *wanted = calloc(count, sizeof *wanted);

    for (int i = 0; i < plan->tensor_count; i++) {
        const struct dtx_side *side =
            plan->classes[plan->tensors[i].class_index]->final;

        for (int k = 0; k < side->position_count; k++) {
            int position = side->positions[k];

            if (dtx_plan_writes(plan, side, position)) {
                wanted[plan->dst_process[position]] +=
                    mixed((uint64_t)position, 7) *
                    shard_number(side, i, dtx_side_shard(side, position));
            }
        }
    }
    for (size_t p = 0; p < count; p++) {
        claim(n->stations[p].arrived == wanted[p],
              "process %zu hasn't got every element just once", p);
    }
    free(wanted);
}

/* ---------------------------------------------------------------- running */

/* The link that a process is at. */
static int
link_of(const struct dtx_plan *plan, int process)
{
    return plan->nodes != NULL ? plan->nodes[process] : process;
}

static uint64_t
busiest_link(const struct network *n)
{
    int count = n->plan->options.process_count;
    uint64_t *sent = calloc((size_t)count, sizeof *sent);
    uint64_t *got = calloc((size_t)count, sizeof *got);
    uint64_t most = 0;

    for (int p = 0; p < count; p++) {
        const struct station *s = &n->stations[p];
        int from = link_of(n->plan, p);

        for (int i = 0; i < s->send_count; i++) {
            int to = link_of(n->plan, s->sends[i].peer);

            sent[from] += from != to ? s->sends[i].bytes : 0;
            got[to] += from != to ? s->sends[i].bytes : 0;
        }
    }
    for (int p = 0; p < count; p++) {
        most = sent[p] > most ? sent[p] : most;
        most = got[p] > most ? got[p] : most;
    }
    free(sent);
    free(got);
    return most;
}

struct traffic
traffic_run(const struct dtx_plan *plan, uint64_t seed)
{
    int count = plan->options.process_count;
    struct network n = {.plan = plan, .random = {seed}};
    struct dtx_step_builder *builders = calloc((size_t)count, sizeof *builders);
    struct dtx_step step = {0};
    struct dtx_error err = {0};

    n.stations = calloc((size_t)count, sizeof *n.stations);
    for (int p = 0; p < count; p++) {
        n.stations[p].process = p;
        claim(dtx_step_builder_init(&builders[p], plan, p, &err) == DTX_OK,
              "%s", err.message);
    }
    for (int64_t i = 0; i < plan->schedule->step_count; i++) {
        for (int p = 0; p < count; p++) {
            claim(dtx_step_build(&builders[p], i, &step, &err) == DTX_OK, "%s",
                  err.message);
            take_step(&n, &n.stations[p], &step);
        }
        n.traffic.busiest_bytes += busiest_link(&n);
        move_all(&n);
        for (int p = 0; p < count; p++) {
            end_step(&n.stations[p]);
        }
    }
    check_arrivals(&n);
    for (int p = 0; p < count; p++) {
        dtx_step_builder_finish(&builders[p]);
        free(n.stations[p].kept);
        free(n.stations[p].next_kept);
    }
    dtx_step_finish(&step);
    free(builders);
    free(n.stations);
    return n.traffic;
}
