/*
 * What names tell by convention: what an axis is for, and how a tensor is
 * split in tensor parallelism.
 */
#ifndef DTX_PROPOSE_STYLE_H
#define DTX_PROPOSE_STYLE_H

#include <stdbool.h>
#include <stdint.h>

/* What an axis is for. */
enum propose_style {
    STYLE_UNKNOWN,
    STYLE_DATA,     /* replicas */
    STYLE_SHARDED,  /* dim 0 of every parameter: FSDP, ZeRO */
    STYLE_TENSOR,   /* matrices, by their role */
    STYLE_PIPELINE, /* layers */
    STYLE_EXPERT    /* experts */
};

/* From the name of an axis ("dp", "tp_size" isn't one). */
enum propose_style propose_style_of(const char *axis);

/* How the name of a tensor says that it is split in tensor parallelism. */
enum propose_role {
    ROLE_UNKNOWN,
    ROLE_WHOLE,  /* norms, positions, routers */
    ROLE_COLUMN, /* by its outputs; so is its bias */
    ROLE_ROW,    /* by its inputs; its bias is whole */
    ROLE_VOCAB   /* by words: dim 0 */
};

/* Parts of equal weight that some models store as one. */
enum propose_fusion { FUSED_NOT, FUSED_QKV, FUSED_PAIR };

struct propose_convention {
    enum propose_role role;
    enum propose_fusion fusion;
    bool is_bias;
};

struct propose_convention propose_convention_of(const char *name);

/*
 * The dim that tensor parallelism splits by convention; -1: none.
 *
 * ndim           -1: not known
 * inputs_first   matrices are [in, out], as GPT-2's, not [out, in]
 */
int propose_tensor_dim(struct propose_convention c, int ndim,
                       bool inputs_first);

/* The lengths of the parts of a fused dimension of a model whose other dim is
 * `width` long (-1: not known). Returns how many, 0 where they can't be told.
 * lengths_out [3]. */
int propose_parts(struct propose_convention c, int64_t whole, int64_t width,
                  int64_t *lengths_out);

#endif
