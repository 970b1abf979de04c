#include "storage/guard/guard_talk.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include "storage/stop.h"

/* How long talk goes on once this process was asked to stop. */
enum { PATIENCE_MS = 2000, TICK_MS = 100 };

enum { NO_LIMIT = -1 };

static int64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Ends talk where this process was asked to stop a while ago. */
static bool
goes_on(struct guard_talk *talk)
{
    if (talk->end != GUARD_TALKS || !dtx_must_stop()) {
        talk->stop_at_ms = 0;
        return talk->end == GUARD_TALKS;
    }
    if (talk->stop_at_ms == 0) {
        talk->stop_at_ms = now_ms() + PATIENCE_MS;
    } else if (now_ms() >= talk->stop_at_ms) {
        talk->end = GUARD_UNWANTED;
    }
    return talk->end == GUARD_TALKS;
}

/* Silence is counted in ticks, not by the clock: of a job that was suspended
 * and continues, the guard wasn't silent. */
static void
wait_for(struct guard_talk *talk, short events, int64_t limit_ms)
{
    struct pollfd poll_fd = {.fd = talk->socket, .events = events};
    int64_t silent_ms = 0;
    int ready = 0;

    while (ready <= 0 && goes_on(talk)) {
        ready = poll(&poll_fd, 1, TICK_MS);
        silent_ms += ready == 0 ? TICK_MS : 0;
        if (limit_ms != NO_LIMIT && silent_ms >= limit_ms) {
            talk->end = GUARD_STUCK;
        }
    }
}

/* What to do about a call that moved so many bytes. Returns how many did. */
static size_t
heed(struct guard_talk *talk, ssize_t moved, short events)
{
    if (moved > 0) {
        return (size_t)moved;
    }
    if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        wait_for(talk, events, (int64_t)talk->silence_s * 1000);
    } else if (moved == 0 || errno != EINTR) {
        talk->end = GUARD_GONE;
    }
    return 0;
}

bool
dtx_guard_talk_send(struct guard_talk *talk, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0 && goes_on(talk)) {
        ssize_t sent =
            send(talk->socket, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        size_t moved = heed(talk, sent, POLLOUT);

        at += moved;
        count -= moved;
    }
    return count == 0;
}

bool
dtx_guard_talk_receive(struct guard_talk *talk, void *bytes, size_t count)
{
    char *at = bytes;

    while (count > 0 && goes_on(talk)) {
        ssize_t got = recv(talk->socket, at, count, MSG_DONTWAIT);
        size_t moved = heed(talk, got, POLLIN);

        at += moved;
        count -= moved;
    }
    return count == 0;
}

void
dtx_guard_talk_await(struct guard_talk *talk)
{
    wait_for(talk, POLLIN, NO_LIMIT);
}
