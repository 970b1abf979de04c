#include "engine/commit/unfinished.h"

#include <string.h>

#include "engine/commit/journal.h"
#include "layout/layout.h"
#include "manifest/manifest.h"
#include "storage/storage.h"
#include "util/error.h"
#include "util/names.h"

/* The files of a layout, as a journal names them. */
struct looking {
    struct dtx_names files;
    bool is_found;
};

static void
look(const char *path, void *context)
{
    struct looking *looking = context;

    looking->is_found |= dtx_names_find(&looking->files, path) >= 0;
}

static enum dtx_status
name_files(const struct dtx_layout *layout, const char *journal,
           struct dtx_names *files, struct dtx_error *err)
{
    struct dtx_text path = {0};
    bool failed = false;
    int i;

    for (i = 0; i < layout->mesh.position_count && !failed; i++) {
        path.length = 0;
        dtx_layout_file(layout, i, &path);
        failed = path.failed ||
                 dtx_names_add(files, journal_relative(journal, path.data)) < 0;
    }
    dtx_text_finish(&path);
    return failed ? dtx_error_memory(err) : DTX_OK;
}

static enum dtx_status
refuse(const struct dtx_layout *layout, const char *journal,
       struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_SOURCE,
                  "the checkpoint of '%s' is unfinished: a run that writes it "
                  "is under way or was interrupted",
                  layout->file);
    dtx_error_hint(err,
                   "the same run with --resume finishes it; its journal "
                   "is '%s'",
                   journal);
    return DTX_ERR_SOURCE;
}

/* Looks into one journal, if it is there. */
static enum dtx_status
check_journal(const struct dtx_layout *layout, struct dtx_storage *storage,
              const char *journal, struct dtx_error *err)
{
    struct looking looking = {0};
    struct dtx_text content = {0};
    enum dtx_status status = DTX_OK;

    if (storage->ops->journal_peek(storage, journal, &content) &&
        content.length > 0 && journal_has_begun(content.data)) {
        status = name_files(layout, journal, &looking.files, err);
        if (status == DTX_OK) {
            status = journal_each_file(content.data, look, &looking, err);
        }
        if (status == DTX_OK && looking.is_found) {
            status = refuse(layout, journal, err);
        }
    }
    dtx_names_finish(&looking.files);
    dtx_text_finish(&content);
    return status;
}

/* Where one file is read, the journal of a target of several in its folder. */
static void
add_journal_of_folder(const char *journal, struct dtx_text *text)
{
    const char *below = journal_relative(journal, journal);

    dtx_text_add_bytes(text, journal, (size_t)(below - journal));
    dtx_text_add(text, "manifest.journal");
}

enum dtx_status
engine_refuse_unfinished(const struct dtx_layout *layout,
                         struct dtx_storage *storage, struct dtx_error *err)
{
    struct dtx_text own = {0}, folder = {0};
    enum dtx_status status;

    dtx_manifest_journal_path(layout, &own);
    if (!own.failed) {
        add_journal_of_folder(own.data, &folder);
    }
    if (own.failed || folder.failed) {
        status = dtx_error_memory(err);
    } else {
        status = check_journal(layout, storage, own.data, err);
        if (status == DTX_OK && strcmp(own.data, folder.data) != 0) {
            status = check_journal(layout, storage, folder.data, err);
        }
    }
    dtx_text_finish(&own);
    dtx_text_finish(&folder);
    return status;
}
