#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "util/error.h"

enum { HOST_TEXT = 256 };

static const char *
variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* Adds the folder of the user's configuration of dtx. */
static bool
add_folder(struct dtx_text *path)
{
    const char *folder = variable("XDG_CONFIG_HOME");
    const char *home = variable("HOME");

    if (folder != NULL && *folder == '/') {
        dtx_text_format(path, "%s/dtx", folder);
    } else if (home != NULL) {
        dtx_text_format(path, "%s/.config/dtx", home);
    } else {
        return false;
    }
    return true;
}

/* A name that is part of a file's. */
static bool
is_usable(const char *name)
{
    return name != NULL && *name != '\0' && strchr(name, '/') == NULL;
}

bool
machine_own_path(struct dtx_text *path)
{
    const char *name = variable("SLURM_CLUSTER_NAME");
    char host[HOST_TEXT] = "";

    if (!is_usable(name)) {
        (void)gethostname(host, sizeof(host) - 1);
        name = host;
    }
    if (!is_usable(name) || !add_folder(path)) {
        return false;
    }
    dtx_text_format(path, "/machine-%s.yaml", name);
    return true;
}

/* Loads the machine's own file, where there is one. */
static enum dtx_status
load_own(struct dtx_diagnostics *list, bool is_verbose,
         struct dtx_machine *machine, struct dtx_error *err)
{
    struct dtx_text path = {0};
    enum dtx_status status = DTX_OK;

    if (machine_own_path(&path) && !path.failed &&
        access(path.data, F_OK) == 0) {
        if (is_verbose) {
            report_remark("times are those of '%s'", path.data);
        }
        status = dtx_machine_load(path.data, list, machine, err);
        if (status == DTX_ERR_INVALID) {
            dtx_error_hint(err, "'dtx calibrate' writes it anew");
        }
    }
    dtx_text_finish(&path);
    return status;
}

/* So many processes share a node, of a job; 0: all do. */
static int
count_per_node(const struct session *session)
{
    int count = 0;

    for (int p = 0; p < session->process_count; p++) {
        count += dtx_transport_node(session->transport, p) == 0;
    }
    return count < session->process_count ? count : 0;
}

enum dtx_status
machine_choose(struct inputs *inputs, struct session *session,
               const struct arguments *arguments,
               struct dtx_machine *machine_out, struct dtx_error *err)
{
    struct dtx_machine machine = *dtx_machine_default();
    enum dtx_status status = DTX_OK;

    if (session->process == 0 && arguments->machine != NULL) {
        status =
            dtx_machine_load(arguments->machine, inputs->list, &machine, err);
    } else if (session->process == 0) {
        status = load_own(inputs->list, arguments->is_verbose, &machine, err);
    }
    status = inputs_settle(inputs, session, status, err);
    if (status == DTX_OK) {
        status = dtx_transport_broadcast(session->transport, 0, &machine,
                                         sizeof(machine), err);
    }
    if (status != DTX_OK) {
        return status;
    }
    if (session->uses_mpi) {
        machine.processes_per_node = count_per_node(session);
    }
    *machine_out = machine;
    return DTX_OK;
}
