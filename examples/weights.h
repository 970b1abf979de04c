/*
 * What trainer.c and server.c have in common: one model.
 */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include <stdio.h>
#include <stdlib.h>

#include <dtx/build.h>
#include <dtx/channel.h>
#include <dtx/mpi.h>

enum { LAYERS = 4, WIDTH = 64, STEPS = 3, NAME_BYTES = 32 };

/* Prints why, and ends the program with the status. */
static void
give_up(enum dtx_status status, const struct dtx_error *err)
{
    fprintf(stderr, "%s: %s\n", dtx_status_name(status), err->message);
    MPI_Finalize();
    exit((int)status);
}

/* A layout whose weights are divided along a dim by the axis "tp". */
static struct dtx_layout *
divide(const char *placement, int size, enum dtx_dtype dtype)
{
    struct dtx_mesh_axis axis = {"tp", size};
    struct dtx_axis_placement divided = {"tp", placement};
    struct dtx_rule_spec rule = {"layers.*.weight", 1, &divided, dtype};
    struct dtx_layout_spec spec = {
        .axis_count = 1, .axes = &axis, .rule_count = 1, .rules = &rule};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err;
    enum dtx_status status =
        dtx_layout_build(&spec, "weights.h", list, &layout, &err);

    dtx_diagnostics_destroy(list);
    if (status != DTX_OK) {
        give_up(status, &err);
    }
    return layout;
}

/* Gives each layer's shard of this process an array. Returns its elements. */
static int64_t
bind_layers(struct dtx_channel *channel, enum dtx_role role, int64_t rank,
            enum dtx_dtype dtype, void **arrays)
{
    const struct dtx_plan *plan = dtx_channel_plan(channel);
    struct dtx_error err;
    int64_t shape[2];
    char name[NAME_BYTES];
    struct dtx_array array = {.tensor = name,
                              .rank = rank,
                              .dtype = dtype,
                              .ndim = 2,
                              .shape = shape};
    int layer;

    for (layer = 0; layer < LAYERS; layer++) {
        snprintf(name, sizeof name, "layers.%d.weight", layer);
        (void)dtx_plan_shard_shape(plan, role,
                                   dtx_plan_find_tensor(plan, role, name),
                                   (int)rank, shape);
        arrays[layer] =
            calloc((size_t)(shape[0] * shape[1]), dtx_dtype_size(dtype));
        array.data = arrays[layer];
        /* Should this fail, the first run says so, on all processes. */
        (void)dtx_channel_bind(channel, role, &array, &err);
    }
    return shape[0] * shape[1];
}

#endif
