/*
 * Paths as text: nothing here looks at files, or knows of links.
 */
#ifndef DTX_UTIL_PATH_H
#define DTX_UTIL_PATH_H

#include <stdbool.h>

#include "util/text.h"

/*
 * Adds the way from a folder to a file, both named from one place: from
 * "run/view" to "run/a.h5" it is "../a.h5". An absolute and a relative name
 * are from different places.
 *
 * Returns false, with nothing added, where it can't be told: where the way
 * would lead into a folder that '..' has left. out->failed tells of memory.
 */
bool dtx_path_relative(const char *folder, const char *path,
                       struct dtx_text *out);

/* True where two names from one place are the same but for "//" and "/./". */
bool dtx_path_equal(const char *a, const char *b);

/* True where a part between slashes is empty or ".": what reads the path back
 * calls it by another name. */
bool dtx_path_has_idle_part(const char *path);

#endif
