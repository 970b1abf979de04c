/*
 * Where a manifest stands, and what its paths are relative to.
 */
#ifndef DTX_MANIFEST_PATH_H
#define DTX_MANIFEST_PATH_H

#include <stddef.h>

#include "layout/layout.h"
#include "util/text.h"

/* The bytes of a path template's source that are the manifest's folder, with
 * its '/'. */
size_t manifest_folder_length(const struct dtx_template *path);

/* Adds the manifest's folder as files are named: with its '/', or nothing. */
void manifest_add_folder(const struct dtx_layout *target,
                         struct dtx_text *text);

#endif
