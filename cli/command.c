#include "command.h"

#include <string.h>

#include "util/error.h"
#include "util/suggest.h"

enum { OPERAND_MANY = 1 << 20 };

static const struct command commands[COMMAND_COUNT] = {
    [COMMAND_RESHARD] = {.id = COMMAND_RESHARD,
                         .name = "reshard",
                         .operands = "SRC DST",
                         .operand_min = 2,
                         .operand_max = 2,
                         .summary = "move a checkpoint into another layout",
                         .about = "Reads the checkpoint that the layout file "
                                  "SRC describes and writes it as DST\n"
                                  "says. Runs alone, or as any number of "
                                  "processes under mpirun or srun.",
                         .uses_mpi = true,
                         .can_stop = true,
                         .reads_files = true,
                         .run = reshard_run},
    [COMMAND_PLAN] = {.id = COMMAND_PLAN,
                      .name = "plan",
                      .operands = "SRC DST",
                      .operand_min = 2,
                      .operand_max = 2,
                      .summary = "print what reshard would do",
                      .about = "Prints what `dtx reshard SRC DST` would read, "
                               "move and write. Reads no tensor\n"
                               "data and needs no mpirun.",
                      .reads_files = true,
                      .run = plan_run},
    [COMMAND_INSPECT] = {.id = COMMAND_INSPECT,
                         .name = "inspect",
                         .operands = "LAYOUT",
                         .operand_min = 1,
                         .operand_max = 1,
                         .summary = "list tensors and ranks, check files "
                                    "against the layout",
                         .about = "Lists the tensors of a checkpoint and what "
                                  "each rank holds, and checks the files\n"
                                  "against the layout.",
                         .reads_files = true,
                         .run = inspect_run},
    [COMMAND_VERIFY] = {.id = COMMAND_VERIFY,
                        .name = "verify",
                        .operands = "LAYOUT [OTHER]",
                        .operand_min = 1,
                        .operand_max = 2,
                        .summary = "check a checkpoint against its manifest "
                                   "or another",
                        .about = "Reads a checkpoint that dtx wrote, every "
                                 "copy of it, and says what isn't as its\n"
                                 "manifest has it. With OTHER, says whether "
                                 "two checkpoints hold equal values,\n"
                                 "whatever their layouts. Leaves with status 1 "
                                 "where they don't.",
                        .uses_mpi = true,
                        .can_stop = true,
                        .reads_files = true,
                        .run = verify_run},
    [COMMAND_DIFF] = {.id = COMMAND_DIFF,
                      .name = "diff",
                      .operands = "LAYOUT OTHER",
                      .operand_min = 2,
                      .operand_max = 2,
                      .summary = "say in what two checkpoints differ",
                      .about = "Compares the tensors of two checkpoints, "
                               "whatever their layouts: names, shapes,\n"
                               "dtypes, and element by element. Leaves with "
                               "status 1 where anything differs.",
                      .uses_mpi = true,
                      .can_stop = true,
                      .reads_files = true,
                      .run = diff_run},
    [COMMAND_HELP] = {.id = COMMAND_HELP,
                      .name = "help",
                      .operands = "[COMMAND]",
                      .operand_max = 1,
                      .summary = "say how a command is used",
                      .about = "Lists the commands, or says how one of them is "
                               "used.",
                      .run = help_run},
    [COMMAND_VERSION] = {.id = COMMAND_VERSION,
                         .name = "version",
                         .operands = "",
                         .summary = "print the versions of dtx and its "
                                    "libraries",
                         .about = "Prints the versions of dtx and of the "
                                  "libraries that it runs with.",
                         .run = version_run},
    [COMMAND_INIT] = {.id = COMMAND_INIT,
                      .name = "init",
                      .operands = "[FILES]",
                      .operand_max = OPERAND_MANY,
                      .summary = "propose a layout file",
                      .about = "Prints a layout file with comments, made from "
                               "what is there: from the files of\na checkpoint "
                               "(or a folder of them), or without files for "
                               "another mesh, from\nthe rules of a layout "
                               "(--mesh, --like). What is no more than likely "
                               "is marked\n'ambiguous'.",
                      .reads_files = true,
                      .run = init_run},
    [COMMAND_CALIBRATE] =
        {.id = COMMAND_CALIBRATE,
         .name = "calibrate",
         .operands = "[FOLDER]",
         .operand_max = 1,
         .summary = "measure this machine, to predict times",
         .about = "Measures files in a folder, messages and memory, in some "
                  "seconds, and saves the\nnumbers for `dtx plan` and `dtx "
                  "reshard`. Run it as reshard will be run.",
         .uses_mpi = true,
         .run = calibrate_run},
    [COMMAND_COMPLETION] = {.id = COMMAND_COMPLETION,
                            .name = "completion",
                            .operands = "SHELL",
                            .operand_min = 1,
                            .operand_max = 1,
                            .summary = "print the completion for a shell",
                            .about = "Prints what makes a shell complete dtx's "
                                     "commands and options: for bash, zsh or\n"
                                     "fish. `meson install` puts it in its "
                                     "place.",
                            .run = completion_run},
};

const struct command *
command_get(enum command_id id)
{
    return &commands[id];
}

/* Sets the error for a name that no command has. */
static enum dtx_status
refuse_unknown(const char *name, struct dtx_error *err)
{
    const char *known[COMMAND_COUNT];
    const char *close;

    for (int i = 0; i < COMMAND_COUNT; i++) {
        known[i] = commands[i].name;
    }
    dtx_error_set(err, DTX_ERR_INVALID, "unknown command '%s'", name);
    close = dtx_suggest(name, known, COMMAND_COUNT);
    if (close != NULL) {
        dtx_error_hint(err, "did you mean 'dtx %s'?", close);
    } else {
        dtx_error_hint(err, "'dtx help' lists the commands");
    }
    return DTX_ERR_INVALID;
}

enum dtx_status
command_find(const char *name, const struct command **command_out,
             struct dtx_error *err)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            *command_out = &commands[i];
            return DTX_OK;
        }
    }
    return refuse_unknown(name, err);
}
