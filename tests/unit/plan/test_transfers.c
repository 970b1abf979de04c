#include <string.h>

#include "planned.h"

/* What a list of transfers has shown so far. */
struct listing {
    const struct planned *p;
    int tensor; /* of the plan, of the last transfer */
    struct dtx_transfer last;
    int64_t last_begin[DTX_NDIM_MAX];
    uint8_t *times;  /* [target positions][terms][elements] of the tensor */
    uint64_t *moved; /* [processes] bytes from other processes */
    uint8_t *has_arrived;  /* [processes][terms][elements] */
    uint8_t *is_passed_on; /* alike: by a process that didn't hold it */
    int64_t count, stop_after;
};

static int
position_of(const struct dtx_mesh *mesh, int64_t rank)
{
    int found = -1;

    for (int i = 0; i < mesh->position_count; i++) {
        if (dtx_mesh_rank(mesh, i) == rank) {
            found = i;
        }
    }
    so(found >= 0);
    return found;
}

static int64_t
slots_of(const struct listing *l, int tensor)
{
    return scene_element_count(&l->p->scene, tensor) *
           scene_term_count(&l->p->scene, SCENE_SOURCE, tensor);
}

/* ---------------------------------------------------------------- order */

static int
plan_tensor(const struct listing *l, const char *name)
{
    int found = -1;

    for (int i = 0; i < l->p->plan->tensor_count; i++) {
        if (strcmp(l->p->plan->tensors[i].dst_name, name) == 0) {
            found = i;
        }
    }
    so(found >= 0);
    return found;
}

/* Tensor, target rank, source rank, begin. */
static void
check_order(const struct listing *l, int tensor, const struct dtx_transfer *t)
{
    bool same = tensor == l->tensor && t->dst_rank == l->last.dst_rank &&
                t->src_rank == l->last.src_rank;

    so(tensor >= l->tensor);
    so(tensor > l->tensor || t->dst_rank >= l->last.dst_rank);
    so(tensor > l->tensor || t->dst_rank > l->last.dst_rank ||
       t->src_rank >= l->last.src_rank);
    for (int dim = 0; same && dim < t->ndim; dim++) {
        so(t->begin[dim] >= l->last_begin[dim]);
        same = t->begin[dim] == l->last_begin[dim];
    }
    so(!same || t->ndim == 0);
}

/* ---------------------------------------------------------------- tensors */

/* What a process passes on it has got itself. */
static void
check_relays(const struct listing *l, int64_t slots)
{
    for (int64_t i = 0; i < slots * l->p->options.process_count; i++) {
        so(!l->is_passed_on[i] || l->has_arrived[i]);
    }
}

/* Every element has come to each target position once. */
static void
finish_tensor(struct listing *l)
{
    const struct dtx_mesh *mesh = &l->p->scene.layouts[SCENE_TARGET]->mesh;
    int tensor = planned_case_tensor(l->p, l->tensor);
    int64_t slots = slots_of(l, tensor);
    int64_t elements = scene_element_count(&l->p->scene, tensor);
    uint8_t *expected = malloc((size_t)slots + 1);
    static struct shard shard;

    for (int i = 0; i < mesh->position_count; i++) {
        memset(expected, 0, (size_t)slots);
        scene_shard(&l->p->scene, SCENE_TARGET, tensor, i, &shard);
        for (int64_t k = 0; k < shard.count && planned_needs(l->p, tensor, i);
             k++) {
            int64_t element = scene_element(&l->p->scene, tensor, &shard, k);

            for (int64_t s = element; element >= 0 && s < slots;
                 s += elements) {
                expected[s] = 1;
            }
        }
        so(memcmp(expected, l->times + i * slots, (size_t)slots) == 0);
    }
    check_relays(l, slots);
    free(expected);
    free(l->times);
    free(l->has_arrived);
    free(l->is_passed_on);
    l->times = l->has_arrived = l->is_passed_on = NULL;
}

static void
start_tensor(struct listing *l, int tensor)
{
    const struct dtx_mesh *mesh = &l->p->scene.layouts[SCENE_TARGET]->mesh;
    int64_t slots;

    if (l->times != NULL) {
        finish_tensor(l);
    }
    l->tensor = tensor;
    slots = slots_of(l, planned_case_tensor(l->p, tensor));
    l->times = calloc((size_t)(slots * mesh->position_count) + 1, 1);
    l->has_arrived =
        calloc((size_t)(slots * l->p->options.process_count) + 1, 1);
    l->is_passed_on =
        calloc((size_t)(slots * l->p->options.process_count) + 1, 1);
}

/* ---------------------------------------------------------------- boxes */

/* True where a source position has an element. */
static bool
has_element(const struct shard *shard, const struct scene *scene, int tensor,
            int64_t element)
{
    for (int64_t i = 0; i < shard->count; i++) {
        if (scene_element(scene, tensor, shard, i) == element) {
            return true;
        }
    }
    return false;
}

static void
take_element(struct listing *l, const struct dtx_transfer *t, int tensor,
             int64_t slot)
{
    int to = position_of(&l->p->scene.layouts[SCENE_TARGET]->mesh, t->dst_rank);
    int64_t slots = slots_of(l, tensor);
    uint8_t *arrived = &l->has_arrived[t->dst_process * slots + slot];

    l->times[to * slots + slot]++;
    if (t->src_process != t->dst_process &&
        t->src_process !=
            l->p->plan->src_process[position_of(
                &l->p->scene.layouts[SCENE_SOURCE]->mesh, t->src_rank)]) {
        l->is_passed_on[t->src_process * slots + slot] = 1;
    }
    if (t->src_process != t->dst_process && !*arrived) {
        l->moved[t->dst_process] += planned_wire_bytes(l->p, tensor);
        *arrived = 1;
    }
}

static void
take_box(struct listing *l, const struct dtx_transfer *t)
{
    const struct scene *scene = &l->p->scene;
    int tensor = planned_case_tensor(l->p, l->tensor);
    const struct case_tensor *c = &l->p->text->tensors[tensor];
    int from = position_of(&scene->layouts[SCENE_SOURCE]->mesh, t->src_rank);
    int64_t term = scene_term(scene, SCENE_SOURCE, tensor, from);
    int64_t at[DTX_NDIM_MAX] = {0}, left = 1;
    static struct shard shard;

    scene_shard(scene, SCENE_SOURCE, tensor, from, &shard);
    for (int dim = 0; dim < t->ndim; dim++) {
        so(t->begin[dim] < t->end[dim] && t->end[dim] <= c->shape[dim]);
        at[dim] = t->begin[dim];
        left *= t->end[dim] - t->begin[dim];
    }
    so(t->bytes == (uint64_t)left * planned_wire_bytes(l->p, tensor));
    for (; left > 0; left--) {
        int64_t element = 0;

        for (int dim = 0; dim < t->ndim; dim++) {
            element = element * c->shape[dim] + at[dim];
        }
        so(has_element(&shard, scene, tensor, element));
        take_element(l, t, tensor,
                     term * scene_element_count(scene, tensor) + element);
        for (int dim = t->ndim - 1; dim >= 0; dim--) {
            if (++at[dim] < t->end[dim]) {
                break;
            }
            at[dim] = t->begin[dim];
        }
    }
}

static bool
visit(const struct dtx_transfer *t, void *context)
{
    struct listing *l = context;
    const struct scene *scene = &l->p->scene;
    int tensor = plan_tensor(l, t->tensor);
    int from = position_of(&scene->layouts[SCENE_SOURCE]->mesh, t->src_rank);
    int to = position_of(&scene->layouts[SCENE_TARGET]->mesh, t->dst_rank);

    if (l->count++ > 0) {
        check_order(l, tensor, t);
    }
    if (tensor != l->tensor || l->times == NULL) {
        start_tensor(l, tensor);
    }
    so(t->dst_process == l->p->plan->dst_process[to]);
    so(l->p->options.strategy != DTX_STRATEGY_DIRECT ||
       t->src_process == t->dst_process);
    so(t->ndim == l->p->plan->tensors[tensor].ndim);
    so(scene_holds(scene, SCENE_SOURCE, planned_case_tensor(l->p, tensor),
                   from));
    take_box(l, t);
    l->last = *t;
    memcpy(l->last_begin, t->begin, (size_t)t->ndim * sizeof *t->begin);
    return l->count != l->stop_after;
}

static void
check(struct planned *p, struct random *random)
{
    struct listing l = {.p = p, .tensor = -1};
    struct dtx_error err;

    (void)random;
    l.moved = calloc((size_t)p->options.process_count, sizeof *l.moved);
    so(dtx_plan_each_transfer(p->plan, visit, &l, &err) == DTX_OK);
    if (l.times != NULL) {
        finish_tensor(&l);
    }
    for (int i = 0; i < p->options.process_count; i++) {
        so(l.moved[i] == p->plan->processes[i].received);
    }
    if (l.count > 2) {
        struct listing part = {
            .p = p, .tensor = -1, .moved = l.moved, .stop_after = 2};

        so(dtx_plan_each_transfer(p->plan, visit, &part, &err) == DTX_OK);
        so(part.count == 2);
        free(part.times);
        free(part.has_arrived);
        free(part.is_passed_on);
    }
    free(l.moved);
}

Test(transfers, cover_each_target_shard_once_in_canonical_order, .timeout = 300)
{
    each_random_plan(120, 8, 6, check);
}
