/*
 * Machines: what the cost model knows of the hardware.
 *
 * Rates are bytes per second, times are seconds. The numbers are what a
 * process gets in practice, through the calls that dtx makes.
 *
 * Functions are local unless they say that they are collective.
 */
#ifndef DTX_MACHINE_H
#define DTX_MACHINE_H

#include <dtx/diagnostic.h>
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
    double file_seconds;    /* to make a file, sync it and put it in place */
    double dataset_seconds; /* to make a dataset in a file */

    /* Messages: what a process sends or receives within its node, and what a
     * node sends or receives beyond it. */
    double message_rate;
    double network_rate;
    double message_seconds; /* latency within a node */
    double network_seconds; /* latency between nodes */

    double copy_rate;    /* of boxes in memory, packing and unpacking */
    double convert_rate; /* from one dtype to another */
    /* Of a process, between pinned memory and a CUDA device (PCIe or NVLink),
     * and of boxes and conversions within the device. */
    double device_rate;
    double device_copy_rate;
    double step_seconds; /* of one step beside all this: agreement, threads */

    /* Of what is done beside longer work, the share that still shows: near 0
     * where processors are idle while files and network work, 1 where nothing
     * is gained. */
    double overlap_share;
};

/* Numbers for a machine that was not measured. */
DTX_API const struct dtx_machine *dtx_machine_default(void);

/*
 * Loads a machine file, as dtx-calibrate(1) describes it. Local.
 *
 * list     receives all mistakes
 * machine  in: what counts for keys that the file leaves out; changed on
 *          success only
 *
 * Fails with DTX_ERR_INVALID when the list has errors or the file can't be
 * read, DTX_ERR_LIMIT when out of memory.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_machine_load(const char *path, struct dtx_diagnostics *list,
                 struct dtx_machine *machine, struct dtx_error *err);

/* The same from text; file names it in messages. */
DTX_API DTX_NODISCARD enum dtx_status
dtx_machine_parse(const char *text, const char *file,
                  struct dtx_diagnostics *list, struct dtx_machine *machine,
                  struct dtx_error *err);

/*
 * The text of a machine file.
 *
 * machine  numbers; those that are 0 are left out
 * rest     stands in comments for what is left out
 * heading  lines that open the file, as comments
 *
 * Returns NULL when out of memory; else to be freed by dtx_string_free().
 */
DTX_API DTX_NODISCARD char *dtx_machine_text(const struct dtx_machine *machine,
                                             const struct dtx_machine *rest,
                                             const char *heading);

#ifdef __cplusplus
}
#endif
#endif
