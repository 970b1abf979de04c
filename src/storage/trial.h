/*
 * Trials: how fast the files of a folder are.
 *
 * A trial has one file, which loses its name as soon as it is there: nothing
 * is left of it, however the process ends. Everything is local.
 */
#ifndef DTX_STORAGE_TRIAL_H
#define DTX_STORAGE_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include <dtx/status.h>

struct dtx_trial {
    int fd;             /* -1: none */
    const char *folder; /* borrowed */
};

/* DTX_ERR_TARGET where the folder can't hold a file. trial_out is to be closed
 * even then. */
enum dtx_status dtx_trial_open(const char *folder, struct dtx_trial *trial_out,
                               struct dtx_error *err);
void dtx_trial_close(struct dtx_trial *trial);

/*
 * Bytes of a file, in pieces that go through one buffer.
 *
 * stride  from one piece's begin to the next one's, in bytes
 */
struct dtx_trial_range {
    uint64_t piece_count;
    size_t piece_bytes;
    uint64_t stride;
};

/* Writes the file anew as a target is written: its space reserved, then
 * filled, then safe on the device. */
enum dtx_status dtx_trial_fill(const struct dtx_trial *trial,
                               const struct dtx_trial_range *range,
                               const void *buffer, struct dtx_error *err);

/* Writes to the file, or reads from it, within what fills it. */
enum dtx_status dtx_trial_write(const struct dtx_trial *trial,
                                const struct dtx_trial_range *range,
                                const void *buffer, struct dtx_error *err);
enum dtx_status dtx_trial_read(const struct dtx_trial *trial,
                               const struct dtx_trial_range *range,
                               void *buffer, struct dtx_error *err);

/* Asks the system to keep nothing of the file in memory. */
void dtx_trial_forget(const struct dtx_trial *trial);

/* Makes so many small files, each put in its place for good, and removes
 * them. */
enum dtx_status dtx_trial_make_files(const struct dtx_trial *trial,
                                     uint64_t count, struct dtx_error *err);

/* Makes a target file of so many small datasets, and removes it. */
enum dtx_status dtx_trial_make_datasets(const struct dtx_trial *trial,
                                        uint64_t count, struct dtx_error *err);

#endif
