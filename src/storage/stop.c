#include "storage/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "util/error.h"

enum { NOT_ASKED = -1 };

static const int64_t patience_ns = 1500000000;

/* The signal that asked first, and when. Lock-free, so that handlers may set
 * them; clock_gettime() is theirs, too. */
static atomic_int asked_by = NOT_ASKED;
static atomic_llong asked_at_ns;

static int64_t
now_ns(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void
dtx_stop_request(int signal_number)
{
    int nobody = NOT_ASKED;

    if (atomic_load(&asked_by) == NOT_ASKED) {
        atomic_store(&asked_at_ns, now_ns());
    }
    (void)atomic_compare_exchange_strong(&asked_by, &nobody, signal_number);
}

void
dtx_stop_forget(void)
{
    atomic_store(&asked_by, NOT_ASKED);
}

bool
dtx_must_stop(void)
{
    return atomic_load(&asked_by) != NOT_ASKED;
}

bool
dtx_must_hurry(void)
{
    return dtx_must_stop() &&
           now_ns() - atomic_load(&asked_at_ns) >= patience_ns;
}

static const char *
reason(void)
{
    switch (atomic_load(&asked_by)) {
    case SIGINT:
        return "by SIGINT";
    case SIGTERM:
        return "by SIGTERM";
    case SIGUSR1:
        return "by SIGUSR1";
    default:
        return "on request";
    }
}

enum dtx_status
dtx_stopped(struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_INTERRUPTED, "stopped %s", reason());
}

enum dtx_status
dtx_stop_heard(struct dtx_error *err)
{
    return dtx_must_stop() ? dtx_stopped(err) : DTX_OK;
}

enum dtx_status
dtx_stop_check(struct dtx_error *err)
{
    if (!dtx_must_stop()) {
        return DTX_OK;
    }
    (void)dtx_stopped(err);
    dtx_error_hint(err, "nothing was written");
    return DTX_ERR_INTERRUPTED;
}
