/*
 * Sessions: the processes that run a command together.
 */
#ifndef DTX_CLI_SESSION_H
#define DTX_CLI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/status.h>
#include <dtx/transport.h>

struct arguments;

struct session {
    struct dtx_transport *transport;
    int process;
    int process_count;
    int node_process_count; /* of them on this node, this one included */
    bool uses_mpi;
    const struct arguments *arguments; /* of the command */
    struct dtx_readers readers; /* who may read the source; count 0: all */
};

/*
 * True where a launcher runs this program several times and this isn't the
 * first, as far as the environment tells. Commands without MPI leave the
 * talking to the first.
 */
bool session_is_copy(void);

/*
 * Begins a session: of the MPI job, or of this process alone. From then on
 * only one process of the job speaks. Collective with MPI. To be ended even
 * where it fails.
 */
enum dtx_status session_begin(struct session *session, bool uses_mpi,
                              struct dtx_error *err);

/* Collective with MPI. */
void session_end(struct session *session);

/* Sets *is_alike_out where all processes have the same number, >= 0.
 * Collective with MPI. */
enum dtx_status session_compare(struct session *session, int64_t own,
                                bool *is_alike_out, struct dtx_error *err);

/* Settles the outcome of a part of the work; see dtx_transport_settle(). */
enum dtx_status session_settle(struct session *session, enum dtx_status status,
                               struct dtx_error *err);

#endif
