/*
 * Signals that ask a run to stop: SIGINT, SIGTERM and SIGUSR1, which mpirun
 * passes on and schedulers send before a time limit.
 */
#ifndef DTX_CLI_SIGNALS_H
#define DTX_CLI_SIGNALS_H

/* Lets them ask for a stop at the next safe point instead of ending the
 * program. A second SIGINT ends it at once. Before MPI is initialized. */
void signals_catch(void);

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
