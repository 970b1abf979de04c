/*
 * The commands of the program, one file each.
 */
#ifndef DTX_CLI_COMMAND_H
#define DTX_CLI_COMMAND_H

#include <stdbool.h>

#include <dtx/status.h>

struct arguments;
struct session;

enum command_id {
    COMMAND_RESHARD,
    COMMAND_PLAN,
    COMMAND_INSPECT,
    COMMAND_VERIFY,
    COMMAND_DIFF,
    COMMAND_INIT,
    COMMAND_CALIBRATE,
    COMMAND_COMPLETION,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_COUNT
};

/*
 * Runs a command on this process; with MPI it is collective, and every
 * process returns the same status and error. The caller shows the error.
 */
typedef enum dtx_status command_run(const struct arguments *arguments,
                                    struct session *session,
                                    struct dtx_error *err);

struct command {
    const char *name;
    const char *operands; /* as in a synopsis */
    const char *summary;  /* one line, for the list of commands */
    const char *about;    /* a paragraph, for the command's help */
    command_run *run;
    enum command_id id;
    int operand_min;
    int operand_max;
    bool uses_mpi;
    bool reads_files; /* HDF5 files, which can be damaged: with a guard */
    bool can_stop;    /* at a safe point, when a signal asks for it */
};

/* The table, in the order of the help. */
const struct command *command_get(enum command_id id);

/*
 * Finds a command by its name.
 *
 * Fails with DTX_ERR_INVALID where there is none of the name.
 */
enum dtx_status command_find(const char *name,
                             const struct command **command_out,
                             struct dtx_error *err);

command_run reshard_run;
command_run plan_run;
command_run inspect_run;
command_run verify_run;
command_run diff_run;
command_run calibrate_run;
command_run help_run;
command_run version_run;
command_run init_run;
command_run completion_run;

#endif
