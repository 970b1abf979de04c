/*
 * Marks: what tells the complete files of a target from others.
 *
 * The journal has a file's mark, its bytes and when they were last changed,
 * from when all files are complete. A file keeps it when it is put in place;
 * so a run that is gone on with knows whether what it finds, under either
 * name, is what was complete, or something else that stands there: the old
 * target's, where the new file was lost.
 */
#ifndef DTX_ENGINE_COMMIT_MARKS_H
#define DTX_ENGINE_COMMIT_MARKS_H

#include "engine/engine.h"
#include "util/names.h"

/* Adds the lines of the journal that have the marks of all files, whichever
 * process made them, to the leader's text. Collective and settled. */
enum dtx_status engine_gather_marks(struct engine *e, struct dtx_text *lines,
                                    struct dtx_error *err);

/*
 * Holds the files against the marks of a journal, where they are put in place.
 * Collective and settled.
 *
 * content  the journal's; the leader's alone is looked at
 *
 * Fails with DTX_ERR_TARGET where one is gone or has changed.
 */
enum dtx_status engine_check_marks(struct engine *e, const char *content,
                                   struct dtx_error *err);

/* True where the file at a path has the mark that a journal has of it.
 *
 * marks  of journal_read_marks()
 * file   as the journal names it
 */
bool engine_has_mark(struct dtx_storage *storage, const struct dtx_names *marks,
                     const char *path, const char *file);

#endif
