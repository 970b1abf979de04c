/*
 * A proposal from evidence, once samples are taken.
 */
#ifndef DTX_PROPOSE_PROPOSE_H
#define DTX_PROPOSE_PROPOSE_H

#include <dtx/propose.h>

#include "layout/layout.h"
#include "propose/evidence.h"

/*
 * Writes the layout. See dtx_propose_layout().
 *
 * e  with samples where it wants them
 */
enum dtx_status propose_from_evidence(const struct dtx_layout *files,
                                      const struct evidence *e,
                                      const struct dtx_catalog *table,
                                      const struct dtx_proposed_mesh *mesh,
                                      char **text_out, struct dtx_error *err);

/* A tensor of which a layout for another mesh is proposed. */
struct propose_known {
    const char *name;
    int ndim; /* -1: not known */
    const int64_t *shape;
    const struct dtx_rule *rule; /* of the layout that is there */
};

/* Writes a layout for another mesh. See dtx_propose_like(). count 0: there is
 * no catalog, and the rules must do. */
enum dtx_status propose_from_layout(const struct dtx_layout *layout,
                                    const struct propose_known *tensors,
                                    int count,
                                    const struct dtx_proposed_mesh *mesh,
                                    const char *path, char **text_out,
                                    struct dtx_error *err);

/* The mesh as given, ranks 0, 1, …; false where it is too large. */
bool propose_set_mesh(const struct dtx_proposed_mesh *given,
                      struct dtx_mesh *mesh_out);

#endif
