#include "storage/storage.h"

#include "storage/hdf5/hdf5_storage.h"

enum dtx_status
dtx_storage_create(struct dtx_storage **storage_out, struct dtx_error *err)
{
    return dtx_hdf5_storage_create(storage_out, err);
}
