#include "engine/commit/marks.h"

#include "engine/combine.h"
#include "engine/commit/journal.h"
#include "engine/commit/journal_lines.h"
#include "manifest/manifest.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

static enum dtx_status
settle(struct engine *e, enum dtx_status status, struct dtx_error *err)
{
    return dtx_transport_settle(e->transport, status, err);
}

/* Adds the mark of what stands at a path; of nothing, one that no file has. */
static void
add_mark(struct dtx_storage *storage, const char *path, const char *file,
         struct dtx_text *lines)
{
    int64_t bytes, modified_ns;

    if (!storage->ops->mark(storage, path, &bytes, &modified_ns)) {
        bytes = modified_ns = -1;
    }
    journal_add_mark(lines, bytes, modified_ns, file);
}

/* The files that this process makes, where they are by now. */
static enum dtx_status
mark_own(struct engine *e, struct dtx_text *lines, struct dtx_error *err)
{
    struct dtx_text journal = {0};
    enum dtx_status status = DTX_OK;
    int i;

    dtx_manifest_journal_path(e->plan->target, &journal);
    if (journal.failed) {
        status = dtx_error_memory(err);
    }
    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        const struct dtx_target_file *file = &e->files->files[i];

        status = dtx_stop_heard(err);
        if (status == DTX_OK && file->create) {
            add_mark(e->storage,
                     e->storage->ops->exists(e->storage, file->temporary)
                         ? file->temporary
                         : file->path,
                     journal_relative(journal.data, file->path), lines);
        }
    }
    if (status == DTX_OK && lines->failed) {
        status = dtx_error_memory(err);
    }
    dtx_text_finish(&journal);
    return status;
}

enum dtx_status
engine_gather_marks(struct engine *e, struct dtx_text *lines,
                    struct dtx_error *err)
{
    struct dtx_text own = {0};
    char *all = NULL;
    size_t total;
    enum dtx_status status = mark_own(e, &own, err);

    status = engine_gather(e->transport, status, own.data, own.length, &all,
                           &total, err);
    if (status == DTX_OK && engine_leads(e)) {
        dtx_text_add_bytes(lines, all, total);
        status = lines->failed ? dtx_error_memory(err) : DTX_OK;
    }
    dtx_free(all);
    dtx_text_finish(&own);
    return settle(e, status, err);
}

/* A file of which the journal has another mark than this line. */
static enum dtx_status
refuse(const struct engine *e, const char *line, struct dtx_error *err)
{
    const char *word = journal_mark_file(line);
    struct dtx_text journal = {0}, file = {0};

    dtx_manifest_journal_path(e->plan->target, &journal);
    journal_read_path(word, journal_line_length(word), &file);
    if (journal.failed || file.failed) {
        (void)!dtx_error_memory(err);
    } else {
        dtx_error_set(
            err, DTX_ERR_TARGET,
            "cannot go on: the new '%.*s%s' is gone or has changed "
            "since it was complete",
            (int)(journal_relative(journal.data, journal.data) - journal.data),
            journal.data, file.data);
        dtx_error_hint(err, "--force without --resume starts over");
    }
    dtx_text_finish(&journal);
    dtx_text_finish(&file);
    return err->status;
}

/* Process 0. */
static enum dtx_status
compare(const struct engine *e, const char *content,
        const struct dtx_text *lines, struct dtx_error *err)
{
    struct dtx_names marks = {0};
    struct dtx_text one = {0};
    enum dtx_status status = journal_read_marks(content, &marks, err);
    const char *line = lines->length == 0 ? NULL : lines->data;

    for (; line != NULL && status == DTX_OK; line = journal_next_line(line)) {
        one.length = 0;
        dtx_text_add_bytes(&one, line, journal_line_length(line));
        if (one.failed) {
            status = dtx_error_memory(err);
        } else if (dtx_names_find(&marks, one.data) < 0) {
            status = refuse(e, line, err);
        }
    }
    dtx_text_finish(&one);
    dtx_names_finish(&marks);
    return status;
}

enum dtx_status
engine_check_marks(struct engine *e, const char *content, struct dtx_error *err)
{
    struct dtx_text lines = {0};
    enum dtx_status status = engine_gather_marks(e, &lines, err);

    if (status == DTX_OK && engine_leads(e)) {
        status = compare(e, content, &lines, err);
    }
    dtx_text_finish(&lines);
    return settle(e, status, err);
}

bool
engine_has_mark(struct dtx_storage *storage, const struct dtx_names *marks,
                const char *path, const char *file)
{
    struct dtx_text line = {0};
    bool has_it;

    add_mark(storage, path, file, &line);
    if (!line.failed) {
        line.data[line.length - 1] = '\0'; /* its newline */
    }
    has_it = !line.failed && dtx_names_find(marks, line.data) >= 0;
    dtx_text_finish(&line);
    return has_it;
}
