/*
 * How the terms of a partial tensor become its value.
 */
#ifndef DTX_LAYOUT_OP_H
#define DTX_LAYOUT_OP_H

enum dtx_op { DTX_SUM, DTX_AVG, DTX_MIN, DTX_MAX, DTX_PRODUCT };

#endif
