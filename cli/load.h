/*
 * Inputs: the layouts and the catalog that a command works on.
 */
#ifndef DTX_CLI_LOAD_H
#define DTX_CLI_LOAD_H

#include <stdbool.h>

#include <dtx/catalog.h>
#include <dtx/diagnostic.h>
#include <dtx/layout.h>

#include "options.h"
#include "session.h"

struct inputs {
    struct dtx_diagnostics *list;
    bool is_shown;   /* the list has been */
    int error_count; /* of the list, when the outcome was last settled */
    struct dtx_layout *source;
    struct dtx_layout *target; /* NULL for inspect */
    struct dtx_catalog *catalog;
};

/*
 * Loads a source, and a target where its path isn't NULL, and the catalog of
 * the source: from its files where there are any, else from its tensor table.
 * Where there are both, the files must hold what the table says.
 *
 * Collective over the session; all processes leave with the same status.
 * To be finished even where it fails.
 */
enum dtx_status inputs_load(struct inputs *inputs, struct session *session,
                            const char *source, const char *target,
                            struct dtx_error *err);

/* The same of a checkpoint that is compared. */
enum dtx_status inputs_load_compared(struct inputs *inputs,
                                     struct session *session, const char *name,
                                     struct dtx_error *err);

/* Loads a layout that is verified, and nothing more. Like inputs_load(). */
enum dtx_status inputs_load_layout(struct inputs *inputs,
                                   struct session *session, const char *source,
                                   struct dtx_error *err);

/*
 * Settles the outcome of a part of the work that adds to the list. Where its
 * failure is among the errors that came to the list, it is told by them.
 */
enum dtx_status inputs_settle(struct inputs *inputs, struct session *session,
                              enum dtx_status status, struct dtx_error *err);

/* Shows what the list has gathered, once: when it is complete. */
void inputs_show(struct inputs *inputs);

/* Shows the list, if it wasn't yet, and destroys everything. */
void inputs_finish(struct inputs *inputs);

#endif
