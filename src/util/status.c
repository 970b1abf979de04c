#include <dtx/status.h>

const char *
dtx_status_name(enum dtx_status status)
{
    switch (status) {
    case DTX_OK:
        return "done";
    case DTX_ERR_DIFFERENT:
        return "difference found";
    case DTX_ERR_INVALID:
        return "invalid input";
    case DTX_ERR_SOURCE:
        return "unreadable source";
    case DTX_ERR_TARGET:
        return "unwritable target";
    case DTX_ERR_DIGEST:
        return "wrong digest";
    case DTX_ERR_LIMIT:
        return "limit reached";
    case DTX_ERR_COMM:
        return "communication failure";
    case DTX_ERR_DEVICE:
        return "device failure";
    case DTX_ERR_INTERNAL:
        return "internal error";
    case DTX_ERR_INTERRUPTED:
        return "interrupted";
    }
    return "unknown status";
}
