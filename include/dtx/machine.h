/*
 * Machines: what the cost model knows of the hardware.
 *
 * Rates are bytes per second, times are seconds. The numbers are what a
 * process gets in practice, through the calls that dtx makes.
 */
#ifndef DTX_MACHINE_H
#define DTX_MACHINE_H

#include <dtx/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dtx_machine {
    int processes_per_node; /* 0: all processes are on one node */

    /* Storage: of one process alone, of all processes of a node together, and
     * of all nodes together. */
    double read_rate, read_rate_node, read_rate_total;
    double write_rate, write_rate_node, write_rate_total;
    double read_request_seconds;  /* of one read call, beside its bytes */
    double write_request_seconds; /* of one write call */
    double file_seconds; /* to make a file, sync it and put it in place */

    /* Messages: what a process sends or receives within its node, and what a
     * node sends or receives beyond it. */
    double message_rate;
    double network_rate;
    double message_seconds; /* latency within a node */
    double network_seconds; /* latency between nodes */

    double copy_rate;    /* of boxes in memory, packing and unpacking */
    double convert_rate; /* from one dtype to another */
    double step_seconds; /* of one step beside all this: agreement, threads */
};

/* Numbers for a machine that was not measured. */
DTX_API const struct dtx_machine *dtx_machine_default(void);

#ifdef __cplusplus
}
#endif
#endif
