/*
 * The program: finds the command, begins a session, reads the arguments, and
 * runs the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dtx/guard.h>
#include <dtx/version.h>

#include "command.h"
#include "help.h"
#include "options.h"
#include "report.h"
#include "session.h"
#include "signals.h"
#include "util/error.h"

/*
 * Keeps files that are opened later from taking the place of a standard
 * stream that was closed: a message would end up in a checkpoint. The streams
 * stay useless, so that writing to them is an error.
 */
static void
occupy_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            _exit(DTX_ERR_INTERNAL);
        }
    }
}

/* What these two would end the program for, the failing write says as well:
 * a reader that went away, and a file longer than the user may make it. */
static void
ignore_signals_of_writes(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

/* What stands before any command: --help, --version, or a mistake. */
static enum dtx_status
run_without_command(const char *word, struct dtx_error *err)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return help_print(NULL, err);
    }
    if (strcmp(word, "--version") == 0) {
        return version_print(err);
    }
    dtx_error_set(err, DTX_ERR_INVALID, "option '%s' stands before the command",
                  word);
    dtx_error_hint(err, "usage: dtx COMMAND [options]");
    return DTX_ERR_INVALID;
}

static enum dtx_status
run_parsed(const struct arguments *arguments, struct session *session,
           struct dtx_error *err)
{
    report_set_quiet(arguments->is_quiet);
    if (arguments->wants_help) {
        return session_settle(session, help_print(arguments->command, err),
                              err);
    }
    if (arguments->wants_version) {
        return session_settle(session, version_print(err), err);
    }
    environment_warn();
    return arguments->command->run(arguments, session, err);
}

/* Several programs can be one job; what one version says to itself, another
 * need not understand. */
static enum dtx_status
check_version(struct session *session, struct dtx_error *err)
{
    bool is_alike;
    enum dtx_status status = session_compare(
        session, text_fingerprint(dtx_version()), &is_alike, err);

    if (status != DTX_OK || is_alike) {
        return status;
    }
    dtx_error_set(err, DTX_ERR_INVALID,
                  "the processes run different versions of dtx");
    dtx_error_hint(err, "process 0 runs %s", dtx_version());
    return DTX_ERR_INVALID;
}

/*
 * The command line is the same everywhere, but the environment need not be:
 * processes that take different ways would wait for each other for ever.
 */
static enum dtx_status
check_arguments(const struct arguments *arguments, struct session *session,
                struct dtx_error *err)
{
    bool is_alike;
    enum dtx_status status = session_compare(
        session, arguments_fingerprint(arguments), &is_alike, err);

    if (status != DTX_OK || is_alike) {
        return status;
    }
    dtx_error_set(err, DTX_ERR_INVALID,
                  "the processes have been given different options");
    dtx_error_hint(err, "environment variables DTX_... count on each node");
    return DTX_ERR_INVALID;
}

static enum dtx_status
run_command(const struct command *command, int argc, char **argv,
            struct session *session, struct dtx_error *err)
{
    struct arguments arguments;
    enum dtx_status status =
        arguments_parse(command, argc, argv, &arguments, err);

    status = session_settle(session, status, err);
    if (status == DTX_OK) {
        status = check_arguments(&arguments, session, err);
    }
    session->arguments = &arguments;
    if (status == DTX_OK) {
        status = run_parsed(&arguments, session, err);
    }
    arguments_finish(&arguments);
    return status;
}

/* Once all processes have come to their end. */
static void
leave_interrupted(struct session *session)
{
    struct dtx_error ignored;

    (void)!session_settle(session, DTX_OK, &ignored);
    if (session->process == 0) {
        signals_tell_mpirun(DTX_ERR_INTERRUPTED);
    }
}

static enum dtx_status
run_session(const struct command *command, int argc, char **argv,
            struct dtx_error *err)
{
    struct session session;
    enum dtx_status status, guarded = DTX_OK;
    struct dtx_error guard_err;

    signals_before_mpi(command->can_stop);
    if (command->reads_files) {
        guarded = dtx_guard_start(0, &guard_err);
    }
    status = session_begin(&session, command->uses_mpi, err);
    signals_after_mpi(command->can_stop);
    if (status == DTX_OK) {
        *err = guarded == DTX_OK ? *err : guard_err;
        status = session_settle(&session, guarded, err);
    }
    if (status == DTX_OK) {
        status = check_version(&session, err);
    }
    if (status == DTX_OK) {
        status = run_command(command, argc, argv, &session, err);
    }
    if (status != DTX_OK) {
        report_error(err);
    }
    if (status == DTX_ERR_INTERRUPTED) {
        leave_interrupted(&session);
    }
    session_end(&session);
    dtx_guard_stop();
    return status;
}

int
main(int argc, char **argv)
{
    const struct command *command = NULL;
    struct dtx_error err = {0};
    enum dtx_status status;

    occupy_streams();
    ignore_signals_of_writes();
    report_set_speaker(!session_is_copy());
    if (argc < 2) {
        help_print_usage();
        return DTX_ERR_INVALID;
    }
    if (argv[1][0] == '-') {
        status = run_without_command(argv[1], &err);
    } else {
        status = command_find(argv[1], &command, &err);
    }
    if (status == DTX_OK && command != NULL) {
        return (int)run_session(command, argc - 1, argv + 1, &err);
    }
    if (status != DTX_OK) {
        report_error(&err);
    }
    return (int)status;
}
