/*
 * Finding the files of a checkpoint.
 */
#ifndef DTX_CLI_FILE_SEARCH_H
#define DTX_CLI_FILE_SEARCH_H

#include <stddef.h>

#include <dtx/status.h>

/* A list of paths. `= {0}` is empty. */
struct file_list {
    char **paths; /* [count] owned */
    size_t count, capacity;
};

/*
 * Adds files as they are, and of folders all HDF5 files in them and below, in
 * the order of their names.
 *
 * Fails with DTX_ERR_SOURCE where a path isn't there, or a folder has none.
 */
enum dtx_status file_list_add(struct file_list *list, const char *path,
                              struct dtx_error *err);
void file_list_finish(struct file_list *list);

/* Makes the paths relative to a folder ("." is where dtx runs): those outside
 * of it absolute. */
enum dtx_status file_list_move(struct file_list *list, const char *folder,
                               struct dtx_error *err);

#endif
