/*
 * A bare loop over files: reads every dataset of some and creates the same
 * ones in another, with plain HDF5 calls and one buffer. What a name has
 * already is not read again. This is the least that a program does that moves
 * whole tensors from files to a file.
 *
 *     bench-hdf5-loop TARGET SOURCE...
 *
 * Prints the seconds that it took.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

struct loop {
    hid_t source, target, links;
    char *buffer;
    size_t capacity;
};

static void
check(bool is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "bench-hdf5-loop: %s failed\n", what);
        exit(1);
    }
}

static void
copy_values(struct loop *loop, hid_t from, hid_t to, hid_t type)
{
    hid_t space = H5Dget_space(from);
    size_t bytes =
        (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);

    if (bytes > loop->capacity) {
        free(loop->buffer);
        loop->buffer = malloc(bytes);
        loop->capacity = bytes;
    }
    check(loop->buffer != NULL || bytes == 0, "malloc");
    if (bytes > 0) {
        check(H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      loop->buffer) >= 0,
              "H5Dread");
        check(H5Dwrite(to, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, loop->buffer) >=
                  0,
              "H5Dwrite");
    }
    H5Sclose(space);
}

static herr_t
visit(hid_t source, const char *name, const H5O_info_t *info, void *context)
{
    struct loop *loop = context;
    hid_t from, to, type, space;

    if (info->type != H5O_TYPE_DATASET ||
        H5Oexists_by_name(loop->target, name, H5P_DEFAULT) > 0) {
        return 0;
    }
    from = H5Dopen2(source, name, H5P_DEFAULT);
    type = H5Dget_type(from);
    space = H5Dget_space(from);
    to = H5Dcreate2(loop->target, name, type, space, loop->links, H5P_DEFAULT,
                    H5P_DEFAULT);
    check(to >= 0, "H5Dcreate");
    copy_values(loop, from, to, type);
    H5Dclose(to);
    H5Dclose(from);
    H5Sclose(space);
    H5Tclose(type);
    return 0;
}

int
main(int argc, char **argv)
{
    struct loop loop = {0};
    double begin = bench_now();

    if (argc < 3) {
        fprintf(stderr, "usage: bench-hdf5-loop TARGET SOURCE...\n");
        return 2;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL,
                 NULL); /* H5Oexists tells of absent groups */
    loop.target = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    check(loop.target >= 0, "H5Fcreate");
    loop.links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(loop.links, 1);
    for (int i = 2; i < argc; i++) {
        loop.source = H5Fopen(argv[i], H5F_ACC_RDONLY, H5P_DEFAULT);
        check(loop.source >= 0, "H5Fopen");
        check(H5Ovisit(loop.source, H5_INDEX_NAME, H5_ITER_NATIVE, visit,
                       &loop) >= 0,
              "H5Ovisit");
        H5Fclose(loop.source);
    }
    H5Pclose(loop.links);
    check(H5Fclose(loop.target) >= 0, "H5Fclose");
    free(loop.buffer);
    printf("%.6f\n", bench_now() - begin);
    return 0;
}
