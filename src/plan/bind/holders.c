#include "plan/bind/holders.h"

#include "plan/bind/refuse.h"

static bool
is_partial(const struct dtx_rule *rule, int axis)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].axis == axis &&
            rule->placements[i].kind == DTX_PARTIAL) {
            return true;
        }
    }
    return false;
}

/* True where an axis tells shards of the tensor apart by their indices. */
static bool
is_sharding(const struct dtx_tiling *tiling, int axis)
{
    int dim, i;

    for (dim = 0; dim < tiling->ndim; dim++) {
        for (i = 0; i < tiling->dims[dim].axis_count; i++) {
            if (tiling->dims[dim].axes[i] == axis) {
                return true;
            }
        }
    }
    return false;
}

static struct dtx_mark
placement_mark(const struct dtx_rule *rule, int axis)
{
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].axis == axis) {
            return rule->placements[i].mark;
        }
    }
    return rule->mark;
}

/* How many coordinates of its axis hold numbers of an entry. */
static int
holding_coordinates(const struct dtx_layout *layout,
                    const struct dtx_numbered *entry)
{
    int count = 0, i;

    for (i = 0; i < layout->mesh.sizes[entry->axis]; i++) {
        count += entry->range_first[i + 1] > entry->range_first[i];
    }
    return count;
}

/*
 * Coordinates that each count from 0 need places of their own: else two
 * tensors would have one name there.
 */
static enum dtx_status
check_local_numbers(const struct dtx_layout *layout, const char *name,
                    const struct dtx_presence *presence,
                    struct dtx_diagnostics *list, struct dtx_error *err)
{
    int i;

    for (i = 0; i < layout->numbered_count; i++) {
        const struct dtx_numbered *entry = &layout->numbered[i];

        if (entry->stored_local && presence->coordinates[entry->axis] != NULL &&
            !dtx_template_tells(&layout->path, entry->axis) &&
            !dtx_template_tells(&layout->dataset, entry->axis) &&
            holding_coordinates(layout, entry) > 1) {
            return dtx_refuse(layout, entry->mark, "E209", list, err,
                              "'%s' would share its dataset with another "
                              "tensor: numbers count from 0 on each coordinate "
                              "of '%s', but path and dataset don't tell them "
                              "apart",
                              name, layout->mesh.names[entry->axis]);
        }
    }
    return DTX_OK;
}

enum dtx_status
dtx_check_holders(const struct dtx_layout *layout, const struct dtx_rule *rule,
                  const char *name, const struct dtx_tiling *tiling,
                  const struct dtx_presence *presence,
                  struct dtx_diagnostics *list, struct dtx_error *err)
{
    int axis;

    for (axis = 0; axis < layout->mesh.axis_count; axis++) {
        bool partial = is_partial(rule, axis);
        bool divides = partial || is_sharding(tiling, axis);
        bool told = dtx_template_tells(&layout->path, axis) ||
                    dtx_template_tells(&layout->dataset, axis);
        struct dtx_mark mark = placement_mark(rule, axis);

        if (divides && presence->coordinates[axis] != NULL) {
            return dtx_refuse(layout, mark, "E207", list, err,
                              "axis '%s' both says which ranks hold '%s' and "
                              "divides it",
                              layout->mesh.names[axis], name);
        }
        if (partial && layout->view == DTX_VIEW_GLOBAL) {
            return dtx_refuse(layout, mark, "E208", list, err,
                              "'%s' is pending on axis '%s', but with "
                              "view: global all ranks share one dataset",
                              name, layout->mesh.names[axis]);
        }
        if (divides && !told && layout->mesh.sizes[axis] > 1 &&
            layout->view == DTX_VIEW_LOCAL) {
            return dtx_refuse(layout, layout->path_mark, "E209", list, err,
                              "ranks that differ on axis '%s' hold different "
                              "shards of '%s', but path and dataset give them "
                              "one place",
                              layout->mesh.names[axis], name);
        }
    }
    return check_local_numbers(layout, name, presence, list, err);
}

bool
dtx_side_is_first(const struct dtx_side *side, const struct dtx_layout *layout,
                  int position)
{
    int axis;

    for (axis = 0; axis < layout->mesh.axis_count; axis++) {
        const int *held = side->presence.coordinates[axis];
        int coordinate = dtx_mesh_coordinate(&layout->mesh, position, axis);

        if (!dtx_template_tells(&layout->path, axis) &&
            !dtx_template_tells(&layout->dataset, axis) &&
            !is_sharding(side->tiling, axis) &&
            coordinate != (held != NULL ? held[0] : 0)) {
            return false;
        }
    }
    return true;
}

bool
dtx_plan_writes(const struct dtx_plan *plan, const struct dtx_side *dst,
                int position)
{
    return dtx_side_is_first(dst, plan->target, position);
}
