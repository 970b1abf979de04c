/*
 * Target file: what is in one of a target's files.
 */
#ifndef DTX_PLAN_BIND_TARGET_FILE_H
#define DTX_PLAN_BIND_TARGET_FILE_H

#include "plan/bind/target_files.h"

/*
 * Lists the datasets and objects of a file, and where this process creates it
 * its groups' attributes.
 *
 * positions  [position_count] whose path it has, ascending
 *
 * Fails with DTX_ERR_INVALID where two of them would be one dataset.
 */
enum dtx_status dtx_target_file_describe(struct dtx_target_files *files,
                                         int index, const int *positions,
                                         int position_count,
                                         struct dtx_error *err);

#endif
