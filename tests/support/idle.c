/*
 * A process that has MPI and HDF5 and hardly uses them: what any such process
 * needs in memory.
 */
#include <hdf5.h>
#include <mpi.h>

static int
write_dataset(hid_t file)
{
    const hsize_t extent = 4;
    const int data[4] = {0};
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t set = H5Dcreate(file, "set", H5T_NATIVE_INT, space, H5P_DEFAULT,
                          H5P_DEFAULT, H5P_DEFAULT);
    herr_t failed =
        H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);

    H5Dclose(set);
    H5Sclose(space);
    return failed < 0;
}

int
main(void)
{
    hid_t in_memory, file;
    int failed;

    MPI_Init(NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    in_memory = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(in_memory, 4096, 0);
    file = H5Fcreate("idle.h5", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory);
    failed = write_dataset(file);
    H5Fclose(file);
    H5Pclose(in_memory);
    MPI_Finalize();
    return failed;
}
