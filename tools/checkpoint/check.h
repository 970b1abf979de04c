/*
 * Checking a checkpoint.
 */
#ifndef CHECKPOINT_CHECK_H
#define CHECKPOINT_CHECK_H

#include "checkpoint.h"
#include "job.h"

/*
 * Compares a file of a checkpoint with what it should hold. What differs is
 * printed, a line a dataset, and counted. Fails only where the file can't be
 * read.
 */
enum dtx_status check_file(const void *checkpoint, int file,
                           struct tally *tally, struct dtx_error *err);

#endif
