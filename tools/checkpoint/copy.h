/*
 * Copies of layout files, for a model that is scaled down.
 */
#ifndef CHECKPOINT_COPY_H
#define CHECKPOINT_COPY_H

#include "options.h"

/*
 * Copies a layout file to the folder root, with segments, sizes, blocks,
 * shapes and padding scaled, and beside it the table that its `catalog` names,
 * scaled too. The folder is made; files that stand there are replaced.
 */
enum dtx_status copy_layout(const struct options *options,
                            struct dtx_error *err);

#endif
