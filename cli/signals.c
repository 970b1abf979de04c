#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <dtx/stop.h>

/* A terminal and mpirun both may deliver one and the same SIGINT. */
static const int64_t same_key_ns = 300000000;

static atomic_llong interrupted_at_ns; /* 0: not yet */

static int64_t
now_ns(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
end_at_second_interrupt(void)
{
    long long first = 0;
    int64_t now = now_ns();

    if (!atomic_compare_exchange_strong(&interrupted_at_ns, &first, now) &&
        now - first > same_key_ns) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
}

static void
ask_to_stop(int number)
{
    int code = errno;

    if (number == SIGINT) {
        end_at_second_interrupt();
    }
    dtx_stop_request(number);
    errno = code;
}

static void
catch_all(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop,
                               .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

static void
hold_user_signal(int how)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    sigprocmask(how, &held, NULL);
}

void
signals_before_mpi(bool can_stop)
{
    if (can_stop) {
        catch_all();
    }
    hold_user_signal(SIG_BLOCK);
}

void
signals_after_mpi(bool can_stop)
{
    if (can_stop) {
        catch_all();
    } else {
        signal(SIGUSR1, SIG_DFL);
    }
    hold_user_signal(SIG_UNBLOCK);
}

bool
signals_must_stop(void)
{
    struct dtx_error unseen;

    return dtx_stop_check(&unseen) != DTX_OK;
}

void
signals_tell_mpirun(int status)
{
    const char *channel = getenv("PMI_FD");
    struct timespec a_moment = {.tv_nsec = 300000000};
    struct timespec a_while = {.tv_sec = 1};
    char words[64];
    int length;

    if (channel == NULL || getenv("MPI_LOCALNRANKS") == NULL) {
        return; /* another launcher */
    }
    /* mpirun drops what it hasn't passed on by then of what was said. */
    nanosleep(&a_moment, NULL);
    length = snprintf(words, sizeof(words), "cmd=abort exitcode=%d\n", status);
    if (write(atoi(channel), words, (size_t)length) == length) {
        nanosleep(&a_while, NULL); /* until it ends this process */
    }
}
