#include "options.h"

#include <stdio.h>
#include <string.h>

enum {
    PLAN = 1U << COMMAND_PLAN,
    RESHARD = 1U << COMMAND_RESHARD,
    INSPECT = 1U << COMMAND_INSPECT,
    VERIFY = 1U << COMMAND_VERIFY,
    DIFF = 1U << COMMAND_DIFF,
    CALIBRATE = 1U << COMMAND_CALIBRATE,
    INIT = 1U << COMMAND_INIT,
    VERSION = 1U << COMMAND_VERSION,
    BOTH = PLAN | RESHARD,
    COMPARE = VERIFY | DIFF,
    ALL = (1U << COMMAND_COUNT) - 1,
};

static const struct option_entry entries[OPTION_COUNT] = {
    [OPTION_STRATEGY] = {"strategy", "S",
                         "auto, optimal, redistribute, materialize or direct",
                         OPTION_STRATEGY, BOTH, 0},
    [OPTION_MEMORY] = {"memory", "SIZE",
                       "most memory a process may use for data (256MiB, 4GiB)",
                       OPTION_MEMORY, BOTH | COMPARE, 0},
    [OPTION_MAP] = {"map", "M",
                    "which process hosts which rank: auto (default), block "
                    "or cyclic",
                    OPTION_MAP, BOTH, 0},
    [OPTION_INCLUDE] = {"include", "GLOB",
                        "only tensors of these names; repeatable",
                        OPTION_INCLUDE, BOTH | DIFF, 0},
    [OPTION_EXCLUDE] = {"exclude", "GLOB",
                        "no tensors of these names; repeatable", OPTION_EXCLUDE,
                        BOTH | DIFF, 0},
    [OPTION_PROCS] = {"procs", "N",
                      "plan for N processes; default one per rank",
                      OPTION_PROCS, PLAN, 0},
    [OPTION_MACHINE] = {"machine", "FILE",
                        "file of the machine's numbers, see dtx-calibrate(1)",
                        OPTION_MACHINE, BOTH | CALIBRATE, 0},
    [OPTION_CACHED] = {"cached", NULL,
                       "measure reading what is still in memory", OPTION_CACHED,
                       CALIBRATE, 0},
    [OPTION_DRY_RUN] = {"dry-run", NULL,
                        "only print what would be done, as `dtx plan` does",
                        OPTION_DRY_RUN, RESHARD, 0},
    [OPTION_TRANSFERS] = {"transfers", "FILE",
                          "write every transfer, one JSON object a line; "
                          "- is stdout",
                          OPTION_TRANSFERS, BOTH, 0},
    [OPTION_HTML] = {"html", "FILE", "write the plan as a page for a browser",
                     OPTION_HTML, PLAN, 0},
    [OPTION_RANKFILE] = {"rankfile", "FILE",
                         "write the host of each target rank, for srun and "
                         "mpiexec",
                         OPTION_RANKFILE, PLAN, 0},
    [OPTION_HOSTS] = {"hosts", "FILE",
                      "the hosts of the processes, for --rankfile",
                      OPTION_HOSTS, PLAN, 0},
    [OPTION_JSON] = {"json", NULL, "one JSON document on standard output",
                     OPTION_JSON, BOTH | INSPECT | COMPARE | VERSION, 0},
    [OPTION_FORCE] = {"force", NULL, "replace an existing target", OPTION_FORCE,
                      RESHARD | INIT, 0},
    [OPTION_VERIFY] = {"verify", NULL,
                       "read the result back before it takes its place",
                       OPTION_VERIFY, RESHARD, 0},
    [OPTION_RESUME] = {"resume", NULL, "go on with an interrupted run",
                       OPTION_RESUME, RESHARD, 0},
    [OPTION_CHECKPOINT_EVERY] =
        {"checkpoint-every", "S",
         "make what is done safe every S seconds; default 20",
         OPTION_CHECKPOINT_EVERY, RESHARD, 0},
    [OPTION_CHECK_REPLICAS] =
        {"check-replicas", "C",
         "compare replicas first: sample (default), all, none",
         OPTION_CHECK_REPLICAS, RESHARD, 0},
    [OPTION_PROGRESS] = {"progress", "P",
                         "auto (default), plain (a line every 10 s), bar or "
                         "none",
                         OPTION_PROGRESS, BOTH | INSPECT | COMPARE, 0},
    [OPTION_QUIET] = {"quiet", NULL, "no warnings and no progress",
                      OPTION_QUIET, BOTH | INSPECT | COMPARE | CALIBRATE | INIT,
                      'q'},
    [OPTION_VERBOSE] = {"verbose", NULL, "say more about what is done",
                        OPTION_VERBOSE, BOTH | INSPECT, 'v'},
    [OPTION_HELP] = {"help", NULL, "print this help", OPTION_HELP, ALL, 'h'},
    [OPTION_VERSION] = {"version", NULL, "print the version", OPTION_VERSION,
                        ALL, 0},
    [OPTION_TRANSPORT] = {"transport", "T",
                          "what carries it: auto (default), mpi or cuda",
                          OPTION_TRANSPORT, BOTH, 0},
    [OPTION_DEVICE] = {"device", "D",
                       "where shards live while they move: auto (default), "
                       "cpu or cuda",
                       OPTION_DEVICE, BOTH, 0},
    [OPTION_SRC_PROCS] = {"src-procs", "L",
                          "only these processes read, as in 0-7,12",
                          OPTION_SRC_PROCS, BOTH, 0},
    [OPTION_DST_PROCS] = {"dst-procs", "L", "only these processes write",
                          OPTION_DST_PROCS, BOTH, 0},
    [OPTION_MESH] = {"mesh", "MESH",
                     "the mesh, as in dp=2,tp=4; outermost "
                     "axis first",
                     OPTION_MESH, INIT, 0},
    [OPTION_LIKE] = {"like", "LAYOUT", "take the rules of this layout",
                     OPTION_LIKE, INIT, 0},
    [OPTION_CATALOG] = {"catalog", "TABLE",
                        "a tensor table with the whole shapes", OPTION_CATALOG,
                        INIT, 0},
    [OPTION_PATH] = {"path", "TEMPLATE",
                     "the files' names, as in step/rank-{rank:05}.h5",
                     OPTION_PATH, INIT, 0},
    [OPTION_OUTPUT] = {"output", "FILE",
                       "write there, and not to standard output", OPTION_OUTPUT,
                       INIT, 'o'},
    [OPTION_TENSOR] = {"tensor", "NAME",
                       "only this tensor, in detail: who holds what",
                       OPTION_TENSOR, PLAN | INSPECT, 0},
};

const struct option_entry *
option_get(enum option_id id)
{
    return &entries[id];
}

bool
option_belongs(const struct option_entry *entry, const struct command *command)
{
    return (entry->commands & (1U << command->id)) != 0;
}

/* Of ASCII letters, whatever the locale. */
static char
to_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

const char *
option_variable(const struct option_entry *entry, char *text)
{
    size_t length;

    if (entry->id == OPTION_HELP || entry->id == OPTION_VERSION) {
        return NULL;
    }
    snprintf(text, OPTION_VARIABLE_TEXT, "DTX_%s", entry->name);
    length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        text[i] = text[i] == '-' ? '_' : to_upper(text[i]);
    }
    return text;
}
