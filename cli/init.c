/*
 * Proposing a layout file.
 */
#include <string.h>
#include <unistd.h>

#include <dtx/plan.h>
#include <dtx/propose.h>

#include "file_search.h"
#include "load.h"
#include "output.h"
#include "report.h"
#include "session.h"
#include "util/error.h"
#include "util/text.h"

/* What a proposal is made from, to be finished. */
struct init {
    const struct arguments *arguments;
    struct session *session;
    struct dtx_proposed_mesh mesh;
    struct dtx_text folder; /* of the layout file */
    struct file_list files;
    struct dtx_diagnostics *list;
    struct dtx_layout *layout; /* of the files, or to be like */
    struct dtx_catalog *catalog;
    struct dtx_catalog *table;
    char *text;
};

static void
set_folder(struct init *init)
{
    const char *path = init->arguments->output;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    if (slash == NULL) {
        dtx_text_add(&init->folder, ".");
    } else {
        dtx_text_add_bytes(&init->folder, path,
                           slash == path ? 1 : (size_t)(slash - path));
    }
}

static enum dtx_status
parse(struct init *init, const char *text, struct dtx_layout **layout_out,
      struct dtx_error *err)
{
    const char *table = init->arguments->catalog;
    const char *file = table != NULL ? table : "its mesh alone";

    return dtx_layout_parse(text, file, init->folder.data, DTX_SOURCE,
                            init->list, layout_out, err);
}

/* Adds the table that the user names to a layout's text. */
static void
add_table(const struct init *init, struct dtx_text *text)
{
    if (init->arguments->catalog != NULL) {
        dtx_text_add(text, "catalog: ");
        dtx_text_quote(text, init->arguments->catalog);
        dtx_text_add(text, "\n");
    }
}

static enum dtx_status
load_table(struct init *init, struct dtx_catalog **table_out,
           struct dtx_error *err)
{
    return dtx_layout_has_table(init->layout)
               ? dtx_catalog_load_table(init->layout, init->list, table_out,
                                        err)
               : DTX_OK;
}

/* ------------------------------------------------------------- from files */

static enum dtx_status
find_files(struct init *init, struct dtx_error *err)
{
    const struct arguments *arguments = init->arguments;
    enum dtx_status status = DTX_OK;

    for (int i = 0; i < arguments->operand_count && status == DTX_OK; i++) {
        status = file_list_add(&init->files, arguments->operands[i], err);
    }
    return status == DTX_OK
               ? file_list_move(&init->files, init->folder.data, err)
               : status;
}

/* Reads names and shapes of all files, as a layout of their names alone has
 * them. */
static enum dtx_status
read_files(struct init *init, struct dtx_error *err)
{
    struct dtx_text text = {0};
    char *names = NULL;
    enum dtx_status status =
        dtx_propose_files((const char *const *)init->files.paths,
                          (int)init->files.count, &names, err);

    if (status != DTX_OK) {
        return status;
    }
    dtx_text_add(&text, names);
    add_table(init, &text);
    dtx_string_free(names);
    status = text.failed ? dtx_error_memory(err)
                         : parse(init, text.data, &init->layout, err);
    dtx_text_finish(&text);
    if (status == DTX_OK) {
        status = load_table(init, &init->table, err);
    }
    return status == DTX_OK
               ? dtx_catalog_read(init->layout, init->session->transport, NULL,
                                  &init->catalog, err)
               : status;
}

/* What was proposed must fit what is there: said, where it doesn't. */
static void
check(struct init *init)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_inspection *inspection = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = DTX_ERR_LIMIT;

    if (list != NULL) {
        status = dtx_layout_parse(init->text, "the proposal", init->folder.data,
                                  DTX_SOURCE, list, &layout, &err);
    }
    if (status == DTX_OK) {
        status = dtx_inspect(layout, init->catalog, list, &inspection, &err);
    }
    if (status != DTX_OK && status != DTX_ERR_LIMIT) {
        report_warning("the proposal doesn't fit the files yet: %s%s%s",
                       err.message, *err.tensor != '\0' ? ", tensor " : "",
                       err.tensor);
    }
    dtx_inspection_destroy(inspection);
    dtx_layout_destroy(layout);
    dtx_diagnostics_destroy(list);
}

static enum dtx_status
init_from_files(struct init *init, struct dtx_error *err)
{
    enum dtx_status status = find_files(init, err);

    if (status == DTX_OK) {
        status = read_files(init, err);
    }
    if (status == DTX_OK) {
        status = dtx_propose_layout(init->layout, init->catalog, init->table,
                                    &init->mesh, &init->text, err);
    }
    if (status == DTX_OK) {
        check(init);
    }
    return status;
}

/* ------------------------------------------------------------ from a layout */

/* Without a layout to be like: all on one rank, of which only the table says
 * what it is. */
static enum dtx_status
make_plain(struct init *init, struct dtx_error *err)
{
    struct dtx_text text = {0};
    enum dtx_status status;

    dtx_text_add(&text, "mesh: {}\ncheckpoint: {path: \"model.h5\"}\n"
                        "tensors: [{name: \"**\", placements: {}}]\n");
    add_table(init, &text);
    status = text.failed ? dtx_error_memory(err)
                         : parse(init, text.data, &init->layout, err);
    dtx_text_finish(&text);
    return status == DTX_OK ? load_table(init, &init->catalog, err) : status;
}

/* The layout to be like, and its tensors, where they are to be had. */
static enum dtx_status
load_like(struct init *init, struct dtx_error *err)
{
    enum dtx_status status = dtx_layout_load(init->arguments->like, DTX_SOURCE,
                                             init->list, &init->layout, err);

    if (status != DTX_OK) {
        return status;
    }
    if (dtx_layout_has_files(init->layout)) {
        return dtx_catalog_read(init->layout, init->session->transport, NULL,
                                &init->catalog, err);
    }
    return load_table(init, &init->catalog, err);
}

static enum dtx_status
init_from_layout(struct init *init, struct dtx_error *err)
{
    enum dtx_status status = init->arguments->like != NULL
                                 ? load_like(init, err)
                                 : make_plain(init, err);

    return status == DTX_OK
               ? dtx_propose_like(init->layout, init->catalog, &init->mesh,
                                  init->arguments->path, init->list,
                                  &init->text, err)
               : status;
}

/* ------------------------------------------------------------------ writing */

static enum dtx_status
write_text(const struct init *init, struct dtx_error *err)
{
    const char *path = init->arguments->output;
    struct output output;
    enum dtx_status status;

    if (path != NULL && strcmp(path, "-") != 0 && !init->arguments->is_forced &&
        access(path, F_OK) == 0) {
        dtx_error_set(err, DTX_ERR_TARGET, "'%s' exists", path);
        dtx_error_hint(err, "--force replaces it");
        return DTX_ERR_TARGET;
    }
    status = output_open(&output, path, err);
    if (status == DTX_OK) {
        output_add(&output, init->text, strlen(init->text));
        status = output_close(&output, err);
    }
    return status;
}

static enum dtx_status
refuse_nothing(struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_INVALID,
                  "'dtx init' needs files, a mesh, or a layout to be like");
    dtx_error_hint(err, "usage: dtx init FOLDER, or dtx init --mesh dp=2,tp=4 "
                        "--like src.yaml");
    return DTX_ERR_INVALID;
}

static enum dtx_status
propose(struct init *init, struct dtx_error *err)
{
    const struct arguments *a = init->arguments;

    if (a->operand_count == 0) {
        return a->mesh.axis_count == 0 && a->like == NULL && !a->mesh.is_given
                   ? refuse_nothing(err)
                   : init_from_layout(init, err);
    }
    if (a->like != NULL || a->path != NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID, "'--%s' goes without files",
                             a->like != NULL ? "like" : "path");
    }
    return init_from_files(init, err);
}

enum dtx_status
init_run(const struct arguments *arguments, struct session *session,
         struct dtx_error *err)
{
    struct init init = {
        .arguments = arguments,
        .session = session,
        .mesh = {.axis_count = arguments->mesh.axis_count,
                 .names = (const char *const *)arguments->mesh.names,
                 .sizes = arguments->mesh.sizes,
                 .is_given = arguments->mesh.is_given},
        .list = dtx_diagnostics_create()};
    enum dtx_status status;

    set_folder(&init);
    status = init.list == NULL || init.folder.failed ? dtx_error_memory(err)
                                                     : propose(&init, err);
    if (init.list != NULL) {
        report_diagnostics(init.list);
        if (status != DTX_OK && dtx_diagnostics_error_count(init.list) > 0) {
            report_error_is_told();
        }
    }
    if (status == DTX_OK) {
        status = write_text(&init, err);
    }
    dtx_string_free(init.text);
    dtx_catalog_destroy(init.table);
    dtx_catalog_destroy(init.catalog);
    dtx_layout_destroy(init.layout);
    dtx_diagnostics_destroy(init.list);
    file_list_finish(&init.files);
    dtx_text_finish(&init.folder);
    return status;
}
