/*
 * Journals: what an unfinished target is to be, and how much of it is safe.
 *
 * A journal is text, a fact a line, and only grows:
 *
 *     dtx-journal 3
 *     version 0.1.0
 *     read SIZE TIME PATH           each file of the source
 *     source 88ab…                  what the source's layout means
 *     target 1f0c…                  the same of the target's
 *     tensors 5d02… 291             which become which
 *     write PATH                    each of the target, below this folder
 *     begin
 *     forced                        the run replaces an old target
 *     sums 0 … … … …                the digests' sums of tensor 0
 *     safe 1 7c3e…                  so many first tensors are durable; and a
 *                                   check of the lines since the last `safe`
 *     mark SIZE TIME PATH           before the last `safe`: each file of the
 *                                   target, which is complete (marks.h)
 *     committing                    all are: files are being put in place
 *
 * The lines to `begin` are the head. A run goes on with a journal whose head
 * is the one that it would write itself; a head that isn't whole says that
 * nothing was written.
 *
 * Nothing here touches files of the target.
 */
#ifndef DTX_ENGINE_COMMIT_JOURNAL_H
#define DTX_ENGINE_COMMIT_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "util/names.h"

/* What stands behind the head. */
struct journal_state {
    bool is_forced;
    bool is_committing;
    int safe;       /* tensors */
    size_t bytes;   /* of the journal that say so: lines behind them are what a
                       crash left of some that were being added */
    uint64_t *sums; /* [DIGEST_KIND_COUNT * safe] tensor by tensor; allocated */
};

/* Adds the head of the run's journal. Looks at the source's files. */
enum dtx_status journal_add_head(const struct engine *e, struct dtx_text *text,
                                 struct dtx_error *err);

/* Adds the lines that say that tensors first to end - 1 are safe, too; sums as
 * in struct journal_state. Where all files are complete, the last ones, with
 * the lines of their marks; otherwise marks is NULL. */
void journal_add_safe(struct dtx_text *text, int first, int end,
                      const uint64_t *sums, const char *marks);

/* Adds the line that has a file's mark; file as journal_each_file() has it. */
void journal_add_mark(struct dtx_text *text, int64_t bytes, int64_t modified_ns,
                      const char *file);

/* The file of such a line, a word to its end. */
const char *journal_mark_file(const char *line);

/* Adds a journal's lines with marks to a set, without their ends. */
enum dtx_status journal_read_marks(const char *content, struct dtx_names *marks,
                                   struct dtx_error *err);

/* True where a journal has a whole head. */
bool journal_has_begun(const char *content);

/* The bytes of a whole head; 0: there is none. */
size_t journal_head_bytes(const char *content);

/* True where the last line says that files are being put in place. */
bool journal_is_committing(const char *content);

/*
 * Reads what stands behind the head, which must be this run's. state_out->sums
 * is to be freed.
 *
 * Fails with DTX_ERR_TARGET where the lines are none of a journal.
 */
enum dtx_status journal_read(const char *path, const struct dtx_text *content,
                             int tensor_count, struct journal_state *state_out,
                             struct dtx_error *err);

/*
 * Holds a journal's head against the head that this run would write. The
 * source's files don't count where the target is being put in place.
 *
 * Fails with DTX_ERR_INVALID or DTX_ERR_SOURCE, and says what has changed.
 */
enum dtx_status journal_compare(const struct engine *e, const char *content,
                                const char *head, struct dtx_error *err);

/* Visits the target's files in a journal, as paths below its folder. */
typedef void journal_visit(const char *path, void *context);
enum dtx_status journal_each_file(const char *content, journal_visit *visit,
                                  void *context, struct dtx_error *err);

/* The path of a file below the journal's folder: path without the folder's. */
const char *journal_relative(const char *journal_path, const char *path);

#endif
