/*
 * Places: whether path and dataset tell apart what they are to tell apart.
 *
 * "{a}{b}.h5" is one file for a = 1, b = 10 and for a = 11, b = 0. Ranks that
 * no field tells apart share a dataset, knowingly; such ranks would do so
 * unawares, and one shard would be lost in the other.
 */
#ifndef DTX_LAYOUT_PLACES_H
#define DTX_LAYOUT_PLACES_H

#include "layout/layout.h"

enum dtx_places {
    DTX_PLACES_APART,
    DTX_PLACES_ALIKE,  /* two positions are */
    DTX_PLACES_UNSURE, /* there are too many to try what fields alone don't say
                        */
    DTX_PLACES_NO_MEMORY,
};

/*
 * Compares the places of all positions that differ on an axis that a field
 * tells apart. At once where digits of different fields never touch.
 *
 * positions_out  [2] set where they are alike
 */
enum dtx_places dtx_layout_places(const struct dtx_layout *layout,
                                  int *positions_out);

#endif
