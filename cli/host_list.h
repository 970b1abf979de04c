/*
 * Host lists: the names of the hosts that processes run on.
 */
#ifndef DTX_CLI_HOST_LIST_H
#define DTX_CLI_HOST_LIST_H

#include <stddef.h>

#include <dtx/status.h>

struct host {
    char *name;
    int places; /* processes that it runs; 0: not said */
};

/* `= {0}` is empty. */
struct host_list {
    struct host *hosts;
    size_t count;
    size_t capacity;
};

/*
 * Reads a host file, a host a line: "gpu01", "gpu01:8" or "gpu01 slots=8". A
 * host may come again; '#' begins a remark.
 *
 * Fails with DTX_ERR_INVALID where it can't be read or isn't one.
 */
enum dtx_status host_list_read(struct host_list *list, const char *path,
                               struct dtx_error *err);

/*
 * Makes the list from what Slurm says of an allocation.
 *
 * nodes   "gpu[01-03,07],login", as in SLURM_JOB_NODELIST
 * places  "8(x3),4", as in SLURM_TASKS_PER_NODE; NULL: not said
 */
enum dtx_status host_list_expand(struct host_list *list, const char *nodes,
                                 const char *places, struct dtx_error *err);

/*
 * Finds the host of each process: the first host's places are filled first; a
 * host whose places aren't said has one. Where none are, and there are fewer
 * hosts than processes, the hosts share them evenly.
 *
 * hosts_out  [process_count] indices into the list
 *
 * Fails with DTX_ERR_INVALID where there are fewer places than processes.
 */
enum dtx_status host_list_place(const struct host_list *list, int process_count,
                                int *hosts_out, struct dtx_error *err);

void host_list_finish(struct host_list *list);

#endif
