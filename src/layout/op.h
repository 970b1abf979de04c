/*
 * How the terms of a partial tensor become its value.
 */
#ifndef DTX_LAYOUT_OP_H
#define DTX_LAYOUT_OP_H

enum dtx_op { DTX_SUM, DTX_AVG, DTX_MIN, DTX_MAX, DTX_PRODUCT };
enum { DTX_OP_COUNT = DTX_PRODUCT + 1 };

/* As layout files write them. */
extern const char *const dtx_op_names[DTX_OP_COUNT];

#endif
