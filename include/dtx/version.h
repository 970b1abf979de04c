/*
 * Versions: of dtx, and of the libraries that it runs with.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_VERSION_H
#define DTX_VERSION_H

#include <stddef.h>

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "0.1.0". Local. */
DTX_API const char *dtx_version(void);

/*
 * Say which library dtx runs with ("MPICH 4.0.2"), not which it was built
 * with. Local; MPI need not be initialized.
 *
 * text, bytes  receives the words, cut off where they don't fit
 */
DTX_API void dtx_mpi_describe(char *text, size_t bytes);
DTX_API void dtx_hdf5_describe(char *text, size_t bytes);
DTX_API void dtx_yaml_describe(char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
