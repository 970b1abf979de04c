/* Guards whose answers are none. */
#include <criterion/criterion.h>
#include <string.h>

#include "guard_case.h"
#include "support/random.h"

static char body[4096];

/* A live guard, which takes the next request as well. */
static bool
nonsense_is_refused(const struct guard_case *c)
{
    struct guard_reply reply;

    case_begin(0);
    reply = case_ask(c->request);
    if (!case_is_given_up(c, &reply)) {
        return false;
    }
    reply = case_ask(GUARD_SCAN);
    return case_is_given_up(c, &reply);
}

/* The answer is in order; what comes after it can't be one. */
static bool
the_next_is_refused(const struct guard_case *c)
{
    struct guard_reply reply;

    case_begin(0);
    reply = case_ask(c->request);
    if (!case_hold(reply.status == DTX_OK, c, &reply)) {
        return false;
    }
    reply = case_ask(c->request);
    return case_is_given_up(c, &reply);
}

static struct guard_case
nonsense(enum guard_request request, uint64_t word, uint64_t bytes,
         uint64_t serial, size_t said)
{
    return (struct guard_case){request,
                               {.head = {word, bytes, serial},
                                .body = body,
                                .body_bytes = said,
                                .said = sizeof(struct guard_head) + said,
                                .end = DOUBLE_GOES_ON},
                               nonsense_is_refused};
}

Test(guard, answers_that_cannot_be_are_refused)
{
    const struct guard_case cases[] = {
        nonsense(GUARD_SCAN, DTX_OK, UINT64_MAX, 0, 100),
        nonsense(GUARD_SCAN, DTX_OK, (uint64_t)1 << 62, 0, 100),
        nonsense(GUARD_CARRY, DTX_OK, (uint64_t)1 << 41, 0, 0),
        nonsense(GUARD_SCAN, DTX_OK, 8, 1, 8),
        nonsense(GUARD_SCAN, DTX_OK, 8, (uint64_t)-1, 8),
        nonsense(GUARD_READ, DTX_OK, 1, 0, 1),
        nonsense(GUARD_READ, DTX_OK, (uint64_t)1 << 39, 0, 1),
        nonsense(GUARD_DIGEST, DTX_OK, 0, 0, 0),
        nonsense(GUARD_DIGEST, DTX_OK, 7, 0, 7),
        nonsense(GUARD_DIGEST, DTX_OK, 9, 0, 9),
        nonsense(GUARD_DIGEST, DTX_OK, (uint64_t)1 << 39, 0, 9),
        nonsense(GUARD_SCAN, 999, sizeof(struct dtx_error), 0,
                 sizeof(struct dtx_error)),
        nonsense(GUARD_SCAN, UINT64_MAX, sizeof(struct dtx_error), 0,
                 sizeof(struct dtx_error)),
        nonsense(GUARD_SCAN, DTX_ERR_INTERRUPTED, sizeof(struct dtx_error), 0,
                 sizeof(struct dtx_error)),
        nonsense(GUARD_SCAN, DTX_ERR_SOURCE, sizeof(struct dtx_error) - 1, 0,
                 sizeof(struct dtx_error) - 1),
        nonsense(GUARD_SCAN, DTX_ERR_SOURCE, 0, 0, 0),
        nonsense(GUARD_READ, DTX_ERR_SOURCE, (uint64_t)1 << 39, 0, 9),
        /* a failure of another status than its head has */
        nonsense(GUARD_SCAN, DTX_ERR_SOURCE, sizeof(struct dtx_error), 0,
                 sizeof(struct dtx_error)),
    };

    case_run_all(cases, (int)(sizeof cases / sizeof *cases));
}

Test(guard, bytes_after_an_answer_are_no_answer)
{
    struct guard_case cases[4];
    size_t more;

    for (more = 0; more < 4; more++) {
        cases[more] = nonsense(GUARD_SCAN, DTX_OK, 100, 0, 101 + 40 * more);
        cases[more].claim = the_next_is_refused;
    }
    case_run_all(cases, 4);
}

/* A head near to one that is in order, and any bytes. */
static struct double_play
any_answer(struct random *random)
{
    static unsigned char noise[4096];
    static struct dtx_error told;
    struct double_play play = {.body = noise, .end = DOUBLE_LEAVES};
    unsigned char *head = (unsigned char *)&play.head;
    size_t i;

    for (i = 0; i < sizeof noise; i++) {
        noise[i] = (unsigned char)random_next(random);
    }
    play.body_bytes = (size_t)random_below(random, sizeof noise);
    play.head.bytes = play.body_bytes;
    if (random_chance(random, 40)) {
        memcpy(&told, noise, sizeof told);
        told.status = DTX_ERR_SOURCE;
        memcpy(noise, &told, sizeof told);
        play.head.word = DTX_ERR_SOURCE;
        play.head.bytes = play.body_bytes = sizeof told;
    }
    for (i = random_below(random, 4); i > 0; i--) {
        head[random_below(random, sizeof play.head)] ^=
            (unsigned char)(1 << random_below(random, 8));
    }
    play.said = sizeof play.head + play.body_bytes;
    play.said -=
        random_chance(random, 20) ? random_below(random, play.said) : 0;
    return play;
}

static bool
is_whole(const char *field, size_t size)
{
    return memchr(field, '\0', size) != NULL;
}

static bool
says_why(const struct guard_reply *reply)
{
    const struct dtx_error *err = &reply->err;

    return reply->status == DTX_OK ||
           ((reply->status == DTX_ERR_SOURCE ||
             reply->status == DTX_ERR_LIMIT ||
             reply->status == DTX_ERR_TARGET ||
             reply->status == DTX_ERR_INTERNAL) &&
            err->status == reply->status && err->process == -1 &&
            err->message[0] != '\0' &&
            is_whole(err->message, sizeof err->message) &&
            is_whole(err->tensor, sizeof err->tensor) &&
            is_whole(err->where, sizeof err->where) &&
            is_whole(err->hint, sizeof err->hint));
}

Test(guard, whatever_a_guard_says_ends_in_an_answer_or_a_reason)
{
    static const enum guard_request requests[] = {GUARD_SCAN, GUARD_READ,
                                                  GUARD_DIGEST};
    struct random random = random_begin();
    int round;

    for (round = 0; round < 300; round++) {
        struct guard_case c = {.request = requests[round % 3],
                               .play = any_answer(&random)};
        struct guard_reply reply;

        double_play = c.play;
        case_begin(1);
        reply = case_ask(c.request);
        cr_assert(case_hold(says_why(&reply), &c, &reply));
        dtx_guard_stop();
    }
}
