/*
 * dtx calibrate: measures, prints the machine file and puts it in its place.
 */
#include <dtx/calibrate.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "output.h"
#include "report.h"
#include "util/error.h"

enum { HOST_TEXT = 256, DATE_TEXT = 64 };

static enum dtx_status
fail(struct dtx_error *err, const char *verb, const char *path)
{
    return dtx_error_set(err, DTX_ERR_TARGET, "cannot %s '%s': %s", verb, path,
                         strerror(errno));
}

/* Makes the folders above a file, from the outermost. */
static enum dtx_status
make_folders(char *path, struct dtx_error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        int failed;

        *slash = '\0';
        failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        if (failed) {
            fail(err, "make the folder", path);
        }
        *slash = '/';
        if (failed) {
            return err->status;
        }
    }
    return DTX_OK;
}

/* Writes a file under another name and puts it in its place, so that nobody
 * ever reads a part of it. */
static enum dtx_status
save(const char *path, const char *text, struct dtx_error *err)
{
    struct dtx_text other = {0};
    struct output output;
    enum dtx_status status;

    dtx_text_format(&other, "%s.tmp", path);
    if (other.failed) {
        return dtx_error_memory(err);
    }
    status = output_open(&output, other.data, err);
    if (status == DTX_OK) {
        output_add(&output, text, strlen(text));
        status = output_close(&output, err);
    }
    if (status == DTX_OK && rename(other.data, path) != 0) {
        status = fail(err, "write", path);
    }
    if (status != DTX_OK) {
        (void)unlink(other.data);
    }
    dtx_text_finish(&other);
    return status;
}

/* Saves where the user says, or else with the user's configuration. */
static enum dtx_status
save_as_asked(const struct arguments *arguments, const char *text,
              struct dtx_error *err)
{
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;

    if (arguments->machine != NULL) {
        dtx_text_add(&path, arguments->machine);
    } else if (!machine_own_path(&path)) {
        dtx_error_set(err, DTX_ERR_TARGET,
                      "there is no folder for the user's configuration");
        dtx_error_hint(err, "say where to save with '--machine FILE'");
        status = err->status;
    }
    if (path.failed) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK && arguments->machine == NULL) {
        status = make_folders(path.data, err);
    }
    if (status == DTX_OK) {
        status = save(path.data, text, err);
    }
    if (status == DTX_OK && !arguments->is_quiet) {
        report_remark("saved as '%s'", path.data);
    }
    dtx_text_finish(&path);
    return status;
}

static int
count_nodes(const struct session *session)
{
    int count = 0;

    for (int p = 0; p < session->process_count; p++) {
        count += dtx_transport_node(session->transport, p) == count;
    }
    return count;
}

/* Adds a folder by a name that says where it is. */
static void
add_folder(struct dtx_text *text, const char *folder)
{
    char current[PATH_MAX];

    if (*folder == '/' || getcwd(current, sizeof(current)) == NULL) {
        dtx_text_add(text, folder);
    } else if (strcmp(folder, ".") == 0) {
        dtx_text_add(text, current);
    } else {
        dtx_text_format(text, "%s/%s", current, folder);
    }
}

static void
add_heading(struct dtx_text *heading, const struct session *session,
            const struct dtx_calibrate_options *options)
{
    int node_count = count_nodes(session);
    char host[HOST_TEXT] = "";
    char date[DATE_TEXT] = "";
    time_t now = time(NULL);
    struct tm local;

    (void)gethostname(host, sizeof(host) - 1);
    if (localtime_r(&now, &local) != NULL) {
        (void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &local);
    }
    dtx_text_format(heading,
                    "Measured by dtx calibrate on %s, %s,\n"
                    "with %d process%s on %d node%s, in ",
                    host, date, session->process_count,
                    session->process_count == 1 ? "" : "es", node_count,
                    node_count == 1 ? "" : "s");
    add_folder(heading, options->folder);
    dtx_text_format(heading,
                    "%s\nWhat couldn't be measured stands behind a #, with its "
                    "default.\ndtx-calibrate(1) says what the numbers are.",
                    options->is_cached ? ", read from memory." : ".");
}

/* Prints the machine file, and saves it. On one process. */
static enum dtx_status
tell(const struct dtx_machine *machine, const struct arguments *arguments,
     const struct session *session, const struct dtx_calibrate_options *options,
     struct dtx_error *err)
{
    struct dtx_text heading = {0};
    struct dtx_text copy = {0};
    char *text = NULL;
    enum dtx_status status = DTX_OK;

    add_heading(&heading, session, options);
    if (!heading.failed) {
        text = dtx_machine_text(machine, dtx_machine_default(), heading.data);
    }
    dtx_text_finish(&heading);
    if (text == NULL) {
        return dtx_error_memory(err);
    }
    if (arguments->machine == NULL || strcmp(arguments->machine, "-") != 0) {
        status = save_as_asked(arguments, text, err);
    }
    if (status == DTX_OK) {
        dtx_text_add(&copy, text);
        status = output_text(&copy, err);
    }
    dtx_string_free(text);
    return status;
}

enum dtx_status
calibrate_run(const struct arguments *arguments, struct session *session,
              struct dtx_error *err)
{
    const struct dtx_calibrate_options options = {
        .folder = arguments->operand_count > 0 ? arguments->operands[0] : ".",
        .is_cached = arguments->is_cached};
    struct dtx_machine machine;
    enum dtx_status status =
        dtx_calibrate(session->transport, &options, &machine, err);

    if (status == DTX_OK && session->process == 0) {
        status = tell(&machine, arguments, session, &options, err);
    }
    return session_settle(session, status, err);
}
