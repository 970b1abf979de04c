#include "engine/commit/leftovers.h"

#include <string.h>

#include "engine/commit/journal.h"
#include "engine/commit/marks.h"
#include "manifest/manifest.h"
#include "storage/stop.h"
#include "util/error.h"

/* A journal's files while they are visited. */
struct leftovers {
    struct engine *e;
    const char *journal;
    struct dtx_names marks;          /* of the files when all were complete */
    struct dtx_text path, temporary; /* of the file that is visited */
    int placed, waiting;             /* of these, in place and not */
    enum dtx_status status;
    struct dtx_error *err;
};

/* True for a path that can't lead out of the folder below which it is. */
static bool
stays_below(const char *path)
{
    const char *part = path;

    if (path[0] == '/' || path[0] == '\0') {
        return false;
    }
    while (part != NULL) {
        if (part[0] == '.' && part[1] == '.' &&
            (part[2] == '/' || part[2] == '\0')) {
            return false;
        }
        part = strchr(part, '/');
        part = part == NULL ? NULL : part + 1;
    }
    return true;
}

/* Sets the names of a file, as a journal has it. False where the file is not
 * to be touched. */
static bool
name_file(struct leftovers *l, const char *file)
{
    const char *below = journal_relative(l->journal, l->journal);

    if (l->status == DTX_OK) {
        l->status = dtx_stop_heard(l->err);
    }
    if (l->status != DTX_OK || !stays_below(file)) {
        return false;
    }
    l->path.length = l->temporary.length = 0;
    dtx_text_add_bytes(&l->path, l->journal, (size_t)(below - l->journal));
    dtx_text_add(&l->path, file);
    dtx_text_format(&l->temporary, "%s" DTX_TEMPORARY_ENDING,
                    l->path.failed ? "" : l->path.data);
    if (l->path.failed || l->temporary.failed) {
        l->status = dtx_error_memory(l->err);
    }
    return l->status == DTX_OK;
}

static bool
exists(const struct leftovers *l, const struct dtx_text *path)
{
    return l->e->storage->ops->exists(l->e->storage, path->data);
}

static void
count_file(const char *file, void *context)
{
    struct leftovers *l = context;

    if (name_file(l, file)) {
        bool waits = exists(l, &l->temporary);

        l->waiting += waits;
        l->placed += !waits && engine_has_mark(l->e->storage, &l->marks,
                                               l->path.data, file);
    }
}

static void
place_file(const char *file, void *context)
{
    struct leftovers *l = context;

    if (name_file(l, file) && exists(l, &l->temporary)) {
        l->status = l->e->storage->ops->commit(l->e->storage, l->temporary.data,
                                               l->path.data, l->err);
    }
}

/* What was written of a file goes, also of its final form. */
static void
remove_file(const char *file, void *context)
{
    struct leftovers *l = context;

    if (!name_file(l, file)) {
        return;
    }
    l->e->storage->ops->remove(l->e->storage, l->temporary.data);
    dtx_text_add(&l->temporary, DTX_PACKED_ENDING);
    if (l->temporary.failed) {
        l->status = dtx_error_memory(l->err);
    } else {
        l->e->storage->ops->remove(l->e->storage, l->temporary.data);
    }
}

static enum dtx_status
visit_files(struct leftovers *l, const char *content, journal_visit *visit)
{
    enum dtx_status status = journal_each_file(content, visit, l, l->err);

    return status == DTX_OK ? l->status : status;
}

/* Puts in place what an interrupted run had begun to. The old manifest went
 * before that, if its going was durable. */
static enum dtx_status
finish_placing(struct leftovers *l, const char *content)
{
    struct dtx_text manifest = {0};
    enum dtx_status status = DTX_OK;

    dtx_manifest_path(l->e->plan->target, &manifest);
    if (manifest.failed) {
        status = dtx_error_memory(l->err);
    } else {
        l->e->storage->ops->remove(l->e->storage, manifest.data);
        status = visit_files(l, content, place_file);
    }
    dtx_text_finish(&manifest);
    return status;
}

static enum dtx_status
clear(struct leftovers *l, const char *content)
{
    const struct dtx_storage_ops *ops = l->e->storage->ops;
    enum dtx_status status = journal_read_marks(content, &l->marks, l->err);

    if (status == DTX_OK) {
        status = visit_files(l, content, count_file);
    }
    if (status == DTX_OK && journal_is_committing(content) && l->placed > 0 &&
        l->waiting > 0) {
        status = finish_placing(l, content);
    }
    if (status == DTX_OK) {
        status = ops->journal_cut(l->e->storage, journal_head_bytes(content),
                                  l->err);
    }
    if (status == DTX_OK) {
        status = visit_files(l, content, remove_file);
    }
    return status == DTX_OK ? ops->journal_cut(l->e->storage, 0, l->err)
                            : status;
}

enum dtx_status
engine_clear_leftovers(struct engine *e, const char *journal,
                       const char *content, struct dtx_error *err)
{
    struct leftovers l = {.e = e, .journal = journal, .err = err};
    enum dtx_status status = clear(&l, content);

    dtx_names_finish(&l.marks);
    dtx_text_finish(&l.path);
    dtx_text_finish(&l.temporary);
    return status;
}
