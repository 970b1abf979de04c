/*
 * The fixed limits of layouts.
 */
#ifndef DTX_LAYOUT_LIMITS_H
#define DTX_LAYOUT_LIMITS_H

enum {
    DTX_NDIM_MAX = 32, /* HDF5's own limit */
    DTX_AXIS_MAX = 16, /* mesh axes */
};

#endif
