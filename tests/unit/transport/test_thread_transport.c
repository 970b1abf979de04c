#include <criterion/criterion.h>

#include "run_threads.h"
#include "transport/thread_transport.h"
#include "util/alloc.h"

static const int process_counts[] = {1, 2, 3, 4, 8};

/* Each promise of the seam, with each number of processes. */
Test(thread_transport, keeps_what_every_transport_promises, .timeout = 60)
{
    for (int i = 0; i < transport_claim_count; i++) {
        for (int k = 0; k < 5; k++) {
            cr_expect(holds_on_threads(&transport_claims[i], process_counts[k]),
                      "%s, with %d processes", transport_claims[i].name,
                      process_counts[k]);
        }
    }
}

Test(thread_transport, knows_no_other_processes)
{
    struct dtx_thread_job *job = dtx_thread_job_create(2);
    struct dtx_transport *t;
    struct dtx_error err;
    int request;

    cr_assert_eq(dtx_thread_transport_create(job, 1, &t, &err), DTX_OK);
    cr_expect_eq(dtx_transport_process(t), 1);
    cr_expect_eq(dtx_transport_process_count(t), 2);
    cr_expect_eq(t->ops->send(t, 2, 0, "", 0, &request, &err), DTX_ERR_COMM);
    cr_expect_eq(t->ops->receive(t, -1, 0, NULL, 0, &request, &err),
                 DTX_ERR_COMM);
    dtx_transport_destroy(t);
    dtx_thread_job_destroy(job);
}

Test(thread_transport, can_play_several_nodes)
{
    const int nodes[] = {0, 1, 0};
    struct dtx_thread_job *job = dtx_thread_job_create(3);
    struct dtx_transport *t;
    struct dtx_error err;

    cr_assert_eq(dtx_thread_transport_create(job, 2, &t, &err), DTX_OK);
    cr_expect_eq(dtx_transport_node(t, 1), 0);
    dtx_thread_job_set_nodes(job, nodes);
    for (int p = 0; p < 3; p++) {
        cr_expect_eq(dtx_transport_node(t, p), nodes[p]);
    }
    dtx_transport_destroy(t);
    dtx_thread_job_destroy(job);
}

/* A send that nobody receives isn't done: nothing leans on buffering. */
Test(thread_transport, buffers_nothing)
{
    struct dtx_transport *t;
    struct dtx_error err;
    int send;
    int receive;
    bool is_done = true;
    size_t bytes;
    char in = 0;

    cr_assert_eq(dtx_transport_create_self(&t, &err), DTX_OK);
    cr_assert_eq(t->ops->send(t, 0, 3, "x", 1, &send, &err), DTX_OK);
    cr_assert_eq(t->ops->test(t, send, &is_done, &bytes, &err), DTX_OK);
    cr_expect_not(is_done);
    cr_assert_eq(t->ops->receive(t, 0, 3, &in, 1, &receive, &err), DTX_OK);
    cr_assert_eq(t->ops->test(t, send, &is_done, &bytes, &err), DTX_OK);
    cr_expect(is_done);
    cr_assert_eq(t->ops->test(t, receive, &is_done, &bytes, &err), DTX_OK);
    cr_expect(is_done);
    cr_expect_eq(bytes, 1);
    cr_expect_eq(in, 'x');
    dtx_transport_destroy(t);
}

Test(self_transport, is_a_job_of_one_process)
{
    struct dtx_transport *t;
    struct dtx_error err;

    cr_assert_eq(dtx_transport_create_self(&t, &err), DTX_OK);
    cr_expect_eq(dtx_transport_process(t), 0);
    cr_expect_eq(dtx_transport_process_count(t), 1);
    for (int i = 0; i < transport_claim_count; i++) {
        cr_expect_null(transport_claims[i].check(t), "%s",
                       transport_claims[i].name);
    }
    dtx_transport_destroy(t);
}

static enum dtx_status
create_and_use(struct dtx_error *err)
{
    struct dtx_transport *t;
    enum dtx_status status = dtx_transport_create_self(&t, err);
    char *all;
    int request;

    if (status != DTX_OK) {
        return status;
    }
    status = t->ops->send(t, 0, 0, "x", 1, &request, err);
    if (status == DTX_OK) {
        status = t->ops->gather(t, "abc", 3, NULL, &all, err);
    }
    if (status == DTX_OK) {
        dtx_free(all);
    }
    dtx_transport_destroy(t);
    return status;
}

Test(self_transport, reports_every_lack_of_memory)
{
    struct dtx_error err;
    int failure_count = 0;
    enum dtx_status status;

    for (int k = 0;; k++) {
        dtx_alloc_fail_after(k);
        status = create_and_use(&err);
        dtx_alloc_fail_after(-1);
        if (status == DTX_OK) {
            break;
        }
        cr_assert_eq(status, DTX_ERR_LIMIT);
        failure_count++;
    }
    cr_expect_eq(failure_count, 7);
}

Test(transport, destroying_none_is_fine)
{
    dtx_transport_destroy(NULL);
}
