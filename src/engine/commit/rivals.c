#include "engine/commit/rivals.h"

#include <string.h>

#include "engine/commit/journal.h"
#include "storage/stop.h"
#include "util/error.h"
#include "util/names.h"
#include "util/text.h"

struct search {
    struct engine *e;
    const char *own;
    struct dtx_names seen; /* journals that were looked at */
    const char *journal;   /* that is being read */
    struct dtx_text path;  /* of one of its files */
    const char *common;    /* a file of this run's, too; NULL: none yet */
    bool failed;
};

static void
compare_file(const char *file, void *context)
{
    struct search *s = context;
    const char *below = journal_relative(s->journal, s->journal);
    int i;

    s->path.length = 0;
    dtx_text_add_bytes(&s->path, s->journal, (size_t)(below - s->journal));
    dtx_text_add(&s->path, file);
    s->failed |= s->path.failed;
    for (i = 0; i < s->e->files->file_count && !s->failed; i++) {
        const struct dtx_target_file *own = &s->e->files->files[i];

        if (own->create && strcmp(own->path, s->path.data) == 0) {
            s->common = own->path;
        }
    }
}

/* Looks into a journal, once. */
static enum dtx_status
look_into(struct search *s, const char *journal, struct dtx_error *err)
{
    const struct dtx_storage_ops *ops = s->e->storage->ops;
    int known = s->seen.count;
    struct dtx_text content = {0};
    enum dtx_status status = DTX_OK;

    if (dtx_names_add(&s->seen, journal) < 0) {
        return dtx_error_memory(err);
    }
    if (s->seen.count == known || strcmp(journal, s->own) == 0) {
        return DTX_OK;
    }
    s->journal = journal;
    if (ops->journal_peek(s->e->storage, journal, &content) &&
        content.length > 0 && journal_has_begun(content.data)) {
        status = journal_each_file(content.data, compare_file, s, err);
    }
    dtx_text_finish(&content);
    if (status == DTX_OK && s->failed) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK && s->common != NULL) {
        dtx_error_set(err, DTX_ERR_TARGET,
                      "another run writes '%s', or was interrupted: its "
                      "journal is '%s'",
                      s->common, journal);
        dtx_error_hint(err, "let it finish; that run with --resume does");
        status = DTX_ERR_TARGET;
    }
    return status;
}

/* Of the file alone, then of each folder above it. */
static enum dtx_status
look_around(struct search *s, const char *file, struct dtx_error *err)
{
    struct dtx_text journal = {0};
    size_t length = strlen(file);
    enum dtx_status status;

    dtx_text_format(&journal, "%s.manifest.journal", file);
    status = journal.failed ? dtx_error_memory(err)
                            : look_into(s, journal.data, err);
    while (status == DTX_OK && length > 0) {
        length--;
        if (length > 0 && file[length - 1] != '/') {
            continue;
        }
        journal.length = 0;
        dtx_text_add_bytes(&journal, file, length);
        dtx_text_add(&journal, "manifest.journal");
        status = journal.failed ? dtx_error_memory(err)
                                : look_into(s, journal.data, err);
    }
    dtx_text_finish(&journal);
    return status;
}

enum dtx_status
engine_refuse_rivals(struct engine *e, const char *own, struct dtx_error *err)
{
    struct search search = {.e = e, .own = own};
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        status = dtx_stop_heard(err);
        if (status == DTX_OK && e->files->files[i].create) {
            status = look_around(&search, e->files->files[i].path, err);
        }
    }
    dtx_names_finish(&search.seen);
    dtx_text_finish(&search.path);
    return dtx_transport_settle(e->transport, status, err);
}
