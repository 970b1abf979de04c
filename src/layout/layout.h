/*
 * Layouts: a mesh, where the checkpoint stands, and a rule for each tensor.
 *
 * A dtx_layout is made from a layout file (spec) and is immutable. It owns
 * everything in its arena. Marks point into its text, so that what turns out
 * wrong only when shapes are known can still be drawn in place.
 */
#ifndef DTX_LAYOUT_LAYOUT_H
#define DTX_LAYOUT_LAYOUT_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/status.h>

#include "layout/mesh.h"
#include "layout/placement.h"
#include "layout/template.h"
#include "util/arena.h"
#include "util/names.h"

enum dtx_split {
    DTX_SPLIT_CHUNK,
    DTX_SPLIT_BALANCED,
    DTX_SPLIT_PAD,
    DTX_SPLIT_EVEN
};
enum { DTX_SPLIT_COUNT = DTX_SPLIT_EVEN + 1 };

/* As layout files write them. */
extern const char *const dtx_split_names[DTX_SPLIT_COUNT];

enum dtx_view { DTX_VIEW_LOCAL, DTX_VIEW_GLOBAL };

/* `where`: only these coordinates of an axis hold the tensor. */
struct dtx_where {
    int axis;
    struct dtx_mark mark;
    int coordinate_count;
    const int *coordinates; /* ascending, distinct, 0 <= c < axis size */
};

/* One dimension of `shape` or `pad`. */
struct dtx_extent {
    int dim;          /* as written, may be negative */
    int64_t extent;   /* -1 where multiple is given */
    int64_t multiple; /* pad only; 0 where extent is given */
    struct dtx_mark mark;
};

struct dtx_rule {
    const char *glob;
    struct dtx_mark mark; /* of the name */
    int placement_count;
    const struct dtx_placement *placements; /* in the order as written */
    int where_count;
    const struct dtx_where *where;
    bool has_shape;
    bool shape_is_list; /* all dims, in order */
    int shape_count;
    const struct dtx_extent *shape;
    struct dtx_mark shape_mark;
    int pad_count;
    const struct dtx_extent *pad;
    bool has_split;
    enum dtx_split split;       /* the layout's where has_split is false */
    struct dtx_mark split_mark; /* the layout's where has_split is false */
    bool has_dtype;
    enum dtx_dtype dtype;
    struct dtx_mark dtype_mark;
    const char *digest; /* in a manifest: 16 hexadecimal digits; or NULL */
    const char *places; /* the same; each shard's part times its factor */
};

/* An inclusive range of numbers. */
struct dtx_numbers {
    int64_t first, last;
};

/* Who holds a range of numbers. */
struct dtx_holder {
    struct dtx_numbers numbers;
    int coordinate;
};

/* `numbered`: names with a number that an axis divides. */
struct dtx_numbered {
    const char *glob_before; /* the glob's part before {n} */
    const char *glob_after;
    struct dtx_mark mark;
    int axis;
    bool stored_local;
    int *range_first; /* [axis size + 1] into ranges, per coordinate */
    const struct dtx_numbers *ranges;
    /* All ranges, ascending, where no two coordinates hold one number; else
     * NULL. */
    const struct dtx_holder *holders;
    int holder_count;
};

struct dtx_rename {
    const char *match; /* POSIX extended */
    const char *to;    /* with \1 … \9 */
    struct dtx_mark mark;
    regex_t regex; /* compiled; freed with the layout */
};

/* A file that a manifest lists. */
struct dtx_written_file {
    const char *path; /* relative to the manifest's folder */
    int64_t bytes;
};

struct dtx_layout {
    struct dtx_arena arena;
    const char *file;   /* as the user named it */
    const char *folder; /* paths are relative to it; "." or ends without '/' */
    const char *text;   /* the whole file */
    struct dtx_mesh mesh;
    struct dtx_template path;
    struct dtx_template dataset;
    struct dtx_mark checkpoint_mark;
    struct dtx_mark path_mark;
    const char *global; /* file that shows a target's whole tensors, relative
                           to folder; NULL: none */
    struct dtx_mark global_mark;
    enum dtx_view view;
    enum dtx_split split;
    struct dtx_mark split_mark;
    int rule_count;
    struct dtx_rule *rules;
    int numbered_count;
    struct dtx_numbered *numbered;
    int rename_count;
    struct dtx_rename *renames;
    const char *catalog; /* path of a tensor table, relative to folder; NULL */
    struct dtx_mark catalog_mark;
    int chunk_count;       /* target chunks: extents; 0: contiguous */
    const int64_t *chunks; /* [chunk_count] */
    bool gzip;
    bool is_manifest; /* written by dtx */
    bool is_memory;   /* of shards in memory, each position's by itself */
    int written_file_count;
    const struct dtx_written_file *written_files; /* of a manifest */
    /* Set by dtx_layout_index_rules(). */
    struct dtx_names literals; /* names that rules spell out */
    const int *literal_rules;  /* [literals] the first rule of each */
    int glob_rule_count;
    const int *glob_rules; /* all other rules */
};

/*
 * Indexes the rules by name once they are set, so that a manifest's thousands
 * of rules, a tensor each, are found at once. A layout without an index works
 * as well. False when out of memory; the layout is then as before.
 */
bool dtx_layout_index_rules(struct dtx_layout *layout);

/* The first rule whose glob matches, or -1. */
int dtx_layout_find_rule(const struct dtx_layout *layout, const char *name);

/*
 * The name after the first rename that matches (in the arena, or the name
 * itself where none does). NULL when out of memory.
 */
const char *dtx_layout_rename(const struct dtx_layout *layout, const char *name,
                              struct dtx_arena *arena);

/*
 * The name of a tensor in the file of a position, and back, where numbers are
 * stored local. The result is in the arena, or the name itself where nothing
 * changes. dtx_layout_global_name() gives NULL with *out_of_range_out set
 * where the position holds fewer numbers than the stored name says; both give
 * NULL when out of memory.
 */
const char *dtx_layout_stored_name(const struct dtx_layout *layout,
                                   const char *name, int position,
                                   struct dtx_arena *arena);
const char *dtx_layout_global_name(const struct dtx_layout *layout,
                                   const char *stored, int position,
                                   struct dtx_arena *arena,
                                   bool *out_of_range_out);

/* The number of a name that an entry of `numbered` is about; -1 where the entry
 * isn't about this name, or the number is larger than any that is held, or
 * memory ran out. */
int64_t dtx_layout_number(const struct dtx_numbered *entry, const char *name);

/*
 * Which coordinates of each axis hold a tensor: what `where` and numbers
 * leave. An axis without restriction has coordinates NULL.
 */
struct dtx_presence {
    int axis_count;
    int counts[DTX_AXIS_MAX];
    const int *coordinates[DTX_AXIS_MAX]; /* ascending; NULL: all */
};

/*
 * Finds the presence of a tensor under a rule; its arrays are in the arena or
 * the layout.
 *
 * Returns DTX_ERR_INVALID where nobody holds it (a number that no coordinate
 * holds), with the reason in err.
 */
enum dtx_status dtx_layout_presence(const struct dtx_layout *layout,
                                    const struct dtx_rule *rule,
                                    const char *name, struct dtx_arena *arena,
                                    struct dtx_presence *presence_out,
                                    struct dtx_error *err);

/*
 * What a position of a target has of a value that is pending on some axes: the
 * value, or what leaves it as it is. Of these axes the first whose coordinate
 * isn't 0 decides, where its reduction isn't the same everywhere: what stands
 * beyond its coordinate 0 must not change it, whatever the other axes are.
 */
enum dtx_term { DTX_TERM_VALUE, DTX_TERM_ZEROS, DTX_TERM_ONES };
enum dtx_term dtx_rule_term(const struct dtx_rule *rule,
                            const struct dtx_mesh *mesh, int position);

/* Where nobody holds a tensor, the place to look at: the entry of `numbered`
 * that gives its number to no coordinate, or else the first that concerns it.
 * No place where none does, or when out of memory. */
struct dtx_mark dtx_layout_numbered_mark(const struct dtx_layout *layout,
                                         const char *name);

bool dtx_presence_holds(const struct dtx_presence *presence,
                        const struct dtx_mesh *mesh, int position);

/* Adds the path of a position's file: the folder and the rendered template. */
void dtx_layout_file(const struct dtx_layout *layout, int position,
                     struct dtx_text *text);

/* Adds the path of the file that shows whole tensors; there is one. */
void dtx_layout_global_file(const struct dtx_layout *layout,
                            struct dtx_text *text);

/* "rank 3 (dp=0 tp=3)" for messages; text must have room for size bytes. */
void dtx_layout_describe_position(const struct dtx_layout *layout, int position,
                                  char *text, size_t size);

#endif
