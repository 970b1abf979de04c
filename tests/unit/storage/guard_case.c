#include "guard_case.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"

enum { LONG_BYTES = 8 << 20, HANGS_AFTER_MS = 20000 };

int64_t
case_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum dtx_status
carry(struct dtx_text *image, struct dtx_error *err)
{
    struct dtx_text list = {.data = dtx_alloc(LONG_BYTES, 1),
                            .length = LONG_BYTES};
    enum dtx_status status;

    memset(list.data, 0, LONG_BYTES);
    status = dtx_guard_carry(&list, "t.h5", image, err);
    dtx_text_finish(&list);
    return status;
}

static enum dtx_status
read_box(struct dtx_error *err)
{
    int64_t shape[] = {4}, lo[] = {0};
    struct dtx_hdf5_box box = {1, shape, lo, shape, 4};
    char buffer[16];

    return dtx_guard_read("a.h5", 0, "w", &box, buffer, err);
}

static enum dtx_status
send_request(enum guard_request request, struct dtx_error *err)
{
    struct dtx_text answer = {0};
    enum dtx_status status = DTX_OK;
    uint64_t digest;

    switch (request) {
    case GUARD_SCAN:
        status = dtx_guard_scan("a.h5", &answer, err);
        break;
    case GUARD_READ:
        status = read_box(err);
        break;
    case GUARD_DIGEST:
        status = dtx_guard_digest("a.h5", "w", &digest, err);
        break;
    case GUARD_CARRY:
        status = carry(&answer, err);
        break;
    case GUARD_FORGET:
        dtx_guard_forget();
        break;
    }
    dtx_text_finish(&answer);
    return status;
}

struct guard_reply
case_ask(enum guard_request request)
{
    struct guard_reply reply = {.err = {.process = -1}};
    int64_t begin = case_now_ms();

    reply.status = send_request(request, &reply.err);
    reply.took_ms = case_now_ms() - begin;
    return reply;
}

void
case_begin(int seconds)
{
    struct dtx_error err;

    if (dtx_guard_start(seconds, &err) != DTX_OK) {
        _exit(2);
    }
}

bool
case_hold(bool claim, const struct guard_case *c,
          const struct guard_reply *reply)
{
    if (!claim) {
        fprintf(stderr,
                "request %d, head %llu of %llu bytes, %zu said: status %d "
                "after %lld ms: %s\n",
                (int)c->request, (unsigned long long)c->play.head.word,
                (unsigned long long)c->play.head.bytes, c->play.said,
                (int)reply->status, (long long)reply->took_ms,
                reply->err.message);
    }
    return claim;
}

static pid_t
start_case(const struct guard_case *c)
{
    pid_t pid = fork();

    if (pid == 0) {
        double_play = c->play;
        _exit(c->claim(c) ? 0 : 1);
    }
    return pid;
}

/* False where it fails, or hangs. */
static bool
end_case(pid_t pid, int64_t deadline_ms)
{
    const struct timespec tick = {0, 1000000};
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (case_now_ms() > deadline_ms) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
        }
        nanosleep(&tick, NULL);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void
case_run_all(const struct guard_case *cases, int count)
{
    int64_t deadline_ms = case_now_ms() + HANGS_AFTER_MS;
    pid_t pids[CASE_COUNT_MOST];
    int i, failed = 0;

    cr_assert_leq(count, CASE_COUNT_MOST);
    for (i = 0; i < count; i++) {
        pids[i] = start_case(&cases[i]);
    }
    for (i = 0; i < count; i++) {
        failed += !end_case(pids[i], deadline_ms);
    }
    cr_assert_eq(failed, 0, "%d of %d cases", failed, count);
}

bool
case_is_given_up(const struct guard_case *c, const struct guard_reply *reply)
{
    return case_hold(reply->status == DTX_ERR_SOURCE &&
                         strstr(reply->err.message,
                                "gives no answer that can be "
                                "understood") != NULL &&
                         reply->err.hint[0] != '\0',
                     c, reply);
}
