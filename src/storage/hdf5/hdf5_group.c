/*
 * Who the processes that share a file are to MPI.
 */
#include <mpi.h>
#include <string.h>

#include "storage/hdf5/hdf5_internal.h"
#include "util/alloc.h"
#include "util/error.h"

int
dtx_hdf5_own_number(struct dtx_storage *storage)
{
    int is_initialized = 0, number = 0;

    (void)storage;
    (void)MPI_Initialized(&is_initialized);
    if (is_initialized) {
        (void)MPI_Comm_rank(MPI_COMM_WORLD, &number);
    }
    return number;
}

enum dtx_status
dtx_hdf5_use_numbers(struct dtx_storage *storage, const int *numbers, int count,
                     struct dtx_error *err)
{
    struct dtx_hdf5_storage *self = (struct dtx_hdf5_storage *)storage;
    int *copy = dtx_alloc((size_t)count, sizeof *copy);

    if (copy == NULL) {
        return dtx_error_memory(err);
    }
    memcpy(copy, numbers, (size_t)count * sizeof *copy);
    dtx_free(self->numbers);
    self->numbers = copy;
    self->number_count = count;
    return DTX_OK;
}

MPI_Comm
dtx_hdf5_communicator(const struct dtx_hdf5_storage *storage,
                      const struct dtx_target_file *file)
{
    MPI_Group world, job, group;
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (storage->numbers != NULL) {
        MPI_Group_incl(world, storage->number_count, storage->numbers, &job);
    } else {
        MPI_Comm_group(MPI_COMM_WORLD, &job);
    }
    MPI_Group_incl(job, file->process_count, file->processes, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&job);
    MPI_Group_free(&world);
    return comm;
}
