/*
 * Signals that ask a run to stop: SIGINT, SIGTERM and SIGUSR1, which mpirun
 * passes on and schedulers send before a time limit.
 */
#ifndef DTX_CLI_SIGNALS_H
#define DTX_CLI_SIGNALS_H

/* Lets them ask for a stop at the next safe point instead of ending the
 * program. A second SIGINT ends it at once. Before MPI is initialized. */
void signals_catch(void);

#endif
