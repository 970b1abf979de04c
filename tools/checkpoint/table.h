/*
 * Tensor tables with their hints: how a model is usually split.
 *
 * Loading a table for its tensors is spec's work (dtx_catalog_load_table);
 * here one entry stays one entry, whatever its ranges.
 */
#ifndef CHECKPOINT_TABLE_H
#define CHECKPOINT_TABLE_H

#include <stdint.h>

#include "document.h"
#include "layout/limits.h"

enum { TABLE_KEY_MAX = 4 };

/* A key of `range`: "{i}" in the name stands for first to last. */
struct table_key {
    const char *name;
    int64_t first, last;
};

enum table_stage { STAGE_ANY, STAGE_FIRST, STAGE_LAST };

struct table_entry {
    const char *name;
    int key_count;
    struct table_key keys[TABLE_KEY_MAX];
    int ndim;
    int64_t shape[DTX_NDIM_MAX];
    int tp_dim;           /* -1: none */
    const char *ep_index; /* the key that counts experts, or NULL */
    enum table_stage stage;
    int fused_count;  /* equal parts along tp_dim; 0: not fused */
    int64_t heads;    /* along tp_dim; 0: not told */
    int64_t head_dim; /* elements of a head */
};

struct table {
    struct document document;
    const char *model;
    int entry_count;
    struct table_entry *entries;
};

/* Reads a table. Finish it in any case. */
enum dtx_status table_read(const char *path, struct table *table,
                           struct dtx_error *err);
void table_finish(struct table *table);

#endif
