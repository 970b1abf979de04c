#include "leftovers.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include <dtx/verify.h>

#include "report.h"
#include "util/names.h"

enum { NUMBER_TEXT = 64 };

struct dtx_layout *
leftovers_look(const struct dtx_layout *target)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char *path = dtx_layout_manifest_path(target);
    struct dtx_layout *old = NULL;
    struct dtx_error err;

    if (list == NULL || path == NULL ||
        dtx_layout_load(path, DTX_SOURCE, list, &old, &err) != DTX_OK) {
        old = NULL;
    }
    dtx_string_free(path);
    dtx_diagnostics_destroy(list);
    return old;
}

/* What a file is known by, whatever path leads to it; "" where there is
 * none. */
static void
identify(const char *path, char number[NUMBER_TEXT])
{
    struct stat status;

    number[0] = '\0';
    if (path != NULL && stat(path, &status) == 0) {
        snprintf(number, NUMBER_TEXT, "%ju:%ju", (uintmax_t)status.st_dev,
                 (uintmax_t)status.st_ino);
    }
}

/* Adds the files of all ranks to a set. */
static void
add_files(struct dtx_names *files, const struct dtx_layout *target)
{
    int position;

    for (position = 0; position < dtx_layout_rank_count(target); position++) {
        char *path = dtx_layout_rank_path(target, position);
        char number[NUMBER_TEXT];

        identify(path, number);
        dtx_names_add(files, number);
        dtx_string_free(path);
    }
}

void
leftovers_warn(const struct dtx_layout *old, const struct dtx_layout *target)
{
    struct dtx_names files = {0};
    char *example = NULL;
    int position, count = 0;

    if (old == NULL) {
        return;
    }
    dtx_names_add(&files, ""); /* what isn't there isn't left */
    add_files(&files, target);
    for (position = 0; position < dtx_layout_rank_count(old); position++) {
        char *path = dtx_layout_rank_path(old, position);
        char number[NUMBER_TEXT];
        int known = files.count;

        identify(path, number);
        if (dtx_names_add(&files, number) < known) {
            dtx_string_free(path);
            continue;
        }
        count++;
        dtx_string_free(example);
        example = path;
    }
    if (count > 0) {
        report_warning("%d file%s of the target that was replaced %s not the "
                       "new one's, and still there: '%s'%s",
                       count, count > 1 ? "s" : "", count > 1 ? "are" : "is",
                       example, count > 1 ? " and others" : "");
    }
    dtx_string_free(example);
    dtx_names_finish(&files);
}
