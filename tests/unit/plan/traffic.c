#include "traffic.h"

#include <stdlib.h>
#include <string.h>

#include "traffic_internal.h"

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
