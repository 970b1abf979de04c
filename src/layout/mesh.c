#include "layout/mesh.h"

#include <string.h>

#include "util/math.h"

bool
dtx_mesh_finish(struct dtx_mesh *mesh)
{
    int count = 1;
    int axis;

    for (axis = mesh->axis_count - 1; axis >= 0; axis--) {
        mesh->strides[axis] = count;
        if (dtx_mul_overflows(count, mesh->sizes[axis], &count)) {
            return false;
        }
    }
    mesh->position_count = count;
    return true;
}

int
dtx_mesh_find_axis(const struct dtx_mesh *mesh, const char *name)
{
    int axis;

    for (axis = 0; axis < mesh->axis_count; axis++) {
        if (strcmp(mesh->names[axis], name) == 0) {
            return axis;
        }
    }
    return -1;
}
