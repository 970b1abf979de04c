/*
 * A checkpoint to write or check: the tensors of a table in a layout.
 */
#ifndef CHECKPOINT_CHECKPOINT_H
#define CHECKPOINT_CHECKPOINT_H

#include "layout/catalog.h"
#include "layout/layout.h"
#include "options.h"
#include "shard.h"
#include "util/arena.h"

struct checkpoint {
    const struct options *options;
    struct dtx_arena arena;
    struct dtx_layout *loaded; /* owned */
    struct dtx_layout layout;  /* the same with the folder asked for */
    struct dtx_catalog *table; /* owned */
    int tensor_count;
    struct tensor *tensors;
    int file_count;
    const char **files;
    int *position_file; /* [positions] */
};

/* One dataset of a file. */
struct item {
    const struct tensor *tensor;
    int position;     /* the lowest that has it */
    const char *path; /* in the file */
};

/* The datasets of one file. */
struct items {
    int count;
    struct item *items;
};

/*
 * Loads layout and table and makes sure that they fit. What is wrong in the
 * layout or the table is drawn on standard error. Close it in any case.
 */
enum dtx_status checkpoint_open(const struct options *options,
                                struct checkpoint *checkpoint,
                                struct dtx_error *err);
void checkpoint_close(struct checkpoint *checkpoint);

/* Finds the datasets of a file; the array is in the arena. */
enum dtx_status checkpoint_items(const struct checkpoint *checkpoint, int file,
                                 struct dtx_arena *arena,
                                 struct items *items_out,
                                 struct dtx_error *err);

/* Makes the shard of an item, in the arena. */
enum dtx_status checkpoint_shard(const struct checkpoint *checkpoint,
                                 const struct item *item,
                                 struct dtx_arena *arena,
                                 struct shard *shard_out,
                                 struct dtx_error *err);

#endif
