/*
 * What a target's file takes from the source as it is: attributes, and objects
 * that are no tensors.
 *
 * Where there is a guard, it copies them into an HDF5 file in memory, the
 * image, from which the target's file is made: no value of the source is
 * interpreted outside of the guard. In the image, what belongs to dataset,
 * object or group 7 of the target's file is under "d7", "o7" or "g7".
 */
#ifndef DTX_STORAGE_HDF5_HDF5_CARRY_H
#define DTX_STORAGE_HDF5_HDF5_CARRY_H

#include <hdf5.h>

#include <dtx/status.h>

#include "layout/catalog.h"
#include "layout/target.h"
#include "storage/hdf5/hdf5_handles.h"
#include "util/names.h"
#include "util/text.h"
#include "util/wire.h"

enum dtx_carried {
    DTX_CARRIED_DATASET, /* its attributes */
    DTX_CARRIED_OBJECT,  /* all of it */
    DTX_CARRIED_GROUP,   /* its attributes */
    DTX_CARRIED_TYPE     /* all of it */
};

enum { DTX_CARRIED_TEXT = 16 };

/* The name in the image; text has room for DTX_CARRIED_TEXT bytes. */
const char *dtx_hdf5_carried_name(enum dtx_carried kind, int index, char *text);

/* Lists what a file takes, for the guard. Returns how many things it is. */
int dtx_hdf5_list_carried(const struct dtx_catalog *catalog,
                          const struct dtx_target_file *file,
                          struct dtx_text *list);

/*
 * Makes the image of a list. In the guard, under the lock of the library.
 *
 * sources  stay open
 * paths    the files' paths, whose addresses are the keys of the handles
 * bytes    receives the image
 */
enum dtx_status dtx_hdf5_carry(struct dtx_hdf5_handles *sources,
                               struct dtx_names *paths, struct dtx_wire *list,
                               struct dtx_text *bytes, struct dtx_error *err);

/* Opens an image. Negative on failure; to be closed by the caller. */
hid_t dtx_hdf5_open_image(const struct dtx_text *bytes);

#endif
