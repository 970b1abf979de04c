/*
 * Meshes: an n-dimensional array of ranks with named axes.
 *
 * A position counts the places of a mesh in row-major order of its axes as
 * written. A rank is the number by which a position is known in file names.
 * A mesh of no axes has one position.
 */
#ifndef DTX_LAYOUT_MESH_H
#define DTX_LAYOUT_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/limits.h"

struct dtx_mesh {
    int axis_count;
    const char *names[DTX_AXIS_MAX];
    int sizes[DTX_AXIS_MAX];   /* each >= 1 */
    int strides[DTX_AXIS_MAX]; /* positions between neighbours on the axis */
    int position_count;        /* product of the sizes; fits in int */
    const int64_t *ranks;      /* [position_count], or NULL: rank = position */
};

/* Sets strides and position_count from axis_count and sizes; false where the
 * number of positions would not fit in int. */
bool dtx_mesh_finish(struct dtx_mesh *mesh);

/* The index of an axis, or -1. */
int dtx_mesh_find_axis(const struct dtx_mesh *mesh, const char *name);

static inline int
dtx_mesh_coordinate(const struct dtx_mesh *mesh, int position, int axis)
{
    return position / mesh->strides[axis] % mesh->sizes[axis];
}

static inline int64_t
dtx_mesh_rank(const struct dtx_mesh *mesh, int position)
{
    return mesh->ranks != NULL ? mesh->ranks[position] : position;
}

#endif
