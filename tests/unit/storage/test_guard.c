/* Guards that stand still in the middle of a word, or take no request. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include <dtx/stop.h>

#include "guard_case.h"

enum { BODY_BYTES = 300000 };

/* As the contract says, of a run that was asked to stop. */
enum { STOPS_WITHIN_MS = 5000, STOP_AFTER_MS = 300 };

static char body[BODY_BYTES];

/* Of a listing, so much of which is said. */
static struct double_play
listing_until(size_t said, enum double_end end)
{
    return (struct double_play){.head = {.word = DTX_OK, .bytes = BODY_BYTES},
                                .body = body,
                                .body_bytes = BODY_BYTES,
                                .said = said,
                                .end = end};
}

/* Adds a case for each length that an answer can be broken off at and that
 * means something else to its reader. */
static int
add_breaks(struct guard_case *cases, const struct guard_case *like)
{
    const size_t head = sizeof(struct guard_head);
    const size_t whole = head + like->play.body_bytes;
    const size_t lengths[] = {0,        1,     7,         8,
                              head - 1, head,  head + 1,  4096,
                              1 << 16,  80000, whole / 2, whole - 1};
    size_t i;
    int count = 0;

    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (lengths[i] < whole) {
            cases[count] = *like;
            cases[count++].play.said = lengths[i];
        }
    }
    return count;
}

/* One for each kind of answer. */
static int
add_all_breaks(struct guard_case *cases, enum double_end end,
               bool (*claim)(const struct guard_case *c))
{
    static struct dtx_error told = {.status = DTX_ERR_SOURCE, .message = "no"};
    struct double_play fails = {
        .head = {.word = DTX_ERR_SOURCE, .bytes = sizeof told},
        .body = &told,
        .body_bytes = sizeof told,
        .end = end};
    struct double_play digests = {
        .head = {.bytes = 8}, .body = body, .body_bytes = 8, .end = end};
    struct double_play reads = {.end = end};
    const struct guard_case kinds[] = {
        {GUARD_SCAN, listing_until(0, end), claim},
        {GUARD_CARRY, listing_until(0, end), claim},
        {GUARD_SCAN, fails, claim},
        {GUARD_DIGEST, digests, claim},
        {GUARD_READ, reads, claim},
    };
    size_t i;
    int count = 0;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        count += add_breaks(cases + count, &kinds[i]);
    }
    return count;
}

/* ---------------------------------------------------------------- stops */

static void
hear_alarm(int number)
{
    (void)number;
    dtx_stop_request(SIGTERM);
}

static void
stop_soon(void)
{
    const struct itimerval soon = {.it_value.tv_usec = STOP_AFTER_MS * 1000};
    struct sigaction action = {.sa_handler = hear_alarm,
                               .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
}

static bool
is_stopped_soon(const struct guard_case *c, const struct guard_reply *reply)
{
    return case_hold(reply->status == DTX_ERR_INTERRUPTED &&
                         strcmp(reply->err.message, "stopped by SIGTERM") ==
                             0 &&
                         reply->took_ms < STOPS_WITHIN_MS,
                     c, reply);
}

/* And so is what other threads ask for later. */
static bool
a_stop_is_heard(const struct guard_case *c)
{
    struct guard_reply reply;

    stop_soon();
    case_begin(0);
    reply = case_ask(c->request);
    if (!is_stopped_soon(c, &reply)) {
        return false;
    }
    reply = case_ask(GUARD_READ);
    return is_stopped_soon(c, &reply) && reply.took_ms < 1000;
}

Test(guard, stops_are_heard_wherever_an_answer_breaks_off)
{
    struct guard_case cases[CASE_COUNT_MOST];
    int count = add_all_breaks(cases, DOUBLE_STANDS_STILL, a_stop_is_heard);

    case_run_all(cases, count);
}

Test(guard, stops_are_heard_while_a_request_is_not_taken)
{
    struct guard_case deaf = {.request = GUARD_CARRY,
                              .play = {.is_deaf = true},
                              .claim = a_stop_is_heard};

    case_run_all(&deaf, 1);
}

/* One after another, each too short to be given up itself. */
static bool
a_stop_ends_many(const struct guard_case *c)
{
    struct guard_reply reply;
    int64_t begin_ms = case_now_ms();

    stop_soon();
    case_begin(0);
    do {
        reply = case_ask(c->request);
    } while (reply.status == DTX_OK &&
             case_now_ms() < begin_ms + 4 * STOPS_WITHIN_MS);
    reply.took_ms = case_now_ms() - begin_ms;
    return is_stopped_soon(c, &reply);
}

Test(guard, stops_are_heard_over_many_short_requests_and_pieces)
{
    const struct guard_case cases[] = {
        {GUARD_READ,
         {.wait_ms = 50,
          .said = sizeof(struct guard_head),
          .end = DOUBLE_GOES_ON},
         a_stop_ends_many},
        {GUARD_READ,
         {.wait_ms = 1500,
          .said = sizeof(struct guard_head),
          .end = DOUBLE_GOES_ON},
         a_stop_ends_many},
        {GUARD_SCAN,
         {.wait_ms = 10,
          .head = {.bytes = BODY_BYTES},
          .body = body,
          .body_bytes = BODY_BYTES,
          .said = BODY_BYTES,
          .pieces = 3000},
         a_stop_ends_many},
    };

    case_run_all(cases, 3);
}

/* ---------------------------------------------------------------- silence */

static bool
silence_is_an_end(const struct guard_case *c)
{
    struct guard_reply reply;

    case_begin(1);
    reply = case_ask(c->request);
    if (!case_is_given_up(c, &reply)) {
        return false;
    }
    reply = case_ask(GUARD_READ);
    return case_is_given_up(c, &reply) && reply.took_ms < 1000;
}

/* Before its first byte a guard may wait for a file system. */
static bool
is_begun(const struct guard_case *c)
{
    return c->play.said > 0;
}

Test(guard, silence_in_the_middle_of_an_answer_is_its_end)
{
    struct guard_case cases[CASE_COUNT_MOST];
    int count = add_all_breaks(cases, DOUBLE_STANDS_STILL, silence_is_an_end);
    int begun = 0, i;

    for (i = 0; i < count; i++) {
        if (is_begun(&cases[i])) {
            cases[begun++] = cases[i];
        }
    }
    case_run_all(cases, begun);
}

Test(guard, a_request_that_nobody_takes_is_given_up)
{
    struct guard_case deaf = {.request = GUARD_CARRY,
                              .play = {.is_deaf = true},
                              .claim = silence_is_an_end};

    case_run_all(&deaf, 1);
}

static bool
is_taken(const struct guard_case *c)
{
    struct guard_reply reply;

    case_begin(3);
    reply = case_ask(c->request);
    return case_hold(reply.status == DTX_OK, c, &reply);
}

Test(guard, slow_answers_are_waited_for)
{
    struct double_play slow =
        listing_until(sizeof(struct guard_head) + BODY_BYTES, DOUBLE_GOES_ON);
    struct guard_case cases[2] = {{GUARD_SCAN, slow, is_taken},
                                  {GUARD_SCAN, slow, is_taken}};

    cases[0].play.wait_ms = 800;
    cases[0].play.pieces = 5;
    cases[1].play.wait_ms = 4000;
    case_run_all(cases, 2);
}
