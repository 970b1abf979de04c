#include <inttypes.h>

#include "storage/files.h"
#include "storage/hdf5/hdf5_elsewhere.h"
#include "storage/hdf5/hdf5_library.h"
#include "util/error.h"

/* HDF5 finds a relative name from the working folder, and so do we. */
enum { NAME_TEXT = 4096 };

static enum dtx_status
check_part(const char *name, uint64_t end, struct dtx_hdf5_place place,
           struct dtx_error *err)
{
    int64_t bytes = dtx_file_size(name);

    if (bytes < 0) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "dataset '%s' of '%s' keeps its data in '%s', "
                             "which is no file",
                             place.dataset, place.file, name);
    }
    if ((uint64_t)bytes < end) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "dataset '%s' of '%s' keeps its data in '%s' up "
                             "to byte %" PRIu64
                             ", and the file ends at byte %" PRId64,
                             place.dataset, place.file, name, end, bytes);
    }
    return DTX_OK;
}

enum dtx_status
dtx_hdf5_check_external(hid_t properties, uint64_t bytes,
                        struct dtx_hdf5_place place, struct dtx_names *files,
                        struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int count = H5Pget_external_count(properties);
    char name[NAME_TEXT] = "";
    hsize_t part;
    off_t offset;
    int i;

    for (i = 0; i < count && bytes > 0 && status == DTX_OK; i++) {
        if (H5Pget_external(properties, (unsigned)i, sizeof name - 1, name,
                            &offset, &part) < 0) {
            return dtx_hdf5_fail(err, DTX_ERR_SOURCE,
                                 "cannot read dataset '%s' of '%s'",
                                 place.dataset, place.file);
        }
        if (part > bytes) {
            part = bytes; /* the last may be without end */
        }
        bytes -= part;
        status = check_part(name, (uint64_t)offset + part, place, err);
        if (status == DTX_OK && dtx_names_add(files, name) < 0) {
            status = dtx_error_memory(err);
        }
    }
    return status;
}
