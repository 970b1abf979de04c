/*
 * Target files: what a process creates and writes, dataset by dataset.
 *
 * A file is created by the process that hosts the lowest rank in it; where
 * several processes write one file, all of them describe it alike, so that a
 * dataset's index means the same to each.
 */
#ifndef DTX_PLAN_BIND_TARGET_FILES_H
#define DTX_PLAN_BIND_TARGET_FILES_H

#include "layout/target.h"
#include "plan/plan.h"

struct dtx_target_files {
    struct dtx_arena arena;
    const struct dtx_plan *plan;
    int process;
    int total_count; /* of the whole target */
    int file_count;  /* that this process creates or writes */
    struct dtx_target_file *files;
    struct dtx_names *datasets; /* [file_count] names, numbered alike */
    int *position_file;         /* [positions] index into files, or -1 */
};

/*
 * Describes the files of a process.
 *
 * Fails with DTX_ERR_INVALID where two tensors would stand in one dataset.
 */
enum dtx_status dtx_target_files_create(const struct dtx_plan *plan,
                                        int process,
                                        struct dtx_target_files **files_out,
                                        struct dtx_error *err);
void dtx_target_files_destroy(struct dtx_target_files *files);

/* Where a target position's dataset of a tensor is written. scratch is reset.
 * Returns -1 when out of memory. */
int dtx_target_files_find(const struct dtx_target_files *files, int tensor,
                          int position, struct dtx_arena *scratch,
                          int *file_out, int *dataset_out);

#endif
