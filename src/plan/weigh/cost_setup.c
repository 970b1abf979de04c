/*
 * What a target takes beside its bytes.
 */
#include "plan/weigh/cost.h"

#include "util/alloc.h"

/* Small files that a run makes safe: the journal, twice, and the manifest. */
static const double texts_written = 3;

/* The lowest position whose file is that of this one. */
static int
first_in_file(const struct dtx_layout *layout, int position)
{
    int first = position, axis;

    for (axis = 0; axis < layout->mesh.axis_count; axis++) {
        if (!dtx_template_tells(&layout->path, axis)) {
            first -= dtx_mesh_coordinate(&layout->mesh, position, axis) *
                     layout->mesh.strides[axis];
        }
    }
    return first;
}

/* Adds the datasets of a class to those of the processes that make them. */
static void
count_datasets(const struct dtx_plan *plan, const struct dtx_class *c,
               double *counts)
{
    const struct dtx_side *side = c->final;
    int i;

    for (i = 0; i < side->position_count; i++) {
        int position = side->positions[i];

        if (dtx_side_is_first(side, plan->target, position)) {
            int maker = first_in_file(plan->target, position);

            counts[plan->dst_process[maker]] += (double)c->instance_count;
        }
    }
}

int
dtx_cost_setup(const struct dtx_machine *machine, const struct dtx_plan *plan,
               double *seconds_out)
{
    int positions = plan->target->mesh.position_count, i;
    double *counts =
        dtx_alloc((size_t)plan->options.process_count, sizeof *counts);
    double most = 0;

    if (counts == NULL) {
        return -1;
    }
    for (i = 0; i < positions; i++) {
        if (first_in_file(plan->target, i) == i) {
            counts[plan->dst_process[i]] +=
                machine->file_seconds / machine->dataset_seconds;
        }
    }
    for (i = 0; i < plan->class_count; i++) {
        count_datasets(plan, plan->classes[i], counts);
    }
    for (i = 0; i < plan->options.process_count; i++) {
        most = counts[i] > most ? counts[i] : most;
    }
    dtx_free(counts);
    *seconds_out =
        most * machine->dataset_seconds + texts_written * machine->file_seconds;
    return 0;
}
