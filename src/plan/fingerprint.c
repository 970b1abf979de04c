/*
 * A plan in one number: all that decides what its messages hold.
 */
#include <string.h>

#include "layout/crc64.h"
#include "plan/plan.h"

static uint64_t
add_number(uint64_t sum, int64_t number)
{
    return dtx_crc64_append(sum, &number, sizeof number);
}

static uint64_t
add_string(uint64_t sum, const char *string)
{
    return dtx_crc64_append(sum, string, strlen(string) + 1);
}

static uint64_t
add_layout(uint64_t sum, const struct dtx_layout *layout, const int *map)
{
    int i;

    sum = add_string(sum, layout->text);
    for (i = 0; i < layout->mesh.position_count; i++) {
        sum = add_number(sum, map[i]);
    }
    return sum;
}

static uint64_t
add_tensor(uint64_t sum, const struct dtx_tensor *t)
{
    int dim;

    sum = add_string(add_string(sum, t->src_name), t->dst_name);
    sum = add_number(sum, (int64_t)t->src_type.dtype);
    sum = add_number(sum, (int64_t)t->dst_type.dtype);
    sum = add_number(sum, t->class_index);
    sum = add_number(sum, t->ndim);
    for (dim = 0; dim < t->ndim; dim++) {
        sum = add_number(sum, t->shape[dim]);
    }
    return sum;
}

static uint64_t
add_schedule(uint64_t sum, const struct dtx_schedule *schedule)
{
    size_t i;

    sum = add_number(sum, (int64_t)schedule->step_bytes);
    sum = add_number(sum, schedule->step_count);
    for (i = 0; i <= schedule->stretch_count; i++) {
        sum = add_number(sum, schedule->stretches[i].run);
        sum = add_number(sum, schedule->stretches[i].start.tensor);
        sum = add_number(sum, schedule->stretches[i].start.part);
        sum = add_number(sum, schedule->stretches[i].part_count);
    }
    for (i = 0; i <= schedule->group_count; i++) {
        sum = add_number(sum, schedule->groups[i].run);
        sum = add_number(sum, schedule->groups[i].step);
        sum = add_number(sum, schedule->groups[i].round_count);
        sum = add_number(sum, schedule->groups[i].distance);
    }
    return sum;
}

uint64_t
dtx_plan_fingerprint(const struct dtx_plan *plan)
{
    uint64_t sum = add_number(DTX_CRC64_ONE, plan->options.process_count);
    int i;

    sum = add_layout(sum, plan->source, plan->src_process);
    sum = add_layout(sum, plan->target, plan->dst_process);
    for (i = 0; i < plan->tensor_count; i++) {
        sum = add_tensor(sum, &plan->tensors[i]);
    }
    for (i = 0; i < plan->class_count; i++) {
        sum = add_number(sum, (int64_t)plan->classes[i]->strategy);
        sum = add_number(sum, dtx_class_round_count(plan->classes[i]));
    }
    return add_schedule(sum, plan->schedule);
}
