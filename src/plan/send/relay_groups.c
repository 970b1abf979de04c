#include "plan/send/relay_groups.h"

#include <stdlib.h>

#include "plan/send/level.h"
#include "util/alloc.h"
#include "util/math.h"

/* So many turns tell apart what members of a group can take on. */
enum { TURNS_LEAST = 48 };

/* ---------------------------------------------------------------- groups */

/* A member while those of a shard are sorted. */
struct member {
    int node, index;
};

static int
compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    if (a->node != b->node) {
        return a->node < b->node ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Groups the processes of a target shard, with room for the sorting. */
static void
group_shard(struct dtx_relays *relays, const struct dtx_side *dst, int shard,
            struct member *sorted)
{
    int first = dst->process_first[shard], group = relays->group_first[shard];
    int count = dst->process_first[shard + 1] - first, i;

    for (i = 0; i < count; i++) {
        int process = dst->processes[first + i];

        sorted[i] = (struct member){
            relays->nodes != NULL ? relays->nodes[process] : 0, i};
    }
    if (relays->nodes != NULL) {
        qsort(sorted, (size_t)count, sizeof *sorted, compare_members);
    }
    for (i = 0; i < count; i++) {
        if (i == 0 || sorted[i].node != sorted[i - 1].node) {
            relays->groups[group++] = (struct dtx_relay_group){
                .node = sorted[i].node, .first = first + i, .end = first + i};
        }
        relays->groups[group - 1].end++;
        relays->members[first + i] = sorted[i].index;
        relays->group_of[first + sorted[i].index] = group - 1;
    }
    relays->group_first[shard + 1] = group;
}

/* NULL when out of memory. */
static struct dtx_relays *
make_groups(struct dtx_plan *plan, const struct dtx_side *dst, const int *nodes)
{
    struct dtx_arena *a = &plan->arena;
    size_t count = (size_t)dst->use_count;
    struct dtx_relays *relays = dtx_arena_alloc(a, 1, sizeof *relays);
    struct member *sorted = dtx_alloc(count, sizeof *sorted);
    int shard;

    if (relays != NULL) {
        relays->nodes = nodes;
        relays->group_first = dtx_arena_alloc(a, (size_t)dst->shard_count + 1,
                                              sizeof *relays->group_first);
        relays->groups = dtx_arena_alloc(a, count, sizeof *relays->groups);
        relays->members = dtx_arena_alloc(a, count, sizeof *relays->members);
        relays->group_of = dtx_arena_alloc(a, count, sizeof *relays->group_of);
    }
    if (relays == NULL || sorted == NULL || relays->group_first == NULL ||
        relays->groups == NULL || relays->members == NULL ||
        relays->group_of == NULL) {
        dtx_free(sorted);
        return NULL;
    }
    for (shard = 0; shard < dst->shard_count; shard++) {
        group_shard(relays, dst, shard, sorted);
    }
    dtx_free(sorted);
    return relays;
}

/* The most groups of a shard; *members_out: the most members of a group. */
static int64_t
most_groups(const struct dtx_relays *relays, const struct dtx_side *dst,
            int64_t *members_out)
{
    int64_t groups = 1;
    int shard, g;

    *members_out = 1;
    for (shard = 0; shard < dst->shard_count; shard++) {
        groups = dtx_max(groups, relays->group_first[shard + 1] -
                                     relays->group_first[shard]);
    }
    for (g = 0; g < relays->group_first[dst->shard_count]; g++) {
        *members_out = dtx_max(*members_out,
                               relays->groups[g].end - relays->groups[g].first);
    }
    return groups;
}

/* ---------------------------------------------------------------- turns */

/* The turns of a class's groups while they are shared out. */
struct sharing {
    const struct dtx_class *c;
    struct dtx_relays *relays;
    int64_t *loads;               /* [process_count] elements that each sends */
    struct dtx_level_part *parts; /* [use_count] of the group at hand */
    size_t count, capacity;
    int *turns;
};

/* Adds what holders send to groups, each shard's among its holders. */
static void
add_held(struct sharing *s, int64_t groups)
{
    const struct dtx_side *src = s->c->src;
    int i;

    for (i = 0; i < src->use_count; i++) {
        int shard = src->uses[i].shard;
        int holders = src->process_first[shard + 1] - src->process_first[shard];

        s->loads[src->uses[i].process] +=
            dtx_side_elements(src, shard) * groups / holders;
    }
}

static int
add_turn(struct sharing *s, int receiver)
{
    if (dtx_grow(&s->turns, s->count, &s->capacity, sizeof *s->turns) != 0) {
        return -1;
    }
    s->turns[s->count++] = receiver;
    return 0;
}

/* True where all who take anything on take as much, or nearly so. */
static bool
are_alike(const struct dtx_level_part *parts, int count)
{
    int64_t least = INT64_MAX, most = 0;
    int i;

    for (i = 0; i < count; i++) {
        most = dtx_max(most, parts[i].amount);
    }
    for (i = 0; i < count; i++) {
        if (parts[i].amount > most / 64) {
            least = dtx_min(least, parts[i].amount);
        }
    }
    return most - least <= most / 16;
}

/* Gives the turns of a group to its members in proportion to their amounts,
 * each turn to the one who is most behind. */
static int
give_turns(struct sharing *s, const struct dtx_level_part *parts, int count,
           int64_t total)
{
    int64_t turns = dtx_max(count, TURNS_LEAST), turn;
    int *given = dtx_alloc((size_t)count, sizeof *given);
    int failed = given == NULL, i;

    for (turn = 0; turn < turns && !failed; turn++) {
        double most = 0;
        int best = 0;

        for (i = 0; i < count; i++) {
            double behind =
                (double)parts[i].amount / (double)total * (double)(turn + 1) -
                given[i];

            if (behind > most) {
                most = behind;
                best = i;
            }
        }
        given[best]++;
        failed = add_turn(s, parts[best].index);
    }
    dtx_free(given);
    return failed;
}

/* Shares out the turns of one group: what its members pass on together makes
 * the largest of their loads as small as can be. */
static int
share_group(struct sharing *s, int shard, struct dtx_relay_group *g)
{
    const struct dtx_side *dst = s->c->dst;
    int count = g->end - g->first, i, failed = 0;
    int64_t total = dtx_side_elements(dst, shard) * (count - 1);

    g->turn_first = (int)s->count;
    for (i = 0; i < count; i++) {
        int receiver = s->relays->members[g->first + i];
        int process = dst->processes[dst->process_first[shard] + receiver];

        s->parts[i] =
            (struct dtx_level_part){s->loads[process], 0, receiver, process};
    }
    dtx_level(s->parts, count, total);
    for (i = 0; i < count; i++) {
        s->loads[s->parts[i].process] += s->parts[i].amount;
    }
    if (total > 0 && !are_alike(s->parts, count)) {
        failed = give_turns(s, s->parts, count, total);
    } else {
        for (i = 0; i < count && !failed; i++) {
            if (total == 0 || s->parts[i].amount > 0) {
                failed = add_turn(s, s->parts[i].index);
            }
        }
    }
    g->turn_count = (int)s->count - g->turn_first;
    return failed;
}

static int
share_turns(struct dtx_plan *plan, const struct dtx_class *c,
            struct dtx_relays *relays, struct dtx_relay_sizes *sizes)
{
    struct sharing s = {
        .c = c,
        .relays = relays,
        .loads =
            dtx_alloc((size_t)plan->options.process_count, sizeof *s.loads),
        .parts = dtx_alloc((size_t)c->dst->use_count, sizeof *s.parts)};
    int shard, g, failed = s.loads == NULL || s.parts == NULL;

    if (!failed) {
        add_held(&s, relays->go_across ? 1 : sizes->groups);
    }
    for (shard = 0; shard < c->dst->shard_count; shard++) {
        for (g = relays->group_first[shard];
             g < relays->group_first[shard + 1] && !failed; g++) {
            failed = share_group(&s, shard, &relays->groups[g]);
            sizes->turns = dtx_max(sizes->turns, relays->groups[g].turn_count);
        }
    }
    if (!failed) {
        relays->turns =
            dtx_arena_copy(&plan->arena, s.turns, s.count, sizeof *s.turns);
        failed = relays->turns == NULL;
    }
    dtx_free(s.loads);
    dtx_free(s.parts);
    dtx_free(s.turns);
    return failed ? -1 : 0;
}

struct dtx_relays *
dtx_relay_groups(struct dtx_plan *plan, const struct dtx_class *c, bool is_busy,
                 struct dtx_relay_sizes *sizes_out)
{
    struct dtx_relays *relays = make_groups(plan, c->dst, plan->nodes);
    struct dtx_relay_sizes sizes = {1, 1};
    int64_t members;

    if (relays == NULL) {
        return NULL;
    }
    sizes.groups = most_groups(relays, c->dst, &members);
    if (members == 1 && sizes.groups > 1) { /* nobody has a neighbour */
        relays = make_groups(plan, c->dst, NULL);
        if (relays == NULL) {
            return NULL;
        }
        sizes.groups = most_groups(relays, c->dst, &members);
    }
    relays->go_across =
        is_busy && sizes.groups > 2 && c->src->use_count == c->src->shard_count;
    relays->peer_count = (int)dtx_max(sizes.groups, members);
    if (share_turns(plan, c, relays, &sizes) != 0) {
        return NULL;
    }
    *sizes_out = sizes;
    return relays;
}
