#include "plan/step/rounds.h"

#include "plan/plan.h"
#include "util/alloc.h"
#include "util/math.h"

/* From one round of a run to the next, so many steps where runs overlap: with
 * two steps under way what the first keeps is there when the third begins. */
enum { ROUND_DISTANCE = 2 };

int64_t
dtx_rounds_sections(int round_count)
{
    return ROUND_DISTANCE * (round_count - 1) + 1;
}

int
dtx_rounds_of_relays(int class_count, struct dtx_class *const *classes)
{
    int most = 1, i;

    for (i = 0; i < class_count; i++) {
        if (classes[i]->relays != NULL) {
            int rounds = dtx_class_round_count(classes[i]);

            most = rounds > most ? rounds : most;
        }
    }
    return most;
}

/* ---------------------------------------------------------------- runs */

/* How a run goes. */
struct manner {
    int round_count;
    bool has_slabs;
};

/* That of what lies between two starts. */
static struct manner
look_at(const struct dtx_schedule *s, struct dtx_step_start start,
        struct dtx_step_start end)
{
    struct manner manner = {.round_count = 1};
    int i;

    for (i = start.tensor; i < end.tensor || (i == end.tensor && end.part > 0);
         i++) {
        const struct dtx_class *c = s->classes[s->tensors[i].class_index];
        int rounds = dtx_class_round_count(c);

        manner.has_slabs |= dtx_class_has_slabs(c);
        manner.round_count =
            rounds > manner.round_count ? rounds : manner.round_count;
    }
    return manner;
}

static int
rounds_of_run(const struct dtx_schedule *s, int64_t run)
{
    return look_at(s, dtx_schedule_start(s, run),
                   dtx_schedule_start(s, run + 1))
        .round_count;
}

/* ---------------------------------------------------------------- walks */

bool
dtx_step_walk_next(struct dtx_step_walk *walk, struct dtx_step_place *place_out)
{
    const struct dtx_schedule *s = walk->schedule;
    const struct dtx_run_group *g = walk->group;

    while (walk->round < g->round_count) {
        int round = walk->round++;
        int64_t run = walk->first + walk->at - (int64_t)round * g->distance;

        if (run < walk->first) {
            return false;
        }
        if (run < walk->end && round < rounds_of_run(s, run)) {
            int64_t section = (run - walk->first) % s->section_count;

            *place_out = (struct dtx_step_place){
                run, round, s->section_bytes * (uint64_t)section};
            return true;
        }
    }
    return false;
}

/* True where all runs of a walk have begun, and none has a round then. */
static bool
is_idle(const struct dtx_step_walk *walk, int64_t at)
{
    struct dtx_step_walk other = *walk;
    struct dtx_step_place place;

    other.at = at;
    other.round = 0;
    return at >= walk->end - walk->first && !dtx_step_walk_next(&other, &place);
}

/* Leaves out those of the steps before that a walk stands on which do nothing,
 * once all its runs have begun. */
static void
skip_idle(struct dtx_step_walk *walk)
{
    int64_t left = walk->at - (walk->end - walk->first), at;

    for (at = walk->end - walk->first; left >= 0; at++) {
        if (!is_idle(walk, at)) {
            left--;
            walk->at = at;
        }
    }
}

static const struct dtx_run_group *
find_group(const struct dtx_schedule *s, int64_t step)
{
    size_t lo = 0, hi = s->group_count;

    while (hi - lo > 1) { /* the last one that begins with it or before */
        size_t middle = lo + (hi - lo) / 2;

        if (s->groups[middle].step <= step) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return &s->groups[lo];
}

void
dtx_step_walk_begin(struct dtx_step_walk *walk,
                    const struct dtx_schedule *schedule, int64_t step)
{
    const struct dtx_run_group *g = find_group(schedule, step);

    *walk = (struct dtx_step_walk){.schedule = schedule, .group = g};
    walk->at = step - g->step;
    if (g->overlaps) {
        walk->first = g[0].run;
        walk->end = g[1].run;
        skip_idle(walk);
    } else {
        walk->first = g->run + walk->at / g->round_count;
        walk->end = walk->first + 1;
        walk->at %= g->round_count;
    }
}

int64_t
dtx_step_first_run(const struct dtx_schedule *schedule, int64_t step)
{
    struct dtx_step_walk walk;
    int64_t run;

    dtx_step_walk_begin(&walk, schedule, step);
    run = walk.first + walk.at -
          (int64_t)(walk.group->round_count - 1) * walk.group->distance;
    for (run = dtx_max(run, walk.first); run < walk.end - 1; run++) {
        int64_t last =
            (int64_t)(rounds_of_run(schedule, run) - 1) * walk.group->distance;

        if (run - walk.first + last >= walk.at) {
            break;
        }
    }
    return run;
}

bool
dtx_step_follows(const struct dtx_schedule *schedule, int64_t step)
{
    struct dtx_step_walk walk;
    struct dtx_step_place place;
    bool has_later = false;
    int i;

    dtx_step_walk_begin(&walk, schedule, step);
    for (i = 1; i < walk.group->distance; i++) {
        if (!is_idle(&walk, walk.at - i)) {
            return false;
        }
    }
    while (dtx_step_walk_next(&walk, &place)) {
        has_later |= place.round > 0;
    }
    return has_later;
}

/* ---------------------------------------------------------------- groups */

/* Groups while they are made; the last one may grow. */
struct groups {
    struct dtx_schedule *schedule;
    bool overlap; /* runs that keep no slabs do */
    struct dtx_run_group *array;
    size_t count, capacity;
    int64_t run, step; /* behind the last one; step: without it */
};

/* The steps of a group that ends before a run. */
static int64_t
count_steps(const struct dtx_schedule *s, const struct dtx_run_group *g,
            int64_t end)
{
    struct dtx_step_walk walk = {
        .schedule = s, .group = g, .first = g->run, .end = end};
    int64_t runs = end - g->run, steps = runs, at;

    if (!g->overlaps) {
        return runs * g->round_count;
    }
    for (at = runs; at < runs + (g->round_count - 1) * g->distance; at++) {
        steps += !is_idle(&walk, at);
    }
    return steps;
}

/* Ends the last group. */
static void
end_group(struct groups *groups)
{
    if (groups->count > 0) {
        groups->step += count_steps(
            groups->schedule, &groups->array[groups->count - 1], groups->run);
    }
}

/* Adds a group that begins behind the last one, of runs that go alike. */
static int
begin_group(struct groups *groups, const struct manner *manner, bool overlaps)
{
    end_group(groups);
    if (dtx_grow(&groups->array, groups->count, &groups->capacity,
                 sizeof *groups->array) != 0) {
        return -1;
    }
    groups->array[groups->count++] =
        (struct dtx_run_group){.run = groups->run,
                               .step = groups->step,
                               .round_count = manner->round_count,
                               .distance = overlaps ? ROUND_DISTANCE : 1,
                               .overlaps = overlaps};
    return 0;
}

/* Adds so many runs that go alike. */
static int
add_runs(struct groups *groups, int64_t count, const struct manner *manner)
{
    bool overlaps = groups->overlap && !manner->has_slabs;
    struct dtx_run_group *last =
        groups->count > 0 ? &groups->array[groups->count - 1] : NULL;

    if (count == 0) {
        return 0;
    }
    if (last == NULL || last->overlaps != overlaps ||
        (!overlaps && last->round_count != manner->round_count)) {
        if (begin_group(groups, manner, overlaps) != 0) {
            return -1;
        }
        last = &groups->array[groups->count - 1];
    }
    if (manner->round_count > last->round_count) {
        last->round_count = manner->round_count;
    }
    groups->run += count;
    return 0;
}

/* Adds the runs of a stretch: all but the last are of one tensor. */
static int
add_stretch(struct groups *groups, const struct dtx_stretch *stretch)
{
    const struct dtx_schedule *s = groups->schedule;
    int64_t count = stretch[1].run - stretch->run;
    struct dtx_step_start last = dtx_schedule_start(s, stretch[1].run - 1);
    struct manner inner = look_at(s, stretch->start, last);
    struct manner outer = look_at(s, last, stretch[1].start);

    return add_runs(groups, count - 1, &inner) != 0 ||
                   add_runs(groups, 1, &outer) != 0
               ? -1
               : 0;
}

int
dtx_rounds_place(struct dtx_arena *arena, bool overlaps,
                 struct dtx_schedule *schedule)
{
    struct groups groups = {.schedule = schedule, .overlap = overlaps};
    struct manner none = {.round_count = 1};
    size_t i;
    int failed = 0;

    for (i = 0; i < schedule->stretch_count && !failed; i++) {
        failed = add_stretch(&groups, &schedule->stretches[i]);
    }
    if (!failed) {
        failed = begin_group(&groups, &none, false);
    }
    if (!failed) {
        schedule->group_count = groups.count - 1;
        schedule->step_count = groups.step;
        schedule->groups = dtx_arena_copy(arena, groups.array, groups.count,
                                          sizeof *groups.array);
    }
    dtx_free(groups.array);
    return failed || schedule->groups == NULL ? -1 : 0;
}
