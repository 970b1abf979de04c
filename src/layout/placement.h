/*
 * Placements: what one mesh axis does to a tensor.
 *
 * All that is to be known of a key of a shard is here, but for how it cuts:
 * that is tiling.h. Who reads, compares, tells apart or says placements goes
 * through all keys and needs to know none by name.
 */
#ifndef DTX_LAYOUT_PLACEMENT_H
#define DTX_LAYOUT_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/diagnostic.h>

#include "layout/op.h"
#include "util/text.h"

enum dtx_placement_kind { DTX_REPLICATE, DTX_SHARD, DTX_PARTIAL };

/* The keys of a shard beside its dim, in the order in which they are
 * documented. */
enum dtx_shard_key {
    DTX_SHARD_SIZES,
    DTX_SHARD_BLOCK,
    DTX_SHARD_SEGMENTS,
    DTX_SHARD_FACTOR
};
enum { DTX_SHARD_KEY_COUNT = DTX_SHARD_FACTOR + 1 };

/* What kind of key it is. Numbers are >= 1, and 1 is as good as no key; those
 * of a list are >= 0. */
struct dtx_shard_key_form {
    const char *name;       /* as layout files write it */
    const char *one;        /* "a block": one of its numbers, in messages */
    const char *words;      /* in plans; '#' is the number */
    bool is_list;           /* and # is how many it has */
    bool is_per_coordinate; /* a list with a number for each of the axis */
    bool is_alone;          /* no other key goes with it */
};
extern const struct dtx_shard_key_form dtx_shard_key_forms[DTX_SHARD_KEY_COUNT];

/* What a key says; `= {0}` where it isn't given. */
struct dtx_shard_value {
    int64_t number;      /* of a list, how many it has */
    const int64_t *list; /* [number]; NULL where the key has no list */
};

struct dtx_placement {
    enum dtx_placement_kind kind;
    int axis;             /* index in the mesh */
    struct dtx_mark mark; /* of the value as written */
    int dim;              /* shard: as written, may be negative */
    struct dtx_shard_value keys[DTX_SHARD_KEY_COUNT]; /* shard */
    enum dtx_op op;                                   /* partial */
};

/*
 * The keys that are given, in the order in which they are said: first lists,
 * then numbers. keys_out [DTX_SHARD_KEY_COUNT]. Returns how many: 0 for a
 * plain shard.
 */
int dtx_placement_keys(const struct dtx_placement *placement,
                       enum dtx_shard_key *keys_out);

/* True for what does the same, wherever it is written; dims that are written
 * differently differ. */
bool dtx_placement_equals(const struct dtx_placement *a,
                          const struct dtx_placement *b);

/* Adds it as layout files write it: "shard(0)", "{shard: 0, block: 2}". */
void dtx_placement_write(const struct dtx_placement *placement,
                         struct dtx_text *text);

/* Adds it as plans say it: "shard(0 of blocks 2)". */
void dtx_placement_describe(const struct dtx_placement *placement, int ndim,
                            struct dtx_text *text);

#endif
