#include "support/transport_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/settle_claims.h"
#include "util/alloc.h"
#include "util/error.h"

/* Waits for one request; false where it failed. */
static bool
wait_for(struct dtx_transport *t, int request, size_t *bytes_out)
{
    struct dtx_error err;
    bool is_done = false;

    for (int idle = 0; !is_done; idle++) {
        if (t->ops->test(t, request, &is_done, bytes_out, &err) != DTX_OK) {
            return false;
        }
        if (!is_done) {
            t->ops->pause(t, idle);
        }
    }
    return true;
}

static bool
agree_on(struct dtx_transport *t, int64_t value, int64_t *maximum_out)
{
    struct dtx_error err;
    bool is_done = false;

    if (t->ops->agree(t, value, &err) != DTX_OK) {
        return false;
    }
    for (int idle = 0; !is_done; idle++) {
        if (t->ops->test_agree(t, &is_done, maximum_out, &err) != DTX_OK) {
            return false;
        }
        t->ops->pause(t, idle);
    }
    return true;
}

static bool
barrier(struct dtx_transport *t)
{
    int64_t maximum;

    return agree_on(t, 0, &maximum);
}

/* One message of a pattern that all processes know. */
struct message {
    int src;
    int dst;
    int tag;
    size_t bytes;
    size_t room; /* at least as much */
    uint64_t key;
    unsigned char *buffer;
    int request; /* -1: none of this process's */
};

enum { MESSAGE_COUNT = 200 };

static void
fill(unsigned char *buffer, size_t bytes, uint64_t key)
{
    struct random random = {key};

    for (size_t i = 0; i < bytes; i++) {
        buffer[i] = (unsigned char)random_next(&random);
    }
}

static bool
is_filled(const unsigned char *buffer, size_t bytes, uint64_t key)
{
    struct random random = {key};

    for (size_t i = 0; i < bytes; i++) {
        if (buffer[i] != (unsigned char)random_next(&random)) {
            return false;
        }
    }
    return true;
}

static size_t
random_size(struct random *random)
{
    static const uint64_t bounds[] = {1, 2, 100, 20000, 300000};

    return random_below(random, bounds[random_below(random, 5)]);
}

static void
make_pattern(struct message *messages, int process_count, uint64_t seed)
{
    struct random random = {seed};

    for (int i = 0; i < MESSAGE_COUNT; i++) {
        struct message *m = &messages[i];

        m->src = (int)random_below(&random, (uint64_t)process_count);
        m->dst = (int)random_below(&random, (uint64_t)process_count);
        m->tag = (int)random_below(&random, 3);
        m->bytes = random_size(&random);
        m->room = m->bytes + random_size(&random);
        m->key = random_next(&random);
    }
}

/* Starts this process's receives (or sends) in the order of the pattern. */
static const char *
start_side(struct dtx_transport *t, struct message *messages, bool receives)
{
    struct dtx_error err;

    for (int i = 0; i < MESSAGE_COUNT; i++) {
        struct message *m = &messages[i];

        m->request = -1;
        if (receives && m->dst == t->process) {
            m->buffer = calloc(m->room + 1, 1);
            CHECK(t->ops->receive(t, m->src, m->tag, m->buffer, m->room,
                                  &m->request, &err) == DTX_OK);
        } else if (!receives && m->src == t->process) {
            m->buffer = calloc(m->bytes + 1, 1);
            fill(m->buffer, m->bytes, m->key);
            CHECK(t->ops->send(t, m->dst, m->tag, m->buffer, m->bytes,
                               &m->request, &err) == DTX_OK);
        }
    }
    return NULL;
}

/* Waits for all of a side, whichever comes first. */
static const char *
finish_side(struct dtx_transport *t, struct message *messages, bool receives,
            int *open_count_out)
{
    struct dtx_error err;

    for (int i = 0; i < MESSAGE_COUNT; i++) {
        struct message *m = &messages[i];
        bool is_done = false;
        size_t bytes = 0;

        if (m->request < 0) {
            continue;
        }
        CHECK(t->ops->test(t, m->request, &is_done, &bytes, &err) == DTX_OK);
        if (!is_done) {
            (*open_count_out)++;
            continue;
        }
        m->request = -1;
        if (receives) {
            CHECK(bytes == m->bytes);
            CHECK(is_filled(m->buffer, m->bytes, m->key));
            CHECK(m->buffer[m->bytes] == 0);
        }
        free(m->buffer);
    }
    return NULL;
}

static const char *
messages_arrive_whole_and_in_order(struct dtx_transport *t, uint64_t seed)
{
    static _Thread_local struct message sides[2][MESSAGE_COUNT];
    bool receives_first = seed % 2 == 0;
    const char *wrong = NULL;
    int open_count = 1;

    for (int side = 0; side < 2; side++) {
        make_pattern(sides[side], t->process_count, seed);
    }
    for (int side = 0; side < 2 && wrong == NULL; side++) {
        wrong = start_side(t, sides[side], (side == 0) == receives_first);
    }
    for (int idle = 0; open_count > 0 && wrong == NULL; idle++) {
        open_count = 0;
        for (int side = 0; side < 2 && wrong == NULL; side++) {
            wrong = finish_side(t, sides[side], (side == 0) == receives_first,
                                &open_count);
        }
        t->ops->pause(t, idle);
    }
    return wrong;
}

static const char *
random_messages_arrive(struct dtx_transport *t)
{
    const char *wrong = NULL;

    for (uint64_t seed = 1; seed <= 6 && wrong == NULL; seed++) {
        wrong = messages_arrive_whole_and_in_order(t, seed);
    }
    return wrong;
}

static const char *
shorter_messages_say_their_length(struct dtx_transport *t)
{
    static const size_t lengths[] = {0, 1, 99, 100};
    int next = (t->process + 1) % t->process_count;
    int last = (t->process + t->process_count - 1) % t->process_count;
    struct dtx_error err;
    char in[100];
    char out[100] = {0};
    int requests[2];
    size_t bytes;

    for (int i = 0; i < 4; i++) {
        CHECK(t->ops->receive(t, last, 7, in, 100, &requests[0], &err) ==
              DTX_OK);
        CHECK(t->ops->send(t, next, 7, out, lengths[i], &requests[1], &err) ==
              DTX_OK);
        CHECK(wait_for(t, requests[0], &bytes) && bytes == lengths[i]);
        CHECK(wait_for(t, requests[1], &bytes) && bytes == 0);
    }
    return NULL;
}

static const char *
longer_messages_are_refused(struct dtx_transport *t)
{
    static _Thread_local char in[100000];
    static _Thread_local char out[100000];
    int next = (t->process + 1) % t->process_count;
    int last = (t->process + t->process_count - 1) % t->process_count;
    struct dtx_error err = {0};
    int requests[2];
    size_t bytes;

    CHECK(t->ops->receive(t, last, 1, in, 10, &requests[0], &err) == DTX_OK);
    CHECK(t->ops->send(t, next, 1, out, 1000, &requests[1], &err) == DTX_OK);
    CHECK(!wait_for(t, requests[0], &bytes));
    CHECK(wait_for(t, requests[1], &bytes));
    CHECK(barrier(t));
    return shorter_messages_say_their_length(t);
}

static const char *
finished_requests_are_reused(struct dtx_transport *t)
{
    struct dtx_error err;
    char in = 0;
    char out = 1;
    int requests[2];
    size_t bytes;

    for (int i = 0; i < 1000; i++) {
        CHECK(t->ops->receive(t, t->process, 0, &in, 1, &requests[0], &err) ==
              DTX_OK);
        CHECK(t->ops->send(t, t->process, 0, &out, 1, &requests[1], &err) ==
              DTX_OK);
        CHECK(requests[0] >= 0 && requests[0] < 1000);
        CHECK(requests[1] >= 0 && requests[1] < 1000);
        CHECK(wait_for(t, requests[0], &bytes) && bytes == 1);
        CHECK(wait_for(t, requests[1], &bytes));
    }
    return NULL;
}

static const char *
agreement_is_the_maximum(struct dtx_transport *t)
{
    int64_t maximum;

    for (int64_t round = 0; round < 300; round++) {
        int64_t value = (t->process + round) % t->process_count;

        CHECK(agree_on(t, value * (INT64_MAX / 64), &maximum));
        CHECK(maximum == (t->process_count - 1) * (INT64_MAX / 64));
    }
    CHECK(agree_on(t, INT64_MIN + t->process, &maximum));
    CHECK(maximum == INT64_MIN + t->process_count - 1);
    return NULL;
}

static const char *
agreement_lets_messages_pass(struct dtx_transport *t)
{
    struct dtx_error err;
    bool is_done = false;
    int64_t maximum = -1;
    const char *wrong;

    CHECK(t->ops->agree(t, t->process, &err) == DTX_OK);
    wrong = messages_arrive_whole_and_in_order(t, 17);
    for (int idle = 0; !is_done; idle++) {
        CHECK(t->ops->test_agree(t, &is_done, &maximum, &err) == DTX_OK);
        t->ops->pause(t, idle);
    }
    CHECK(maximum == t->process_count - 1);
    return wrong;
}

static const char *
broadcast_reaches_all(struct dtx_transport *t)
{
    static const size_t sizes[] = {0, 1, 1000, 1000003};
    struct dtx_error err;

    for (int i = 0; i < 4 * t->process_count; i++) {
        size_t bytes = sizes[i % 4];
        int root = i / 4;
        unsigned char *buffer = calloc(bytes + 1, 1);

        if (t->process == root) {
            fill(buffer, bytes, (uint64_t)i);
        }
        CHECK(t->ops->broadcast(t, root, buffer, bytes, &err) == DTX_OK);
        CHECK(is_filled(buffer, bytes, (uint64_t)i));
        free(buffer);
    }
    return NULL;
}

static size_t
gathered_size(int process, int round)
{
    return (size_t)((process * 7919 + round * 104729) % 3000) *
           (size_t)((process + round) % 3);
}

static const char *
gather_keeps_process_order(struct dtx_transport *t)
{
    static _Thread_local unsigned char mine[6000];
    size_t *counts = calloc((size_t)t->process_count, sizeof(*counts));
    struct dtx_error err;

    for (int round = 0; round < 10; round++) {
        size_t count = gathered_size(t->process, round);
        size_t at = 0;
        char *all;

        fill(mine, count, (uint64_t)t->process);
        CHECK(t->ops->gather(t, mine, count, round % 2 ? NULL : counts, &all,
                             &err) == DTX_OK);
        for (int p = 0; p < t->process_count; p++) {
            size_t expected = gathered_size(p, round);

            CHECK(round % 2 || counts[p] == expected);
            CHECK(is_filled((unsigned char *)all + at, expected, (uint64_t)p));
            at += expected;
        }
        dtx_free(all);
    }
    free(counts);
    return NULL;
}

const char *
huge_message_arrives(struct dtx_transport *t, size_t bytes)
{
    bool is_first = t->process == 0;
    bool is_last = t->process == t->process_count - 1;
    unsigned char *buffer = NULL;
    struct dtx_error err;
    int request;
    size_t came;

    if (t->process_count > 1 && (is_first || is_last)) {
        buffer = malloc(bytes);
        CHECK(buffer != NULL);
        memset(buffer, is_first, bytes);
    }
    if (t->process_count > 1 && is_first) {
        fill(buffer + bytes - 100, 100, 5);
        CHECK(t->ops->send(t, t->process_count - 1, 0, buffer, bytes, &request,
                           &err) == DTX_OK);
        CHECK(wait_for(t, request, &came));
    }
    if (t->process_count > 1 && is_last) {
        CHECK(t->ops->receive(t, 0, 0, buffer, bytes, &request, &err) ==
              DTX_OK);
        CHECK(wait_for(t, request, &came) && came == bytes);
        CHECK(is_filled(buffer + bytes - 100, 100, 5));
        for (size_t i = 0; i < bytes - 100; i += 4093) {
            CHECK(buffer[i] == 1);
        }
    }
    free(buffer);
    return NULL;
}

/* Everyone numbers the nodes alike, each one at its first process. */
static const char *
nodes_are_numbered_in_order(struct dtx_transport *t)
{
    struct dtx_error err;
    int process_count = dtx_transport_process_count(t);
    int count = 0;

    for (int p = 0; p < process_count; p++) {
        int node = dtx_transport_node(t, p);
        int64_t largest, negated;

        CHECK(node >= 0 && node <= count);
        count += node == count;
        CHECK(dtx_transport_maximum(t, node, &largest, &err) == DTX_OK);
        CHECK(dtx_transport_maximum(t, -node, &negated, &err) == DTX_OK);
        CHECK(largest == node && negated == -node);
    }
    return NULL;
}

/* ---------------------------------------------------------------- exchange */

enum { EXCHANGE_PROCESSES = 64, EXCHANGE_BYTES = 1 << 21 };

/* What goes from one process to another in a round; the same on both. */
static size_t
exchanged(int round, int src, int dst)
{
    static const size_t sizes[] = {0, 1, 17, 4096, 30000};

    return src == dst ? 0 : sizes[(round + 3 * src + dst) % 5];
}

static const char *
exchange_round(struct dtx_transport *t, int round)
{
    static _Thread_local unsigned char out[EXCHANGE_BYTES], in[EXCHANGE_BYTES];
    size_t numbers[4][EXCHANGE_PROCESSES];
    struct dtx_exchange exchange = {(char *)out, numbers[0], numbers[1],
                                    (char *)in,  numbers[2], numbers[3]};
    struct dtx_error err;
    bool is_done = false;
    size_t sent = 0, received = 0;

    for (int p = 0; p < t->process_count; p++) {
        numbers[0][p] = exchanged(round, t->process, p);
        numbers[1][p] = sent;
        numbers[2][p] = exchanged(round, p, t->process);
        numbers[3][p] = received;
        memset(out + sent, 16 * t->process + p + round, numbers[0][p]);
        sent += numbers[0][p];
        received += numbers[2][p];
    }
    CHECK(t->ops->exchange(t, &exchange, &err) == DTX_OK);
    for (int idle = 0; !is_done; idle++) {
        CHECK(t->ops->test_exchange(t, &is_done, &err) == DTX_OK);
        t->ops->pause(t, idle);
    }
    for (int p = 0; p < t->process_count; p++) {
        for (size_t i = 0; i < numbers[2][p]; i++) {
            CHECK(in[numbers[3][p] + i] ==
                  (unsigned char)(16 * p + t->process + round));
        }
    }
    return NULL;
}

static const char *
exchanges_bring_all_their_own(struct dtx_transport *t)
{
    const char *wrong = NULL;

    CHECK(t->process_count <= EXCHANGE_PROCESSES);
    for (int round = 0; round < 10 && wrong == NULL; round++) {
        wrong = exchange_round(t, round);
    }
    return wrong;
}

const struct transport_claim transport_claims[] = {
    {"random messages arrive", random_messages_arrive},
    {"shorter messages say their length", shorter_messages_say_their_length},
    {"longer messages are refused", longer_messages_are_refused},
    {"finished requests are reused", finished_requests_are_reused},
    {"agreement is the maximum", agreement_is_the_maximum},
    {"agreement lets messages pass", agreement_lets_messages_pass},
    {"broadcast reaches all", broadcast_reaches_all},
    {"gather keeps process order", gather_keeps_process_order},
    {"exchanges bring all their own", exchanges_bring_all_their_own},
    {"settling success is success", settling_success_is_success},
    {"settling tells the lowest failure", settling_tells_the_lowest_failure},
    {"settling a failure of all has no place",
     settling_a_failure_of_all_has_no_place},
    {"nodes are numbered in order", nodes_are_numbered_in_order},
};

const int transport_claim_count =
    sizeof(transport_claims) / sizeof(transport_claims[0]);
