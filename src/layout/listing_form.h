/*
 * The form of a listing: 64-bit numbers in the machine's own order, strings
 * and bytes with their length before them. A head (magic, bytes of the file),
 * then records, each with its kind before it.
 */
#ifndef DTX_LAYOUT_LISTING_FORM_H
#define DTX_LAYOUT_LISTING_FORM_H

#include <stdint.h>

#define DTX_LISTING_MAGIC UINT64_C(0x31676e6974736c78)

enum {
    DTX_LISTING_DATASET = 1,
    DTX_LISTING_GROUP = 2,
    DTX_LISTING_TYPE = 3,
    DTX_LISTING_ELSEWHERE = 4,
};

#endif
