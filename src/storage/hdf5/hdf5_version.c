#include <stdio.h>

#include <dtx/version.h>
#include <hdf5.h>

void
dtx_hdf5_describe(char *text, size_t bytes)
{
    unsigned major;
    unsigned minor;
    unsigned release;

    if (H5get_libversion(&major, &minor, &release) < 0) {
        snprintf(text, bytes, "HDF5");
        return;
    }
    snprintf(text, bytes, "HDF5 %u.%u.%u", major, minor, release);
}
