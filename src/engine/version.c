#include <dtx/version.h>

const char *
dtx_version(void)
{
    return DTX_VERSION;
}
