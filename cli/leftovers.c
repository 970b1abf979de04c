#include "leftovers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <dtx/verify.h>

#include "report.h"
#include "signals.h"
#include "util/alloc.h"
#include "util/text.h"

enum { NUMBER_TEXT = 64 };

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

/* ---------------------------------------------------------------- before */

/* The layout that a manifest is; NULL where there is none that can be read. */
static struct dtx_layout *
load(const char *path)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    if (list == NULL ||
        dtx_layout_load(path, DTX_SOURCE, list, &layout, &err) != DTX_OK) {
        layout = NULL;
    }
    dtx_diagnostics_destroy(list);
    return layout;
}

/* Loads a manifest, if it is there and new. */
static void
try_manifest(struct leftovers *l, const char *path)
{
    int known = l->tried.count;
    struct stat status;
    struct dtx_layout *old;

    if (dtx_names_add(&l->tried, path) < known || stat(path, &status) != 0 ||
        dtx_grow(&l->old, l->old_count, &l->capacity,
                 sizeof(struct dtx_layout *)) != 0) {
        return;
    }
    old = load(path);
    if (old != NULL) {
        l->old[l->old_count++] = old;
    }
}

/* Tries the manifests that could list a file: its own, and those of the
 * folders that it is in. */
static void
try_those_of(struct leftovers *l, const char *file)
{
    struct dtx_text path = {0};
    size_t length = strlen(file);

    dtx_text_format(&path, "%s.manifest.yaml", file);
    while (!path.failed) {
        try_manifest(l, path.data);
        while (length > 0 && file[length - 1] != '/') {
            length--;
        }
        path.length = 0;
        dtx_text_add_bytes(&path, file, length);
        dtx_text_add(&path, "manifest.yaml");
        if (path.failed || dtx_names_find(&l->tried, path.data) >= 0) {
            break; /* then those above it were tried, too */
        }
        length -= length > 0;
    }
    dtx_text_finish(&path);
}

void
leftovers_look(struct leftovers *l, const struct dtx_layout *target)
{
    int position;

    for (position = 0;
         position < dtx_layout_rank_count(target) && !signals_must_stop();
         position++) {
        char *path = dtx_layout_rank_path(target, position);

        if (path != NULL) {
            try_those_of(l, path);
        }
        dtx_string_free(path);
    }
    l->own = dtx_layout_manifest_path(target);
    if (l->own != NULL) {
        try_manifest(l, l->own);
    }
}

/* ---------------------------------------------------------------- after */

/* Files of old targets, while they are held against the new one's. */
struct left {
    struct dtx_names is_new, is_counted;
    char *example; /* the first that is left, or NULL */
};

static bool
is_new(const struct left *left, const char *path)
{
    char number[NUMBER_TEXT];

    identify(path, number);
    return number[0] != '\0' && dtx_names_find(&left->is_new, number) >= 0;
}

/* The files that a manifest lists, one after another, and at last the manifest
 * itself; NULL behind it, or once the run must stop. Owned by the caller. */
static char *
file_of(const struct dtx_layout *manifest, int index)
{
    int count = dtx_layout_written_count(manifest);
    struct dtx_text own = {0};

    if (signals_must_stop()) {
        return NULL;
    }
    if (index < count) {
        return dtx_layout_written_path(manifest, index);
    }
    if (index == count) {
        dtx_text_add(&own, dtx_layout_file_name(manifest));
    }
    return own.data;
}

static void
add_new(struct left *left, const struct dtx_layout *manifest)
{
    char number[NUMBER_TEXT], *path;

    for (int i = 0; (path = file_of(manifest, i)) != NULL; i++) {
        identify(path, number);
        (void)dtx_names_add(&left->is_new, number);
        dtx_string_free(path);
    }
}

/* True where one of an old target's files is the new one's now. */
static bool
is_replaced(const struct left *left, const struct dtx_layout *old)
{
    bool found = false;
    char *path;

    for (int i = 0; !found && (path = file_of(old, i)) != NULL; i++) {
        found = is_new(left, path);
        dtx_string_free(path);
    }
    return found;
}

static void
count_left(struct left *left, const struct dtx_layout *old)
{
    char number[NUMBER_TEXT], *path;

    for (int i = 0; (path = file_of(old, i)) != NULL; i++) {
        identify(path, number);
        if (number[0] != '\0' && !is_new(left, path)) {
            (void)dtx_names_add(&left->is_counted, number);
            if (left->example == NULL) {
                left->example = path;
                continue;
            }
        }
        dtx_string_free(path);
    }
}

void
leftovers_warn(const struct leftovers *l)
{
    struct dtx_layout *now = l->old_count > 0 ? load(l->own) : NULL;
    struct left left = {0};
    int count;

    if (now == NULL) {
        return;
    }
    add_new(&left, now);
    for (size_t i = 0; i < l->old_count; i++) {
        if (is_replaced(&left, l->old[i])) {
            count_left(&left, l->old[i]);
        }
    }
    count = left.is_counted.count;
    if (count > 0 && !signals_must_stop()) {
        report_warning("%d file%s of the target that was replaced %s not the "
                       "new one's, and still there: '%s'%s",
                       count, count > 1 ? "s" : "", count > 1 ? "are" : "is",
                       left.example, count > 1 ? " and others" : "");
    }
    dtx_string_free(left.example);
    dtx_names_finish(&left.is_new);
    dtx_names_finish(&left.is_counted);
    dtx_layout_destroy(now);
}

void
leftovers_finish(struct leftovers *l)
{
    for (size_t i = 0; i < l->old_count; i++) {
        dtx_layout_destroy(l->old[i]);
    }
    dtx_free(l->old);
    dtx_string_free(l->own);
    dtx_names_finish(&l->tried);
}
