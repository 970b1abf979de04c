#include "plan/step/schedule.h"

#include <inttypes.h>
#include <string.h>

#include "plan/plan.h"
#include "plan/send/relay.h"
#include "plan/step/filling.h"
#include "plan/step/parts.h"
#include "plan/step/rounds.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"
#include "util/size.h"

enum {
    STEP_BYTES_MOST = 32 << 20,
    OWN_BYTES = 6 << 20,
    STAGE_BYTES_MOST = 4 << 20,
    STAGE_BYTES_ALWAYS = 1 << 20, /* where there is memory for it */
    /* Runs with relays: many enough that little is lost until all rounds are
     * under way, and of a size that is worth an agreement and its messages. */
    OVERLAPPING_RUNS = 32,
    OVERLAPPING_BYTES_LEAST = 256 << 10,
    OVERLAPPING_MESSAGE_LEAST = 16 << 10,
    /* Classes that concern more processes than this are taken to load every
     * process with their largest load, which costs no loop over processes. */
    SPARSE_PROCESSES_MOST = 64,
};

/* ---------------------------------------------------------------- steps */

/* Puts the parts of a tensor from one on into new runs, all but the last of
 * them full. */
static int
pack_runs(struct dtx_step_start start, int64_t parts,
          const struct dtx_class_load *load,
          const struct dtx_run_limits *limits, struct dtx_filling *f,
          struct dtx_stretches *stretches)
{
    int64_t rest = parts - start.part;
    int64_t units = dtx_min(dtx_filling_room(f, load, limits), rest);
    int64_t runs = dtx_ceil_div(rest, units);

    if (runs > 1) {
        dtx_filling_fill(f, load, units);
    }
    dtx_filling_add(f, load, rest - (runs - 1) * units);
    return dtx_stretches_add(stretches, start, units, runs);
}

/* Puts the parts of a tensor into the run that is being filled and into as
 * many more as it takes. */
static int
pack_parts(int tensor, int64_t parts, const struct dtx_class_load *load,
           const struct dtx_run_limits *limits, struct dtx_filling *f,
           struct dtx_stretches *stretches)
{
    int64_t units = 0;

    if (parts > 0 && !f->is_empty) {
        units = dtx_min(dtx_filling_room(f, load, limits), parts);
    }
    if (units > 0) {
        dtx_filling_add(f, load, units);
    }
    if (units == parts) {
        return 0;
    }
    dtx_filling_clear(f);
    return pack_runs((struct dtx_step_start){tensor, units}, parts, load,
                     limits, f, stretches);
}

static int
pack_units(const struct dtx_plan *plan, const struct dtx_schedule *schedule,
           const struct dtx_run_limits *limits,
           const struct dtx_class_load *loads, struct dtx_filling *f,
           struct dtx_stretches *stretches)
{
    struct dtx_step_start end = {plan->tensor_count, 0};
    int i;

    dtx_filling_clear(f);
    for (i = 0; i < plan->tensor_count; i++) {
        int k = plan->tensors[i].class_index;

        if (pack_parts(i, schedule->parts[k].total, &loads[k], limits, f,
                       stretches) != 0) {
            return -1;
        }
    }
    return dtx_stretches_add(stretches, end, 1, 0);
}

/* Makes buffers no larger than the runs need them, and sets how many runs keep
 * something at a time. */
static void
set_sizes(struct dtx_class *const *classes, int class_count,
          const struct dtx_run_limits *limits,
          const struct dtx_run_sizes *sizes, struct dtx_schedule *s)
{
    int rounds = dtx_rounds_of_relays(class_count, classes);
    uint64_t step = sizes->all;

    s->section_bytes = sizes->relay;
    s->section_count = 1;
    if (limits->overlaps) {
        s->section_count = dtx_min(dtx_rounds_sections(rounds), s->run_count);
        step += (uint64_t)(rounds - 1) * sizes->relay;
    }
    s->step_bytes = step < s->step_bytes ? step : s->step_bytes;
    s->slab_bytes = step < s->slab_bytes ? step : s->slab_bytes;
    step = step > STAGE_BYTES_ALWAYS ? step : STAGE_BYTES_ALWAYS;
    s->stage_bytes = step < s->stage_bytes ? step : s->stage_bytes;
}

/* loads  [plan->class_count] of one part of each class */
static int
cut_steps(struct dtx_plan *plan, struct dtx_class *const *classes,
          const struct dtx_run_limits *limits,
          const struct dtx_class_load *loads, struct dtx_schedule *schedule)
{
    size_t processes = (size_t)plan->options.process_count;
    struct dtx_arena scratch = {0};
    struct dtx_stretches stretches = {0};
    struct dtx_filling f;
    int status = -1;

    if (dtx_filling_begin(&f, processes, &scratch) == 0 &&
        pack_units(plan, schedule, limits, loads, &f, &stretches) == 0) {
        schedule->run_count = stretches.run_count;
        schedule->stretch_count = stretches.count - 1;
        schedule->stretches =
            dtx_arena_copy(&plan->arena, stretches.array, stretches.count,
                           sizeof *stretches.array);
        set_sizes(classes, plan->class_count, limits, &f.most, schedule);
        status =
            schedule->stretches != NULL
                ? dtx_rounds_place(&plan->arena, limits->overlaps, schedule)
                : -1;
    }
    dtx_free(stretches.array);
    dtx_arena_finish(&scratch);
    return status;
}

/* ---------------------------------------------------------------- budget */

/* The least that a stage must hold: one element. */
static uint64_t
largest_element(int class_count, struct dtx_class *const *classes)
{
    uint64_t most = 1;
    int i;

    for (i = 0; i < class_count; i++) {
        uint64_t bytes = dtx_class_stage_bytes(classes[i]);

        most = bytes > most ? bytes : most;
    }
    return most;
}

/* What is kept between rounds, and how. */
struct keeping {
    bool has_slabs;
    int relay_rounds;    /* at most; 1: no relays */
    uint64_t relay_work; /* bytes of units with relays, of one process in one
                            round, at most */
    int relay_peers;     /* to which those go, at most */
};

/* Returns -1 when out of memory. */
static int
find_keeping(int class_count, struct dtx_class *const *classes,
             struct keeping *keeping)
{
    struct dtx_arena scratch = {0};
    int i, failed = 0;

    *keeping = (struct keeping){.relay_rounds =
                                    dtx_rounds_of_relays(class_count, classes)};
    for (i = 0; i < class_count && !failed; i++) {
        int64_t counts[DTX_NDIM_MAX];
        struct dtx_parts whole = {.counts = counts};
        struct dtx_load *loads;

        keeping->has_slabs |= dtx_class_has_slabs(classes[i]);
        if (classes[i]->relays != NULL) {
            failed = dtx_parts_choose(classes[i], UINT64_MAX, &scratch, &whole,
                                      &loads) < 0;
            keeping->relay_work +=
                whole.load * (uint64_t)classes[i]->instance_count;
            if (classes[i]->relays->peer_count > keeping->relay_peers) {
                keeping->relay_peers = classes[i]->relays->peer_count;
            }
        }
    }
    dtx_arena_finish(&scratch);
    return failed;
}

/* What buffers may take of the memory: the program's own code, its lists and
 * open files take some as well, though never more than half of a small one. */
static uint64_t
buffer_bytes(uint64_t memory)
{
    return memory / 2 < OWN_BYTES ? memory - memory / 2 : memory - OWN_BYTES;
}

/* The least memory of which buffers may take so much. */
static uint64_t
memory_for_buffers(uint64_t bytes)
{
    return bytes < OWN_BYTES ? 2 * bytes : bytes + OWN_BYTES;
}

static bool
has_rounds(const struct keeping *keeping)
{
    return keeping->has_slabs || keeping->relay_rounds > 1;
}

static void
divide_memory(uint64_t memory, const struct keeping *keeping,
              struct dtx_schedule *schedule)
{
    uint64_t stage = buffer_bytes(memory) / 8;

    stage = stage > STAGE_BYTES_MOST ? STAGE_BYTES_MOST : stage;
    schedule->stage_bytes = stage;
    schedule->step_bytes =
        (buffer_bytes(memory) - 2 * stage) / (has_rounds(keeping) ? 3 : 2);
    if (schedule->step_bytes > STEP_BYTES_MOST) {
        schedule->step_bytes = STEP_BYTES_MOST;
    }
    schedule->slab_bytes = keeping->has_slabs ? schedule->step_bytes : 0;
}

/* The bytes of a run with relays, where any number may be. */
static uint64_t
overlapping_bytes(const struct keeping *keeping)
{
    uint64_t bytes = keeping->relay_work / OVERLAPPING_RUNS;
    uint64_t least = (uint64_t)keeping->relay_peers * OVERLAPPING_MESSAGE_LEAST;

    bytes = bytes > least ? bytes : least;
    return bytes > OVERLAPPING_BYTES_LEAST ? bytes : OVERLAPPING_BYTES_LEAST;
}

/* What a step may hold goes to the rounds that overlap in it, and what may be
 * kept to the runs that keep something by then. */
static struct dtx_run_limits
divide_step(const struct keeping *keeping, bool overlaps, uint64_t step_bytes)
{
    struct dtx_run_limits l = {overlaps, step_bytes, step_bytes, step_bytes};

    if (overlaps) {
        uint64_t wanted = overlapping_bytes(keeping);

        l.relay /= (uint64_t)dtx_rounds_sections(keeping->relay_rounds);
        l.relay = wanted < l.relay ? wanted : l.relay;
        l.all -= (uint64_t)(keeping->relay_rounds - 1) * l.relay;
    }
    return l;
}

static enum dtx_status
refuse_memory(uint64_t memory, bool has_rounds, uint64_t load, uint64_t element,
              struct dtx_error *err)
{
    char given[DTX_SIZE_TEXT];
    uint64_t least = has_rounds ? load * 4 + 32 : load / 3 * 8 + 16;
    uint64_t stage_least = element * 8;

    least = memory_for_buffers(least < stage_least ? stage_least : least);
    dtx_error_set(err, DTX_ERR_LIMIT,
                  "%s of memory per process are not enough; the least that "
                  "would do is %" PRIu64 " bytes",
                  dtx_size_format(memory, given), least);
    dtx_error_hint(err, "raise --memory, or use more processes");
    return DTX_ERR_LIMIT;
}

/* What is found out about a class. */
struct cut {
    const struct dtx_parts *like; /* of a class before it, or NULL */
    struct dtx_parts *parts;      /* their counts in `kept`, or those of like */
    struct dtx_class_load *load;  /* its list in `loads` */
};

/* While all classes are cut. */
struct cutter {
    struct dtx_arena *kept;
    struct dtx_arena loads, scratch;
};

/* Returns -1 when out of memory. */
static int
cut_class(struct cutter *cutter, const struct dtx_class *c, uint64_t limit,
          const struct cut *cut)
{
    size_t ndim = (size_t)c->ndim;
    int64_t counts[DTX_NDIM_MAX];
    struct dtx_load *list;
    int count;

    cut->parts->counts = counts;
    count = dtx_parts_choose(c, limit, &cutter->scratch, cut->parts, &list);
    if (count < 0) {
        return -1;
    }
    cut->parts->counts =
        cut->like != NULL &&
                memcmp(cut->like->counts, counts, ndim * sizeof *counts) == 0
            ? cut->like->counts
            : dtx_arena_copy(cutter->kept, counts, ndim, sizeof *counts);
    *cut->load = (struct dtx_class_load){.count = count,
                                         .has_slabs = dtx_class_has_slabs(c),
                                         .has_relays = c->relays != NULL,
                                         .most = cut->parts->load};
    if (count <= SPARSE_PROCESSES_MOST) {
        cut->load->loads =
            dtx_arena_copy(&cutter->loads, list, (size_t)count, sizeof *list);
    }
    return cut->parts->counts == NULL ||
                   (count <= SPARSE_PROCESSES_MOST && cut->load->loads == NULL)
               ? -1
               : 0;
}

/* Whether all classes could be cut to the limits, and the largest load. */
struct fit {
    bool fits;
    uint64_t worst;
};

/* Cuts all classes. Returns -1 when out of memory. */
static int
cut_classes(struct cutter *cutter, const struct dtx_plan *plan,
            const struct dtx_run_limits *limits, struct dtx_schedule *schedule,
            struct dtx_class_load *loads, struct fit *fit_out)
{
    int i;

    *fit_out = (struct fit){.fits = true};
    dtx_arena_reset(&cutter->loads);
    for (i = 0; i < plan->class_count; i++) {
        const struct dtx_class *c = schedule->classes[i];
        struct cut cut = {.parts = &schedule->parts[i], .load = &loads[i]};
        uint64_t limit = c->relays != NULL        ? limits->relay
                         : dtx_class_has_slabs(c) ? limits->slabs
                                                  : limits->all;

        if (i > 0 && schedule->classes[i - 1]->ndim == c->ndim) {
            cut.like = cut.parts - 1;
        }
        if (cut_class(cutter, c, limit, &cut) != 0) {
            return -1;
        }
        fit_out->fits &= cut.parts->load <= limit;
        if (cut.parts->load > fit_out->worst) {
            fit_out->worst = cut.parts->load;
        }
    }
    return 0;
}

/* Chooses the limits of runs and cuts all classes to them: runs with relays
 * overlap where there is memory for it. */
static enum dtx_status
choose_limits(struct cutter *cutter, const struct dtx_plan *plan,
              struct dtx_schedule *schedule, struct dtx_class_load *loads,
              struct dtx_run_limits *limits_out, struct dtx_error *err)
{
    struct dtx_class *const *classes = schedule->classes;
    uint64_t element = largest_element(plan->class_count, classes);
    struct keeping keeping;
    struct fit fit = {0};
    bool overlaps;

    if (find_keeping(plan->class_count, classes, &keeping) != 0) {
        return dtx_error_memory(err);
    }
    divide_memory(plan->options.memory_bytes, &keeping, schedule);
    overlaps = keeping.relay_rounds > 1;
    for (;; overlaps = false) {
        *limits_out = divide_step(&keeping, overlaps, schedule->step_bytes);
        if (cut_classes(cutter, plan, limits_out, schedule, loads, &fit) != 0) {
            return dtx_error_memory(err);
        }
        if (fit.fits || !overlaps) {
            break;
        }
    }
    return fit.fits && element <= schedule->stage_bytes
               ? DTX_OK
               : refuse_memory(plan->options.memory_bytes, has_rounds(&keeping),
                               fit.worst, element, err);
}

/* Sets a schedule that has its lists. */
static enum dtx_status
fill_schedule(struct dtx_plan *plan, struct dtx_schedule *schedule,
              struct dtx_class_load *loads, struct dtx_error *err)
{
    struct cutter cutter = {.kept = &plan->arena};
    struct dtx_run_limits limits = {0};
    enum dtx_status status =
        choose_limits(&cutter, plan, schedule, loads, &limits, err);

    dtx_arena_finish(&cutter.scratch);
    if (status == DTX_OK &&
        cut_steps(plan, schedule->classes, &limits, loads, schedule) != 0) {
        status = dtx_error_memory(err);
    }
    dtx_arena_finish(&cutter.loads);
    return status;
}

enum dtx_status
dtx_schedule_create(struct dtx_plan *plan, struct dtx_class *const *classes,
                    struct dtx_schedule **schedule_out, struct dtx_error *err)
{
    size_t count = (size_t)plan->class_count;
    struct dtx_schedule *schedule =
        dtx_arena_alloc(&plan->arena, 1, sizeof *schedule);
    struct dtx_class_load *loads = dtx_alloc(count, sizeof *loads);
    enum dtx_status status;

    if (schedule != NULL) {
        schedule->tensors = plan->tensors;
        schedule->classes = classes;
        schedule->parts =
            dtx_arena_alloc(&plan->arena, count, sizeof *schedule->parts);
    }
    status = schedule != NULL && schedule->parts != NULL && loads != NULL
                 ? fill_schedule(plan, schedule, loads, err)
                 : dtx_error_memory(err);
    dtx_free(loads);
    if (status == DTX_OK) {
        *schedule_out = schedule;
    }
    return status;
}
