/*
 * The journal of a storage in memory: a file of text with a lock.
 */
#include <string.h>

#include "storage/journal_file.h"
#include "storage/memory/memory_files.h"
#include "util/alloc.h"
#include "util/error.h"

/* Adds a file of empty text. */
static struct dtx_memory_file *
make(struct dtx_memory_files *files, const char *path)
{
    char *text = dtx_strdup("");
    struct dtx_memory_file *file =
        text == NULL ? NULL : dtx_memory_add_file(files, path);

    if (file == NULL) {
        dtx_free(text);
        return NULL;
    }
    file->text = text;
    return file;
}

enum dtx_status
dtx_memory_journal_open(struct dtx_memory_files *files, const char *path,
                        struct dtx_text *content, struct dtx_error *err)
{
    struct dtx_memory_file *file = dtx_memory_find_file(files, path);

    if (file != NULL && file->is_locked) {
        return dtx_error_set(err, DTX_ERR_TARGET,
                             "another run is writing this target: it holds "
                             "'%s'",
                             path);
    }
    if (file == NULL) {
        file = make(files, path);
    }
    if (file == NULL) {
        return dtx_error_memory(err);
    }
    if (!dtx_journal_begins(file->text, strlen(file->text))) {
        return dtx_journal_refuse_other(path, err);
    }
    dtx_text_add(content, file->text);
    if (content->failed) {
        return dtx_error_memory(err);
    }
    file->is_locked = true;
    return DTX_OK;
}

enum dtx_status
dtx_memory_journal_append(struct dtx_memory_files *files, const char *path,
                          const char *lines, struct dtx_error *err)
{
    struct dtx_memory_file *file = dtx_memory_find_file(files, path);
    struct dtx_text text = {0};

    dtx_text_add(&text, file->text);
    dtx_text_add(&text, lines);
    if (text.failed) {
        dtx_text_finish(&text);
        return dtx_error_memory(err);
    }
    dtx_free(file->text);
    file->text = text.data;
    return DTX_OK;
}

void
dtx_memory_journal_cut(struct dtx_memory_files *files, const char *path,
                       uint64_t bytes)
{
    dtx_memory_find_file(files, path)->text[bytes] = '\0';
}

void
dtx_memory_journal_close(struct dtx_memory_files *files, const char *path,
                         bool has_served)
{
    if (has_served) {
        dtx_memory_remove_file(files, path);
    } else {
        dtx_memory_find_file(files, path)->is_locked = false;
    }
}
