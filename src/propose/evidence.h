/*
 * Evidence: what the files of a checkpoint show of its tensors, rank by rank.
 *
 * Tensors whose names differ only in their numbers, and whose shards have the
 * same shapes, are a group and are taken for alike: only a few of a group are
 * looked into. Positions are those of the files' layout; an axis of a mesh
 * that is guessed later divides them by arithmetic.
 */
#ifndef DTX_PROPOSE_EVIDENCE_H
#define DTX_PROPOSE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/catalog.h"
#include "layout/mesh.h"
#include "util/arena.h"

/* What was seen of a dataset's values. */
struct evidence_sample {
    uint64_t digest; /* of the sampled elements */
    bool is_taken;
    bool is_constant;   /* all that were sampled are the same */
    bool ends_in_zeros; /* the last row, but not the first */
};

struct evidence_tensor {
    const char *name;
    int group;
    int *datasets; /* [positions] in the catalog; -1: none */
};

struct evidence_group {
    int ndim;    /* -1: objects, no tensors */
    int first;   /* the first tensor */
    int count;   /* tensors */
    bool varies; /* its shards' shapes differ between positions */
};

struct evidence {
    struct dtx_arena arena;
    const struct dtx_catalog *catalog;
    int position_count;
    int tensor_count;
    struct evidence_tensor *tensors; /* in the order of the names */
    int group_count;
    struct evidence_group *groups;
    struct evidence_sample *samples; /* [datasets]; the caller takes them */
    bool *wanted;                    /* [datasets] that are to be sampled */
};

/* Gathers names and shapes. To be finished even where it fails, with -1, for
 * want of memory. */
int evidence_gather(struct evidence *e, const struct dtx_layout *files,
                    const struct dtx_catalog *catalog);
void evidence_finish(struct evidence *e);

/* True where a tensor was looked into. */
bool evidence_is_sampled(const struct evidence *e, int tensor);

/* What tells two positions' shards of a tensor apart. */
enum evidence_answer {
    SAME,        /* shape, and as far as sampled the values */
    DIFFERENT,   /* shape or values */
    UNTOLD,      /* the same shape and nothing to tell values by */
    INCOMPARABLE /* one of them isn't there */
};
enum evidence_answer evidence_compare(const struct evidence *e, int tensor,
                                      int a, int b);

/* The extent of a tensor's shard in a dim; -1: none there. */
int64_t evidence_extent(const struct evidence *e, int tensor, int position,
                        int dim);

/* All evidence of a group on one axis of a mesh of the positions. */
struct axis_evidence {
    bool differs;    /* some values or shapes do */
    bool is_untold;  /* nothing tells */
    bool restricted; /* some coordinates have none of a tensor */
};
struct axis_evidence evidence_on_axis(const struct evidence *e, int group,
                                      const struct dtx_mesh *mesh, int axis);

/* True where a coordinate of an axis has a tensor. */
bool evidence_is_at(const struct evidence *e, int tensor,
                    const struct dtx_mesh *mesh, int axis, int coordinate);

#endif
