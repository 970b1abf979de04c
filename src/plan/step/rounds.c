#include "plan/step/rounds.h"

#include "util/alloc.h"

/* From one round of a run to the next, so many steps where runs overlap: with
 * two steps under way what the first keeps is there when the third begins. */
enum { ROUND_DISTANCE = 2 };

struct run {
    int round_count;
    bool has_slabs;
    int64_t last_step; /* of those so far that do a round of it, or -1 */
};

/* Steps while they are laid out. */
struct layout {
    struct dtx_schedule *schedule;
    bool overlaps;
    struct run *runs; /* [schedule->run_count] */
    struct dtx_step_outline *outlines;
    size_t count, capacity;
    struct dtx_step_place *places;
    size_t place_count, place_capacity;
};

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

static struct run
look_at(const struct dtx_plan *plan, struct dtx_class *const *classes,
        const struct dtx_step_start *start)
{
    struct run run = {.round_count = 1, .last_step = -1};
    int i;

    for (i = start[0].tensor;
         i < start[1].tensor || (i == start[1].tensor && start[1].part > 0);
         i++) {
        const struct dtx_class *c = classes[plan->tensors[i].class_index];
        int rounds = dtx_class_round_count(c);

        run.has_slabs |= dtx_class_has_slabs(c);
        run.round_count = rounds > run.round_count ? rounds : run.round_count;
    }
    return run;
}

/* ---------------------------------------------------------------- steps */

/* Runs that are done together, [first, end) of them. */
struct group {
    int64_t first, end;
    int round_count; /* at most */
    int distance;    /* of a run's rounds, in steps */
};

/* Adds a round of a run to the step that is laid out last. */
static int
add_place(struct layout *l, const struct group *g, int64_t run, int round)
{
    const struct dtx_schedule *s = l->schedule;
    struct dtx_step_outline *step = &l->outlines[l->count - 1];
    int64_t index = (int64_t)l->count - 1;

    if (dtx_grow(&l->places, l->place_count, &l->place_capacity,
                 sizeof *l->places) != 0) {
        return -1;
    }
    l->places[l->place_count++] = (struct dtx_step_place){
        run, round,
        g->distance == 1 ? 0
                         : s->section_bytes *
                               (uint64_t)((run - g->first) % s->section_count)};
    step->follows |= round > 0 && l->runs[run].last_step == index - 1;
    l->runs[run].last_step = index;
    return 0;
}

/* Adds the step of a group in which its run-th run has its first round. */
static int
add_step(struct layout *l, const struct group *g, int64_t run)
{
    size_t places = l->place_count;
    int round, failed = 0;

    if (dtx_grow(&l->outlines, l->count, &l->capacity, sizeof *l->outlines) !=
        0) {
        return -1;
    }
    l->outlines[l->count++] =
        (struct dtx_step_outline){.place_first = (int64_t)places};
    for (round = 0; round < g->round_count && !failed; round++) {
        int64_t which = run - (int64_t)round * g->distance;

        if (which >= g->first && which < g->end &&
            round < l->runs[which].round_count) {
            failed = add_place(l, g, which, round);
        }
    }
    l->count -= l->place_count == places; /* nothing is left to be done in it */
    return failed;
}

/* The runs from one on that are done together. */
static struct group
group_from(const struct layout *l, int64_t first)
{
    struct group g = {first, first + 1, l->runs[first].round_count, 1};

    if (!l->overlaps || l->runs[first].has_slabs) {
        return g;
    }
    g.distance = ROUND_DISTANCE;
    while (g.end < l->schedule->run_count && !l->runs[g.end].has_slabs) {
        int rounds = l->runs[g.end++].round_count;

        g.round_count = rounds > g.round_count ? rounds : g.round_count;
    }
    return g;
}

static int
add_group(struct layout *l, const struct group *g)
{
    int64_t end = g->end + (int64_t)(g->round_count - 1) * g->distance, run;
    int failed = 0;

    for (run = g->first; run < end && !failed; run++) {
        failed = add_step(l, g, run);
    }
    return failed;
}

/* Sets up to which run all are done before each step. */
static void
set_first_runs(const struct dtx_schedule *schedule)
{
    int64_t least = schedule->run_count, step, i;

    schedule->outlines[schedule->step_count].run_first = least;
    for (step = schedule->step_count - 1; step >= 0; step--) {
        const struct dtx_step_outline *o = &schedule->outlines[step];

        for (i = o[0].place_first; i < o[1].place_first; i++) {
            int64_t run = schedule->places[i].run;

            least = run < least ? run : least;
        }
        schedule->outlines[step].run_first = least;
    }
}

/* Moves what is laid out into the schedule. */
static int
set_steps(struct dtx_plan *plan, struct layout *l)
{
    struct dtx_schedule *s = l->schedule;

    if (dtx_grow(&l->outlines, l->count, &l->capacity, sizeof *l->outlines) !=
        0) {
        return -1;
    }
    l->outlines[l->count] =
        (struct dtx_step_outline){.place_first = (int64_t)l->place_count};
    s->step_count = (int64_t)l->count;
    s->outlines = dtx_arena_copy(&plan->arena, l->outlines, l->count + 1,
                                 sizeof *s->outlines);
    s->places = dtx_arena_copy(&plan->arena, l->places, l->place_count,
                               sizeof *s->places);
    if (s->outlines == NULL || s->places == NULL) {
        return -1;
    }
    set_first_runs(s);
    return 0;
}

static bool
have_one_round(int class_count, struct dtx_class *const *classes)
{
    int i;

    for (i = 0; i < class_count; i++) {
        if (dtx_class_round_count(classes[i]) > 1) {
            return false;
        }
    }
    return true;
}

int
dtx_rounds_place(struct dtx_plan *plan, struct dtx_class *const *classes,
                 bool overlaps, struct dtx_schedule *schedule)
{
    struct layout l = {.schedule = schedule, .overlaps = overlaps};
    int64_t run;
    int failed;

    if (have_one_round(plan->class_count, classes)) {
        schedule->step_count = schedule->run_count;
        schedule->outlines = NULL;
        schedule->places = NULL;
        return 0;
    }
    l.runs = dtx_alloc((size_t)schedule->run_count, sizeof *l.runs);
    failed = l.runs == NULL;
    for (run = 0; run < schedule->run_count && !failed; run++) {
        l.runs[run] = look_at(plan, classes, &schedule->starts[run]);
    }
    for (run = 0; run < schedule->run_count && !failed;) {
        struct group g = group_from(&l, run);

        failed = add_group(&l, &g);
        run = g.end;
    }
    failed = failed || set_steps(plan, &l) != 0;
    dtx_free(l.runs);
    dtx_free(l.outlines);
    dtx_free(l.places);
    return failed ? -1 : 0;
}
