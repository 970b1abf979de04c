/*
 * Signals that ask a run to stop: SIGINT, SIGTERM and SIGUSR1, which mpirun
 * passes on and schedulers send before a time limit.
 */
#ifndef DTX_CLI_SIGNALS_H
#define DTX_CLI_SIGNALS_H

#include <stdbool.h>

/*
 * Lets them ask for a stop at the next safe point, where a command can, instead
 * of ending the program. A second SIGINT ends it at once. One function before
 * and one after MPI is initialized.
 *
 * MPICH takes SIGUSR1 for the death of a process, and asks the launcher whose:
 * without one it would wait for an answer for ever. So SIGUSR1 is held back
 * until it is the program's again.
 */
void signals_before_mpi(bool can_stop);
void signals_after_mpi(bool can_stop);

/* True once one of them has asked for a stop. */
bool signals_must_stop(void);

/*
 * Tells mpirun that this job ends after such a signal with a status, once all
 * is done and said. Process 0, before MPI is finalized.
 *
 * MPICH's mpirun, once it has passed on a signal, takes the status of a process
 * only by chance, and else ends with 0. What is heeded is a request to abort,
 * in the words of its own protocol; it then ends all processes.
 */
void signals_tell_mpirun(int status);

#endif
