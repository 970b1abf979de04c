/*
 * Writing a checkpoint.
 */
#ifndef CHECKPOINT_WRITE_H
#define CHECKPOINT_WRITE_H

#include "checkpoint.h"
#include "job.h"

/* Writes a file of a checkpoint with all its datasets; padding is garbage. */
enum dtx_status write_file(const void *checkpoint, int file,
                           struct tally *tally, struct dtx_error *err);

#endif
