/*
 * Who measures messages with whom.
 */
#include <criterion/criterion.h>

#include "engine/calibrate/calibrate.h"
#include "transport/thread_transport.h"

enum { PROCESS_MAX = 8 };

/* The places of each process of a job whose processes are on these nodes. */
static void
find_all(int count, const int *nodes, struct calibrate_places *all)
{
    struct dtx_thread_job *job = dtx_thread_job_create(count);
    struct dtx_error err;

    dtx_thread_job_set_nodes(job, nodes);
    for (int p = 0; p < count; p++) {
        struct dtx_transport *t;

        cr_assert_eq(dtx_thread_transport_create(job, p, &t, &err), DTX_OK);
        calibrate_find_places(t, &all[p]);
        dtx_transport_destroy(t);
    }
    dtx_thread_job_destroy(job);
}

/* Whom one sends to is who receives from it. */
static void
check_rings(int count, const int *nodes, const struct calibrate_places *all)
{
    for (int p = 0; p < count; p++) {
        int near = all[p].ring_next;
        int far = all[p].node_next;

        cr_expect_eq(nodes[near], nodes[p]);
        cr_expect_eq(all[near].ring_last, p);
        if (far >= 0 && all[p].node_count > 1) {
            cr_expect_neq(nodes[far], nodes[p]);
            cr_expect_eq(all[far].node_last, p);
        }
    }
}

Test(calibrate, one_process_has_nobody_to_talk_to)
{
    const int nodes[] = {0};
    struct calibrate_places p;

    find_all(1, nodes, &p);
    cr_expect_eq(p.node_count, 1);
    cr_expect_eq(p.near[0], -1);
    cr_expect_eq(p.far[0], -1);
    cr_expect_eq(p.ring_next, 0);
}

Test(calibrate, a_node_is_one_ring)
{
    const int nodes[] = {0, 0, 0};
    struct calibrate_places all[3];

    find_all(3, nodes, all);
    check_rings(3, nodes, all);
    cr_expect_eq(all[2].ring_next, 0);
    cr_expect_eq(all[1].near[0], 0);
    cr_expect_eq(all[1].near[1], 1);
    cr_expect_eq(all[1].far[0], -1);
    cr_expect_eq(all[1].largest, 3);
}

Test(calibrate, nodes_can_be_dealt_out_and_uneven)
{
    const int dealt[] = {0, 1, 2, 0, 1, 2};
    const int uneven[] = {0, 1, 1, 1, 2, 2};
    struct calibrate_places all[PROCESS_MAX];

    find_all(6, dealt, all);
    check_rings(6, dealt, all);
    cr_expect_eq(all[0].node_count, 3);
    cr_expect_eq(all[0].far[1], 1);
    cr_expect_eq(all[0].near[1], 3);
    find_all(6, uneven, all);
    check_rings(6, uneven, all);
    cr_expect_eq(all[0].near[0], 1);
    cr_expect_eq(all[0].largest, 3);
    cr_expect_eq(all[3].node_next, -1); /* no third process there */
}
