/*
 * Holds a checkpoint against the tensor table that its layout names.
 */
#ifndef DTX_CLI_TABLE_CHECK_H
#define DTX_CLI_TABLE_CHECK_H

#include <dtx/catalog.h>
#include <dtx/diagnostic.h>
#include <dtx/layout.h>

/*
 * Local. DTX_ERR_SOURCE where a tensor is missing in the files, isn't in the
 * table, or has another shape or dtype there; the message names the first.
 */
enum dtx_status table_check(const struct dtx_layout *layout,
                            const struct dtx_catalog *files,
                            const struct dtx_catalog *table,
                            struct dtx_diagnostics *list,
                            struct dtx_error *err);

#endif
