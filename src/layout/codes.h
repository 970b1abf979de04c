/*
 * The codes of mistakes in a rule that show only with a tensor's shape.
 *
 * A code stands for one kind of mistake for ever: dtx-layout(5) explains each
 * in a section of its own. Mistakes that show in the text alone have theirs
 * where layout files are read.
 */
#ifndef DTX_LAYOUT_CODES_H
#define DTX_LAYOUT_CODES_H

#define LAYOUT_SCALAR "E101"       /* a tensor without dims is sharded */
#define LAYOUT_DIM "E102"          /* a dim that the tensor doesn't have */
#define LAYOUT_PAD_TWICE "E103"    /* one dim, counted from both ends */
#define LAYOUT_PAD_EXTENT "E104"   /* shorter than the dim, or beyond 64 bits */
#define LAYOUT_SIZES_FIRST "E105"  /* another axis splits the dim before */
#define LAYOUT_SIZES_SUM "E106"    /* not to the stored extent */
#define LAYOUT_SEGMENTS_SUM "E107" /* not to the stored extent */
#define LAYOUT_UNEVEN "E108"       /* `even` doesn't divide */
#define LAYOUT_RUNS "E109"         /* too many of them */
#define LAYOUT_TOO_LARGE "E110"    /* more elements than 64 bits count */

#endif
