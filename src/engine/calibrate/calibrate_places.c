/*
 * Who is near whom, for messages that are measured.
 */
#include "engine/calibrate/calibrate.h"

/* The k-th process of a node, or -1. */
static int
process_of(const struct dtx_transport *t, int node, int k)
{
    for (int p = 0; p < t->process_count; p++) {
        if (dtx_transport_node(t, p) == node && k-- == 0) {
            return p;
        }
    }
    return -1;
}

static int
count_of(const struct dtx_transport *t, int node)
{
    int count = 0;

    for (int p = 0; p < t->process_count; p++) {
        count += dtx_transport_node(t, p) == node;
    }
    return count;
}

/* How many processes of its node come before a process. */
static int
index_of(const struct dtx_transport *t, int process)
{
    int index = 0;

    for (int p = 0; p < process; p++) {
        index += dtx_transport_node(t, p) == dtx_transport_node(t, process);
    }
    return index;
}

static void
find_pairs(const struct dtx_transport *t, struct calibrate_places *places)
{
    places->near[0] = places->near[1] = -1;
    places->far[0] = places->far[1] = -1;
    if (places->node_count > 1) {
        places->far[0] = 0;
        places->far[1] = process_of(t, 1, 0);
    }
    for (int node = 0; node < places->node_count; node++) {
        int second = process_of(t, node, 1);

        if (second >= 0) {
            places->near[0] = process_of(t, node, 0);
            places->near[1] = second;
            return;
        }
    }
}

void
calibrate_find_places(const struct dtx_transport *transport,
                      struct calibrate_places *places_out)
{
    const struct dtx_transport *t = transport;
    int node = dtx_transport_node(t, t->process);
    int index = index_of(t, t->process);
    int last = count_of(t, node) - 1;
    int node_count = 1;

    *places_out = (struct calibrate_places){.largest = count_of(t, 0)};
    for (int p = 0; p < t->process_count; p++) {
        if (dtx_transport_node(t, p) == node_count) {
            int size = count_of(t, node_count++);

            if (size > places_out->largest) {
                places_out->largest = size;
            }
        }
    }
    places_out->node_count = node_count;
    find_pairs(t, places_out);
    places_out->ring_next = process_of(t, node, index < last ? index + 1 : 0);
    places_out->ring_last = process_of(t, node, index > 0 ? index - 1 : last);
    places_out->node_next = process_of(t, (node + 1) % node_count, index);
    places_out->node_last =
        process_of(t, (node + node_count - 1) % node_count, index);
}
