/*
 * Options: one table that feeds the parser, the environment and the help.
 *
 * Each option belongs to some commands. An option --some-name also has an
 * environment variable DTX_SOME_NAME; the command line wins.
 */
#ifndef DTX_CLI_OPTIONS_H
#define DTX_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/plan.h>
#include <dtx/reshard.h>
#include <dtx/status.h>

#include "command.h"

enum option_id {
    OPTION_MESH,
    OPTION_LIKE,
    OPTION_CATALOG,
    OPTION_PATH,
    OPTION_OUTPUT,
    OPTION_TENSOR,
    OPTION_STRATEGY,
    OPTION_MEMORY,
    OPTION_MAP,
    OPTION_INCLUDE,
    OPTION_EXCLUDE,
    OPTION_PROCS,
    OPTION_MACHINE,
    OPTION_CACHED,
    OPTION_DRY_RUN,
    OPTION_TRANSFERS,
    OPTION_HTML,
    OPTION_RANKFILE,
    OPTION_HOSTS,
    OPTION_JSON,
    OPTION_FORCE,
    OPTION_VERIFY,
    OPTION_RESUME,
    OPTION_CHECKPOINT_EVERY,
    OPTION_CHECK_REPLICAS,
    OPTION_PROGRESS,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_TRANSPORT,
    OPTION_DEVICE,
    OPTION_SRC_PROCS,
    OPTION_DST_PROCS,
    OPTION_COUNT
};

/* Sets a field of struct arguments; see option_values.h. */
typedef enum dtx_status option_setter(void *field, const char *origin,
                                      const char *value, struct dtx_error *err);

struct option_entry {
    const char *name;     /* without the dashes */
    const char *argument; /* its name in the help; NULL: a switch */
    const char *help;
    enum option_id id;
    unsigned commands; /* bits 1 << enum command_id */
    char letter;       /* 0: no short form */
    option_setter *set;
    size_t field; /* its offset in struct arguments */
};

enum progress_mode {
    PROGRESS_AUTO,
    PROGRESS_PLAIN,
    PROGRESS_BAR,
    PROGRESS_NONE
};

/* A list of globs, in the order given. */
struct globs {
    const char **items;
    size_t count;
    size_t capacity;
    bool is_from_environment;
};

/* A list of processes, in the order given. */
struct processes {
    int *items;
    size_t count; /* 0: not given */
    size_t capacity;
};

enum { MESH_AXIS_MAX = 16 };

/* A mesh as in "dp=2,tp=4". */
struct mesh_argument {
    bool is_given;
    int axis_count;
    char *names[MESH_AXIS_MAX]; /* into text */
    int sizes[MESH_AXIS_MAX];
    char *text; /* owned */
};

/* The file of the processes' hosts. */
struct hosts_argument {
    const char *path; /* NULL: not given */
    bool is_from_environment;
};

/* What the user asks for. `= {0}` is empty. */
struct arguments {
    const struct command *command;
    enum dtx_strategy strategy;
    enum dtx_map map;
    enum dtx_carrier transport;
    enum dtx_device_kind device;
    uint64_t memory_bytes; /* 0: not given */
    struct processes src_procs;
    struct processes dst_procs;
    struct globs include;
    struct globs exclude;
    int process_count;     /* 0: not given */
    const char *transfers; /* NULL: not asked for */
    const char *html;      /* NULL: not asked for */
    const char *rankfile;  /* NULL: not asked for */
    struct hosts_argument hosts;
    const char *machine; /* NULL: not given */
    struct mesh_argument mesh;
    const char *like;    /* NULL: not given */
    const char *catalog; /* NULL: not given */
    const char *path;    /* NULL: not given */
    const char *output;  /* NULL: standard output */
    const char *tensor;  /* NULL: not asked for */
    enum progress_mode progress;
    enum dtx_check_replicas check_replicas;
    int checkpoint_seconds; /* as in struct dtx_reshard_options */
    bool is_cached;
    bool is_dry_run;
    bool is_json;
    bool is_forced;
    bool is_verified;
    bool is_resumed;
    bool is_quiet;
    bool is_verbose;
    bool wants_help;
    bool wants_version;
    int operand_count;
    char *const *operands; /* borrowed from argv */
};

const struct option_entry *option_get(enum option_id id);
bool option_belongs(const struct option_entry *entry,
                    const struct command *command);

enum { OPTION_VARIABLE_TEXT = 40 };

/* The environment variable of an option. text must have room for
 * OPTION_VARIABLE_TEXT. Returns text, or NULL where the option has none. */
const char *option_variable(const struct option_entry *entry, char *text);

/*
 * Reads environment and command line. Local.
 *
 * argv  [argc] the words after the program's name, the command first; put
 *       into another order, and borrowed as long as the arguments
 *
 * Fails with DTX_ERR_INVALID. What arguments_out holds then is still to be
 * finished.
 */
enum dtx_status arguments_parse(const struct command *command, int argc,
                                char **argv, struct arguments *arguments_out,
                                struct dtx_error *err);
void arguments_finish(struct arguments *arguments);

/* A number >= 0 that is the same for the same arguments, and hardly ever for
 * others. */
int64_t arguments_fingerprint(const struct arguments *arguments);
/* The same for a text, and for a plan. */
int64_t text_fingerprint(const char *text);
int64_t plan_fingerprint(const struct dtx_plan *plan);

/*
 * Sets one option from its text.
 *
 * origin   how the user knows it, "--memory" or "DTX_MEMORY"
 * value    NULL for a switch on the command line
 */
enum dtx_status argument_set(struct arguments *arguments,
                             const struct option_entry *entry,
                             const char *origin, const char *value,
                             struct dtx_error *err);

/* Sets what the environment says; a switch is on with 1, yes or true. */
enum dtx_status environment_parse(const struct command *command,
                                  struct arguments *arguments,
                                  struct dtx_error *err);

/* Warns of DTX_ variables that are none of ours. */
void environment_warn(void);

#endif
