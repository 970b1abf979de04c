#include "storage/stop.h"

#include <signal.h>
#include <stdatomic.h>

#include "util/error.h"

enum { NOT_ASKED = -1 };

/* The signal that asked first. Lock-free, so that handlers may set it. */
static atomic_int asked_by = NOT_ASKED;

void
dtx_stop_request(int signal_number)
{
    int nobody = NOT_ASKED;

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
dtx_stop_check(struct dtx_error *err)
{
    if (!dtx_must_stop()) {
        return DTX_OK;
    }
    (void)dtx_stopped(err);
    dtx_error_hint(err, "nothing was written");
    return DTX_ERR_INTERRUPTED;
}
