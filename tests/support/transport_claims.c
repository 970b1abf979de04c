#include "transport_claims.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "util/alloc.h"
#include "util/error.h"

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            return #condition;                                                 \
        }                                                                      \
    } while (0)

static struct dtx_error error;

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
