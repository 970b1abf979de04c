#include "plan/step/flow.h"

#include "util/alloc.h"
#include "util/sort.h"

int
dtx_flow_message(struct dtx_step_builder *b, struct dtx_flow *flow, int peer)
{
    if (b->peer_message[peer] < 0) {
        if (dtx_grow(&flow->messages, flow->count, &flow->capacity,
                     sizeof *flow->messages) != 0) {
            return -1;
        }
        flow->messages[flow->count] = (struct dtx_message){peer, 0};
        b->peer_message[peer] = (int)flow->count++;
    }
    return b->peer_message[peer];
}

/* A message while a direction's are put in order. */
struct turn {
    int peer;
    int index;
};

static int
compare_turns(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;

    return a->peer < b->peer ? -1 : a->peer > b->peer;
}

/* The messages by the number of their peer; NULL when out of memory. */
static struct turn *
list_turns(const struct dtx_flow *flow)
{
    struct turn *turns = dtx_alloc(flow->count, sizeof *turns);
    size_t i;

    for (i = 0; i < flow->count && turns != NULL; i++) {
        turns[i] = (struct turn){flow->messages[i].peer, (int)i};
    }
    if (turns != NULL) {
        dtx_sort(turns, flow->count, sizeof *turns, compare_turns);
    }
    return turns;
}

/* How many of them come before the one that is first: upwards from the process
 * itself, or downwards. */
static size_t
find_first(const struct dtx_flow *flow, const struct turn *turns, int process)
{
    size_t first = 0;

    while (first < flow->count && turns[first].peer < process) {
        first++;
    }
    if (flow->outgoing ||
        (first < flow->count && turns[first].peer == process)) {
        return first;
    }
    return first + flow->count - 1;
}

int
dtx_flow_rotate(struct dtx_step_builder *b, struct dtx_flow *flow)
{
    struct turn *turns = list_turns(flow);
    struct dtx_message *sorted = dtx_alloc(flow->count, sizeof *sorted);
    size_t count = flow->count, first, i;

    if (turns == NULL || sorted == NULL) {
        dtx_free(turns);
        dtx_free(sorted);
        return -1;
    }
    first = find_first(flow, turns, b->process);
    for (i = 0; i < count; i++) {
        size_t at = flow->outgoing ? first + i : first + count - i;

        sorted[i] = flow->messages[turns[at % count].index];
        b->peer_message[sorted[i].peer] = (int)i;
    }
    for (i = 0; i < flow->regions.slice_count; i++) {
        int *message = &flow->regions.slices[i].message;

        *message = b->peer_message[flow->messages[*message].peer];
    }
    dtx_free(flow->messages);
    flow->messages = sorted;
    dtx_free(turns);
    return 0;
}

void
dtx_flow_forget(struct dtx_step_builder *b, const struct dtx_flow *flow)
{
    size_t i;

    for (i = 0; i < flow->count; i++) {
        b->peer_message[flow->messages[i].peer] = -1;
    }
}

void
dtx_flow_finish(struct dtx_flow *flow)
{
    dtx_free(flow->messages);
    dtx_regions_finish(&flow->regions);
}
