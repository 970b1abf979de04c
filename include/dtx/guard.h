/*
 * The guard: a process of its own in which HDF5 reads what isn't trusted.
 *
 * HDF5 can crash on a damaged file, or go round in it for ever. So a guard,
 * forked before anything else, does for this process whatever HDF5 has to
 * interpret of a source: it lists what is in files, reads chunked, compressed
 * and virtual datasets, and copies attributes and objects that are carried
 * over. Where it dies of a file, the call that needed it fails with
 * DTX_ERR_SOURCE and names the file. Contiguous data is read by the process
 * itself, by plain positioned I/O.
 *
 * Without a guard everything is read by this process.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_GUARD_H
#define DTX_GUARD_H

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Starts this process's guard. Local. To be called before MPI_Init and before
 * there are threads, since it forks; once until dtx_guard_stop().
 *
 * seconds  of processor time that one file, or one box of a dataset, may take,
 *          and of silence in the middle of an answer; 0: as many as no file in
 *          order needs
 *
 * Fails with DTX_ERR_LIMIT where there can't be another process.
 */
DTX_API DTX_NODISCARD enum dtx_status dtx_guard_start(int seconds,
                                                      struct dtx_error *err);

/* Ends the guard; there need be none. It ends by itself with its process. */
DTX_API void dtx_guard_stop(void);

#ifdef __cplusplus
}
#endif
#endif
