#include "counting.h"

static struct dtx_transport *
inner_of(struct dtx_transport *transport)
{
    return ((struct counting *)(void *)transport)->inner;
}

static enum dtx_status
count_send(struct dtx_transport *transport, int peer, int tag,
           const void *buffer, size_t bytes, int *request_out,
           struct dtx_error *err)
{
    struct dtx_transport *inner = inner_of(transport);

    ((struct counting *)(void *)transport)->message_count++;
    return inner->ops->send(inner, peer, tag, buffer, bytes, request_out, err);
}

static enum dtx_status
pass_receive(struct dtx_transport *transport, int peer, int tag, void *buffer,
             size_t bytes, int *request_out, struct dtx_error *err)
{
    struct dtx_transport *inner = inner_of(transport);

    return inner->ops->receive(inner, peer, tag, buffer, bytes, request_out,
                               err);
}

static enum dtx_status
pass_test(struct dtx_transport *transport, int request, bool *done_out,
          size_t *bytes_out, struct dtx_error *err)
{
    struct dtx_transport *inner = inner_of(transport);

    return inner->ops->test(inner, request, done_out, bytes_out, err);
}

static void
pass_pause(struct dtx_transport *transport, int idle)
{
    inner_of(transport)->ops->pause(inner_of(transport), idle);
}

static enum dtx_status
pass_agree(struct dtx_transport *transport, int64_t value,
           struct dtx_error *err)
{
    return inner_of(transport)->ops->agree(inner_of(transport), value, err);
}

static enum dtx_status
pass_test_agree(struct dtx_transport *transport, bool *done_out,
                int64_t *maximum_out, struct dtx_error *err)
{
    return inner_of(transport)->ops->test_agree(inner_of(transport), done_out,
                                                maximum_out, err);
}

static enum dtx_status
pass_exchange(struct dtx_transport *transport,
              const struct dtx_exchange *exchange, struct dtx_error *err)
{
    return inner_of(transport)->ops->exchange(inner_of(transport), exchange,
                                              err);
}

static enum dtx_status
pass_test_exchange(struct dtx_transport *transport, bool *done_out,
                   struct dtx_error *err)
{
    return inner_of(transport)->ops->test_exchange(inner_of(transport),
                                                   done_out, err);
}

static enum dtx_status
pass_broadcast(struct dtx_transport *transport, int root, void *buffer,
               size_t bytes, struct dtx_error *err)
{
    return inner_of(transport)->ops->broadcast(inner_of(transport), root,
                                               buffer, bytes, err);
}

static enum dtx_status
pass_gather(struct dtx_transport *transport, const void *bytes, size_t count,
            size_t *counts_out, char **all_out, struct dtx_error *err)
{
    return inner_of(transport)->ops->gather(inner_of(transport), bytes, count,
                                            counts_out, all_out, err);
}

static void
leave_alone(struct dtx_transport *transport)
{
    (void)transport;
}

struct counting
count_messages(struct dtx_transport *inner)
{
    return (struct counting){.base = {.process = inner->process,
                                      .process_count = inner->process_count,
                                      .nodes = inner->nodes},
                             .ops = {.receive = pass_receive,
                                     .send = count_send,
                                     .test = pass_test,
                                     .pause = pass_pause,
                                     .agree = pass_agree,
                                     .test_agree = pass_test_agree,
                                     .exchange = pass_exchange,
                                     .test_exchange = pass_test_exchange,
                                     .broadcast = pass_broadcast,
                                     .gather = pass_gather,
                                     .destroy = leave_alone},
                             .inner = inner};
}
