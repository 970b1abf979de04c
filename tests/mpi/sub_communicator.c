/*
 * Reshards a checkpoint among some of a job's processes, in an order of their
 * own, into one compressed file that they write together.
 * With 3 processes.
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include <dtx/mpi.h>
#include <dtx/reshard.h>

#include "support/claim.h"

enum { ROWS = 64, COLUMNS = 16, MEMORY = 1 << 22 };

static const char source[] = "mesh: {}\n"
                             "checkpoint: {path: source.h5}\n"
                             "tensors:\n  - {name: w}\n";
static const char target[] =
    "mesh: {x: 2}\n"
    "checkpoint: {path: target.h5, dataset: \"{x}/{name}\", "
    "compression: gzip}\n"
    "tensors:\n  - {name: w, placements: {x: shard(0)}}\n";

static void
write_source(void)
{
    const hsize_t shape[2] = {ROWS, COLUMNS};
    static float values[ROWS][COLUMNS];
    hid_t file =
        H5Fcreate("source.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, shape, NULL);
    hid_t dataset = H5Dcreate2(file, "w", H5T_IEEE_F32LE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);

    for (int i = 0; i < ROWS * COLUMNS; i++) {
        values[i / COLUMNS][i % COLUMNS] = (float)i;
    }
    claim(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   values) >= 0);
    claim(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 &&
          H5Fclose(file) >= 0);
}

static struct dtx_layout *
parse(const char *text, enum dtx_role role, struct dtx_diagnostics *list)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    claim(dtx_layout_parse(text, "text", ".", role, list, &layout, &err) ==
              DTX_OK,
          "%s", err.message);
    return layout;
}

static void
reshard(struct dtx_transport *transport)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *src = parse(source, DTX_SOURCE, list);
    struct dtx_layout *dst = parse(target, DTX_TARGET, list);
    struct dtx_plan_options options = {
        .process_count = 2, .memory_bytes = MEMORY, .map = DTX_MAP_BLOCK};
    struct dtx_reshard_options how = {.verify = true};
    struct dtx_reshard_summary summary;
    struct dtx_catalog *catalog = NULL;
    struct dtx_plan *plan = NULL;
    struct dtx_error err;

    claim(dtx_catalog_read(src, transport, NULL, &catalog, &err) == DTX_OK,
          "%s", err.message);
    claim(dtx_plan_create(src, dst, catalog, &options, list, &plan, &err) ==
              DTX_OK,
          "%s", err.message);
    claim(dtx_reshard(plan, transport, &how, &summary, &err) == DTX_OK, "%s",
          err.message);
    claim(summary.read_back == summary.written && summary.written > 0);
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(src);
    dtx_layout_destroy(dst);
    dtx_diagnostics_destroy(list);
}

/* Goes to a folder that the first process makes. */
static void
enter_folder(int rank, char *folder, int bytes)
{
    if (rank == 0) {
        claim(mkdtemp(folder) != NULL);
    }
    MPI_Bcast(folder, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    claim(chdir(folder) == 0);
}

/* With what is left there. */
static void
remove_folder(const char *folder)
{
    claim(unlink("source.h5") == 0 && unlink("target.h5") == 0 &&
          unlink("target.h5.manifest.yaml") == 0 && rmdir(folder) == 0);
}

int
main(int argc, char **argv)
{
    char folder[] = "/tmp/dtx-sub-communicator-XXXXXX";
    struct dtx_transport *transport = NULL;
    struct dtx_error err;
    MPI_Comm comm;
    int rank, level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    enter_folder(rank, folder, sizeof folder);
    if (rank == 0) {
        write_source();
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0 ? 1 : MPI_UNDEFINED, -rank, &comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        claim(dtx_transport_create_comm(comm, &transport, &err) == DTX_OK);
        reshard(transport);
        dtx_transport_destroy(transport);
        MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        remove_folder(folder);
    }
    MPI_Finalize();
    return 0;
}
