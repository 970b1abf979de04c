/*
 * Journal files: text that grows by lines and is locked while a run lasts.
 *
 * The lock is the operating system's, on the open file, so that it ends with
 * the process that holds it however that ends. Network file systems pass it on
 * to their server; where one has no locks, none is held and nobody is kept
 * out.
 *
 * A line counts once its end is there: what a crash tore off is cut away when
 * the journal is opened again.
 */
#ifndef DTX_STORAGE_JOURNAL_FILE_H
#define DTX_STORAGE_JOURNAL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "util/names.h"
#include "util/text.h"

/* What every journal begins with, if it isn't empty. */
#define DTX_JOURNAL_BEGIN "dtx-journal "

/* True for the first bytes of a file that are a journal's, or may become one's:
 * a crash can leave it short. */
bool dtx_journal_begins(const char *bytes, size_t count);

/* Says that what stands at the path is somebody else's. */
enum dtx_status dtx_journal_refuse_other(const char *path,
                                         struct dtx_error *err);

struct dtx_journal_file {
    int fd;
    char *path; /* NULL: none is open */
    uint64_t length;
};

/*
 * Opens and locks a journal, made where there is none, with the folders above
 * it. Never follows a symbolic link.
 *
 * folders  receives the folders that it makes
 * content  gets the lines that are there
 *
 * Fails with DTX_ERR_TARGET, also where another process holds the lock, and
 * where what stands there is no journal, which stays as it is.
 */
enum dtx_status dtx_journal_file_open(struct dtx_journal_file *journal,
                                      const char *path,
                                      struct dtx_names *folders,
                                      struct dtx_text *content,
                                      struct dtx_error *err);

/* Takes out all lines behind the first so many bytes, or adds some; durable on
 * return. */
enum dtx_status dtx_journal_file_cut(struct dtx_journal_file *journal,
                                     uint64_t bytes, struct dtx_error *err);
enum dtx_status dtx_journal_file_append(struct dtx_journal_file *journal,
                                        const char *lines,
                                        struct dtx_error *err);

/* Gives up the lock, and removes the file first where it has served, which can
 * fail (DTX_ERR_TARGET); none need be open. */
enum dtx_status dtx_journal_file_close(struct dtx_journal_file *journal,
                                       bool has_served, struct dtx_error *err);

/* The lines of a journal that another run may hold. False: there is none, or
 * it can't be read. */
bool dtx_journal_file_peek(const char *path, struct dtx_text *content);

#endif
