#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "option_values.h"

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

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_entry entries[OPTION_COUNT] = {
    [OPTION_STRATEGY] = {"strategy", "S",
                         "auto, optimal, redistribute, materialize or direct",
                         OPTION_STRATEGY, BOTH, 0, option_set_strategy,
                         FIELD(strategy)},
    [OPTION_MEMORY] = {"memory", "SIZE",
                       "most memory a process may use for data (256MiB, 4GiB)",
                       OPTION_MEMORY, BOTH | COMPARE, 0, option_set_memory,
                       FIELD(memory_bytes)},
    [OPTION_MAP] = {"map", "M",
                    "which process hosts which rank: auto (default), block "
                    "or cyclic",
                    OPTION_MAP, BOTH, 0, option_set_map, FIELD(map)},
    [OPTION_INCLUDE] = {"include", "GLOB",
                        "only tensors of these names; repeatable",
                        OPTION_INCLUDE, BOTH | DIFF, 0, option_add_glob,
                        FIELD(include)},
    [OPTION_EXCLUDE] = {"exclude", "GLOB",
                        "no tensors of these names; repeatable", OPTION_EXCLUDE,
                        BOTH | DIFF, 0, option_add_glob, FIELD(exclude)},
    [OPTION_PROCS] = {"procs", "N",
                      "plan for N processes; default one per rank",
                      OPTION_PROCS, PLAN, 0, option_set_process_count,
                      FIELD(process_count)},
    [OPTION_MACHINE] = {"machine", "FILE",
                        "file of the machine's numbers, see dtx-calibrate(1)",
                        OPTION_MACHINE, BOTH | CALIBRATE, 0, option_set_text,
                        FIELD(machine)},
    [OPTION_CACHED] = {"cached", NULL,
                       "measure reading what is still in memory", OPTION_CACHED,
                       CALIBRATE, 0, option_set_switch, FIELD(is_cached)},
    [OPTION_DRY_RUN] = {"dry-run", NULL,
                        "only print what would be done, as `dtx plan` does",
                        OPTION_DRY_RUN, RESHARD, 0, option_set_switch,
                        FIELD(is_dry_run)},
    [OPTION_TRANSFERS] = {"transfers", "FILE",
                          "write every transfer, one JSON object a line; "
                          "- is stdout",
                          OPTION_TRANSFERS, BOTH, 0, option_set_text,
                          FIELD(transfers)},
    [OPTION_HTML] = {"html", "FILE", "write the plan as a page for a browser",
                     OPTION_HTML, PLAN, 0, option_set_text, FIELD(html)},
    [OPTION_RANKFILE] = {"rankfile", "FILE",
                         "write the host of each target rank, for srun and "
                         "mpiexec",
                         OPTION_RANKFILE, PLAN, 0, option_set_text,
                         FIELD(rankfile)},
    [OPTION_HOSTS] = {"hosts", "FILE",
                      "the hosts of the processes, for --rankfile",
                      OPTION_HOSTS, PLAN, 0, option_set_hosts, FIELD(hosts)},
    [OPTION_JSON] = {"json", NULL, "one JSON document on standard output",
                     OPTION_JSON, BOTH | INSPECT | COMPARE | VERSION, 0,
                     option_set_switch, FIELD(is_json)},
    [OPTION_FORCE] = {"force", NULL, "replace an existing target", OPTION_FORCE,
                      RESHARD | INIT, 0, option_set_switch, FIELD(is_forced)},
    [OPTION_VERIFY] = {"verify", NULL,
                       "read the result back before it takes its place",
                       OPTION_VERIFY, RESHARD, 0, option_set_switch,
                       FIELD(is_verified)},
    [OPTION_RESUME] = {"resume", NULL, "go on with an interrupted run",
                       OPTION_RESUME, RESHARD, 0, option_set_switch,
                       FIELD(is_resumed)},
    [OPTION_CHECKPOINT_EVERY] =
        {"checkpoint-every", "S",
         "make what is done safe every S seconds; default 20",
         OPTION_CHECKPOINT_EVERY, RESHARD, 0, option_set_checkpoint_every,
         FIELD(checkpoint_seconds)},
    [OPTION_CHECK_REPLICAS] =
        {"check-replicas", "C",
         "compare replicas first: sample (default), all, none",
         OPTION_CHECK_REPLICAS, RESHARD, 0, option_set_check_replicas,
         FIELD(check_replicas)},
    [OPTION_PROGRESS] = {"progress", "P",
                         "auto (default), plain (a line every 10 s), bar or "
                         "none",
                         OPTION_PROGRESS, BOTH | INSPECT | COMPARE, 0,
                         option_set_progress, FIELD(progress)},
    [OPTION_QUIET] = {"quiet", NULL, "no warnings and no progress",
                      OPTION_QUIET, BOTH | INSPECT | COMPARE | CALIBRATE | INIT,
                      'q', option_set_switch, FIELD(is_quiet)},
    [OPTION_VERBOSE] = {"verbose", NULL, "say more about what is done",
                        OPTION_VERBOSE, BOTH | INSPECT, 'v', option_set_switch,
                        FIELD(is_verbose)},
    [OPTION_HELP] = {"help", NULL, "print this help", OPTION_HELP, ALL, 'h',
                     option_set_switch, FIELD(wants_help)},
    [OPTION_VERSION] = {"version", NULL, "print the version", OPTION_VERSION,
                        ALL, 0, option_set_switch, FIELD(wants_version)},
    [OPTION_TRANSPORT] = {"transport", "T",
                          "what carries it: auto (default), mpi or cuda",
                          OPTION_TRANSPORT, BOTH, 0, option_set_transport,
                          FIELD(transport)},
    [OPTION_DEVICE] = {"device", "D",
                       "where shards live while they move: auto (default), "
                       "cpu or cuda",
                       OPTION_DEVICE, BOTH, 0, option_set_device,
                       FIELD(device)},
    [OPTION_SRC_PROCS] = {"src-procs", "L",
                          "only these processes read, as in 0-7,12",
                          OPTION_SRC_PROCS, BOTH, 0, option_set_processes,
                          FIELD(src_procs)},
    [OPTION_DST_PROCS] = {"dst-procs", "L", "only these processes write",
                          OPTION_DST_PROCS, BOTH, 0, option_set_processes,
                          FIELD(dst_procs)},
    [OPTION_MESH] = {"mesh", "MESH",
                     "the mesh, as in dp=2,tp=4; outermost "
                     "axis first",
                     OPTION_MESH, INIT, 0, option_set_mesh, FIELD(mesh)},
    [OPTION_LIKE] = {"like", "LAYOUT", "take the rules of this layout",
                     OPTION_LIKE, INIT, 0, option_set_text, FIELD(like)},
    [OPTION_CATALOG] = {"catalog", "TABLE",
                        "a tensor table with the whole shapes", OPTION_CATALOG,
                        INIT, 0, option_set_text, FIELD(catalog)},
    [OPTION_PATH] = {"path", "TEMPLATE",
                     "the files' names, as in step/rank-{rank:05}.h5",
                     OPTION_PATH, INIT, 0, option_set_text, FIELD(path)},
    [OPTION_OUTPUT] = {"output", "FILE",
                       "write there, and not to standard output", OPTION_OUTPUT,
                       INIT, 'o', option_set_text, FIELD(output)},
    [OPTION_TENSOR] = {"tensor", "NAME",
                       "only this tensor, in detail: who holds what",
                       OPTION_TENSOR, PLAN | INSPECT, 0, option_set_text,
                       FIELD(tensor)},
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

enum dtx_status
argument_set(struct arguments *arguments, const struct option_entry *entry,
             const char *origin, const char *value, struct dtx_error *err)
{
    return entry->set((char *)arguments + entry->field, origin, value, err);
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
