/*
 * Files, as the operating system has them.
 *
 * What storage asks of POSIX, with messages in one style: "cannot open
 * 'path': no such file or directory". Everything here is local and safe on
 * several threads at once.
 */
#ifndef DTX_STORAGE_FILES_H
#define DTX_STORAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

#include "util/names.h"

enum { DTX_REASON_TEXT = 256 };

/* Makes a first letter small, but not that of "HDF5". */
void dtx_lower_initial(char *text);

/* What an errno value means, in lower case ("permission denied"). text has
 * room for DTX_REASON_TEXT bytes. Returns text. */
char *dtx_file_reason(int code, char *text);

/* Sets "cannot VERB 'PATH': REASON"; code is an errno value. */
enum dtx_status dtx_file_error(struct dtx_error *err, enum dtx_status status,
                               const char *verb, const char *path, int code);

struct stat;
struct dtx_text;

/*
 * Opens a regular file for reading, without waiting for what else stands
 * there. Returns its descriptor, for the caller to close, or -1 with a reason
 * in words, which lasts until the thread's next call.
 */
int dtx_file_open_regular(const char *path, struct stat *info_out,
                          const char **reason_out);

/* Opens a regular file for reading. DTX_ERR_SOURCE where it can't be, or is
 * a folder or a device. fd_out is owned by the caller. */
enum dtx_status dtx_file_open_source(const char *path, int *fd_out,
                                     uint64_t *bytes_out,
                                     struct dtx_error *err);

/* Opens a target file that stands already, for writing. Never follows a
 * symbolic link. */
enum dtx_status dtx_file_open_target(const char *path, int *fd_out,
                                     struct dtx_error *err);

/*
 * Reads or writes a range whole, over signals and short transfers.
 *
 * Return 0, an errno value, or (reading) DTX_FILE_ENDS where the file ends
 * before the range does.
 */
enum { DTX_FILE_ENDS = -1 };
int dtx_file_read_at(int fd, void *buffer, size_t bytes, uint64_t offset);
int dtx_file_write_at(int fd, const void *buffer, size_t bytes,
                      uint64_t offset);

/* Cuts or lengthens an open file, over signals. Returns 0 or an errno value. */
int dtx_file_set_length(int fd, uint64_t bytes);

/*
 * Reserves the space of an open file up to a number of bytes, which it is
 * long then, so that a full disk shows now. Its content stays, and what is new
 * reads as zeros. File systems that can't reserve are left alone; where
 * reserving fills pages, in memory, the file is only lengthened.
 */
enum dtx_status dtx_file_reserve(int fd, uint64_t bytes, const char *path,
                                 struct dtx_error *err);

/* DTX_ERR_TARGET where the file system that holds the file's folder has less
 * than so many bytes free, or the user may not make a file of so many: HDF5
 * doesn't survive a file that it can't close. */
enum dtx_status dtx_file_check_space(const char *path, uint64_t bytes,
                                     struct dtx_error *err);

/*
 * The file system that will hold a file, as a number, and the bytes that are
 * free there; the folders above the file need not be there yet. False where
 * the file system doesn't say.
 */
bool dtx_file_space(const char *path, uint64_t *system_out, uint64_t *free_out);

/* Bytes of a file for which no room has been taken yet. */
uint64_t dtx_file_holes(const char *path);

/* Makes the folders above a file, with those above them. made receives the
 * paths of those that weren't there, from above; NULL: they aren't noted. */
enum dtx_status dtx_file_make_folders(const char *path, struct dtx_names *made,
                                      struct dtx_error *err);

/* Removes folders that were made, as far as they are empty. */
void dtx_file_remove_folders(struct dtx_names *made);

/* Writes an open file's data to the device. */
enum dtx_status dtx_file_sync(int fd, const char *path, struct dtx_error *err);

/* Makes what happened in the folder of a file durable. */
enum dtx_status dtx_file_sync_folder(const char *path, struct dtx_error *err);

/* Renames a file over another and makes that durable. */
enum dtx_status dtx_file_commit(const char *from, const char *to,
                                struct dtx_error *err);

/* Writes a small file under PATH.tmp, durably, and renames it. */
enum dtx_status dtx_file_write_text(const char *path, const char *text,
                                    struct dtx_error *err);

/* Removes a file (a symbolic link itself, never what it leads to); that there
 * is none is no error. Returns 0 or an errno value. */
int dtx_file_remove(const char *path);

/* Asks the system to empty its cache of a durable file. */
void dtx_file_forget(const char *path);

/* True where anything stands at the path, a dangling link too. */
bool dtx_file_exists(const char *path);

/* True where nothing stands at the path, for certain: not where a folder on
 * the way may not be searched. */
bool dtx_file_is_missing(const char *path);

/* Adds what paths that lead to one existing file have in common. False where
 * there is none. */
bool dtx_file_identify(const char *path, struct dtx_text *text);

/* Bytes of a regular file, or -1. */
int64_t dtx_file_size(const char *path);

/* When a file was last changed, in nanoseconds, or -1. */
int64_t dtx_file_modified(const char *path);

/* Both of a regular file, which is opened for that: network file systems ask
 * their server then, where otherwise they say what they last heard. False
 * where it can't be. */
bool dtx_file_mark(const char *path, int64_t *bytes_out,
                   int64_t *modified_ns_out);

#endif
