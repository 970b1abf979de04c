#include "plan/bind/order.h"

#include <string.h>

#include "layout/shape.h"
#include "plan/plan.h"
#include "util/alloc.h"
#include "util/sort.h"

/* A tensor while they are put in order. */
struct entry {
    int holders[2]; /* the first of the source, of the target */
    int index;      /* as it was bound */
    double done;    /* of its group's bytes, what goes before it: 0 to 1 */
};

static int
first_holder(const struct dtx_side *side)
{
    return side->position_count > 0 ? side->positions[0] : 0;
}

static struct entry
make_entry(const struct dtx_plan *plan, int index)
{
    const struct dtx_class *c = plan->classes[plan->tensors[index].class_index];

    return (struct entry){
        .holders = {first_holder(c->src), first_holder(c->dst)},
        .index = index};
}

static bool
have_equal_holders(const struct entry *a, const struct entry *b)
{
    return a->holders[0] == b->holders[0] && a->holders[1] == b->holders[1];
}

static int
compare_holders(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int i;

    for (i = 0; i < 2; i++) {
        if (a->holders[i] != b->holders[i]) {
            return a->holders[i] < b->holders[i] ? -1 : 1;
        }
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static int
compare_done(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;

    if (a->done < b->done || a->done > b->done) {
        return a->done < b->done ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static double
bytes_of(const struct dtx_plan *plan, int index)
{
    const struct dtx_tensor *t = &plan->tensors[index];

    return (double)dtx_shape_count(t->ndim, t->shape) *
           (double)t->src_type.size_bytes;
}

/* Sets what is done of a group before each of its tensors. */
static void
set_done(const struct dtx_plan *plan, struct entry *group, int count)
{
    double all = 0, before = 0;
    int i;

    for (i = 0; i < count; i++) {
        all += bytes_of(plan, group[i].index);
    }
    for (i = 0; i < count; i++) {
        group[i].done = all > 0 ? before / all : 0;
        before += bytes_of(plan, group[i].index);
    }
}

/* Moves the tensors to their places; a class knows its first one. */
static void
place(struct dtx_plan *plan, const struct entry *entries,
      const struct dtx_tensor *bound)
{
    int i;

    for (i = plan->tensor_count - 1; i >= 0; i--) {
        plan->tensors[i] = bound[entries[i].index];
        plan->classes[plan->tensors[i].class_index]->tensor = i;
    }
}

static void
deal(struct dtx_plan *plan, struct entry *entries, struct dtx_tensor *bound)
{
    int count = plan->tensor_count, first = 0, i;

    dtx_sort(entries, (size_t)count, sizeof *entries, compare_holders);
    for (i = 1; i <= count; i++) {
        if (i == count || !have_equal_holders(&entries[i], &entries[first])) {
            set_done(plan, entries + first, i - first);
            first = i;
        }
    }
    dtx_sort(entries, (size_t)count, sizeof *entries, compare_done);
    memcpy(bound, plan->tensors, (size_t)count * sizeof *bound);
    place(plan, entries, bound);
}

int
dtx_order_tensors(struct dtx_plan *plan)
{
    size_t count = (size_t)plan->tensor_count;
    struct entry *entries = dtx_alloc(count, sizeof *entries);
    struct dtx_tensor *bound = dtx_alloc(count, sizeof *bound);
    bool is_mixed = false;
    int status = entries == NULL || bound == NULL ? -1 : 0;
    int i;

    for (i = 0; i < plan->tensor_count && status == 0; i++) {
        entries[i] = make_entry(plan, i);
        is_mixed |= !have_equal_holders(&entries[i], &entries[0]);
    }
    if (is_mixed) {
        deal(plan, entries, bound);
    }
    dtx_free(entries);
    dtx_free(bound);
    return status;
}
