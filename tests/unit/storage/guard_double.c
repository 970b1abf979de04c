#include "guard_double.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "storage/socket.h"

struct double_play double_play;

_Noreturn static void
stand_still(void)
{
    for (;;) {
        raise(SIGSTOP);
    }
}

static void
sleep_ms(int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&time, NULL);
}

static bool
hear(int socket, struct guard_head *head)
{
    char block[4096];
    uint64_t left;

    if (!dtx_socket_receive(socket, head, sizeof *head)) {
        return false;
    }
    for (left = head->bytes; left > 0;) {
        size_t count = left < sizeof block ? (size_t)left : sizeof block;

        if (!dtx_socket_receive(socket, block, count)) {
            return false;
        }
        left -= count;
    }
    return true;
}

static bool
say(int socket, const void *bytes, size_t count)
{
    size_t pieces = double_play.pieces > 0 ? (size_t)double_play.pieces : 1;
    size_t at = 0, i;

    for (i = 1; i <= pieces; i++) {
        size_t next = count * i / pieces;

        sleep_ms(double_play.wait_ms);
        if (!dtx_socket_send(socket, (const char *)bytes + at, next - at)) {
            return false;
        }
        at = next;
    }
    return true;
}

static bool
answer(int socket)
{
    static char bytes[1 << 20];
    struct guard_head request, head = double_play.head;

    if (!hear(socket, &request)) {
        return false;
    }
    head.serial += request.serial;
    memcpy(bytes, &head, sizeof head);
    if (double_play.body_bytes > 0) {
        memcpy(bytes + sizeof head, double_play.body, double_play.body_bytes);
    }
    return say(socket, bytes, double_play.said) &&
           double_play.end != DOUBLE_LEAVES;
}

_Noreturn void
dtx_guard_serve(const struct guard_ends *ends)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (double_play.is_deaf) {
        stand_still();
    }
    while (answer(ends->socket)) {
        if (double_play.end == DOUBLE_STANDS_STILL) {
            stand_still();
        }
    }
    _exit(GUARD_SERVED);
}
