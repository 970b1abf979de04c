#include "planned.h"

/* One side of a class, and what it comes from. */
struct subject {
    const struct planned *p;
    const struct dtx_side *side;
    const int *processes; /* [positions] */
    int which;            /* SCENE_SOURCE or SCENE_TARGET */
    int tensor;           /* of the case */
};

static bool
is_there(const struct subject *s, int position)
{
    return s->which == SCENE_TARGET
               ? planned_needs(s->p, s->tensor, position)
               : scene_holds(&s->p->scene, SCENE_SOURCE, s->tensor, position);
}

/* True where two positions have the same elements (of the same term). */
static bool
are_replicas(const struct subject *s, int a, int b)
{
    static struct shard first, second;

    scene_shard(&s->p->scene, s->which, s->tensor, a, &first);
    scene_shard(&s->p->scene, s->which, s->tensor, b, &second);
    for (int dim = 0; dim < first.ndim; dim++) {
        if (first.dims[dim].count != second.dims[dim].count ||
            memcmp(first.dims[dim].items, second.dims[dim].items,
                   (size_t)first.dims[dim].count * sizeof(int)) != 0) {
            return false;
        }
    }
    return s->which == SCENE_TARGET ||
           scene_term(&s->p->scene, s->which, s->tensor, a) ==
               scene_term(&s->p->scene, s->which, s->tensor, b);
}

static int64_t
logical_elements(const struct subject *s, int position)
{
    static struct shard shard;
    int64_t count = 0;

    scene_shard(&s->p->scene, s->which, s->tensor, position, &shard);
    for (int64_t i = 0; i < shard.count; i++) {
        count += scene_element(&s->p->scene, s->tensor, &shard, i) !=
                 REFERENCE_PADDING;
    }
    return count;
}

/* The position among the shard's, once, in ascending order. */
static void
check_positions(const struct subject *s, int shard)
{
    int first = s->side->shard_first[shard];
    int end = s->side->shard_first[shard + 1];

    for (int i = first; i < end; i++) {
        so(dtx_side_shard(s->side, s->side->positions[i]) == shard);
        so(is_there(s, s->side->positions[i]));
        so(i == first || s->side->positions[i] > s->side->positions[i - 1]);
        so(are_replicas(s, s->side->positions[first], s->side->positions[i]));
        so(logical_elements(s, s->side->positions[i]) ==
           dtx_side_elements(s->side, shard));
    }
}

/* The processes of a shard: those of its positions, each once. */
static void
check_processes(const struct subject *s, int shard)
{
    int first = s->side->process_first[shard];
    int end = s->side->process_first[shard + 1];

    for (int i = s->side->shard_first[shard];
         i < s->side->shard_first[shard + 1]; i++) {
        int process = s->processes[s->side->positions[i]];
        int index = dtx_side_process_index(s->side, shard, process);
        const struct dtx_use *use = dtx_side_find_use(s->side, process, shard);

        so(s->side->processes[first + index] == process);
        so(use != NULL && use->position <= s->side->positions[i]);
        so(s->processes[use->position] == process);
        so(dtx_side_shard(s->side, use->position) == shard);
    }
    for (int i = first + 1; i < end; i++) {
        so(s->side->processes[i] > s->side->processes[i - 1]);
    }
    so(end - first <=
       s->side->shard_first[shard + 1] - s->side->shard_first[shard]);
}

static void
check_uses(const struct subject *s)
{
    int sum = 0, first;

    for (int p = 0; p < s->p->options.process_count; p++) {
        int count = dtx_side_uses(s->side, p, &first);

        for (int i = first; i < first + count; i++) {
            so(s->side->uses[i].process == p);
            so(i == first ||
               s->side->uses[i].shard > s->side->uses[i - 1].shard);
        }
        sum += count;
    }
    so(sum == s->side->use_count);
}

static void
check_side(const struct subject *s)
{
    int positions = s->side->mesh->position_count, there = 0;

    for (int shard = 0; shard < s->side->shard_count; shard++) {
        check_positions(s, shard);
        check_processes(s, shard);
    }
    for (int i = 0; i < positions; i++) {
        there += is_there(s, i);
        for (int k = 0; k < i; k++) {
            /* Empty shards may be alike and have different numbers. */
            if (is_there(s, i) && is_there(s, k) &&
                logical_elements(s, i) > 0) {
                so((dtx_side_shard(s->side, i) == dtx_side_shard(s->side, k)) ==
                   are_replicas(s, i, k));
            }
        }
    }
    so(there == s->side->position_count);
    so(s->side->shard_first[s->side->shard_count] == there);
    check_uses(s);
}

static void
check(struct planned *p, struct random *random)
{
    (void)random;
    for (int i = 0; i < p->plan->tensor_count; i++) {
        const struct dtx_class *c =
            p->plan->classes[p->plan->tensors[i].class_index];
        int tensor = planned_case_tensor(p, i);
        struct subject source = {p, c->src, p->plan->src_process, SCENE_SOURCE,
                                 tensor};
        struct subject target = {p, c->dst, p->plan->dst_process, SCENE_TARGET,
                                 tensor};

        check_side(&source);
        check_side(&target);
    }
}

Test(side, numbers_shards_by_what_they_hold, .timeout = 300)
{
    each_random_plan(100, 12, 6, check);
}
