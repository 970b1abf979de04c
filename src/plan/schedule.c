#include "plan/schedule.h"

#include <inttypes.h>

#include "plan/load.h"
#include "plan/parts.h"
#include "plan/plan.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"
#include "util/size.h"

enum {
    STEP_BYTES_MOST = 32 << 20,
    OWN_BYTES = 6 << 20,
    STAGE_BYTES_MOST = 4 << 20,
    /* Classes that concern more processes than this are taken to load every
     * process with their largest load, which costs no loop over processes. */
    SPARSE_PROCESSES_MOST = 64,
};

/* ---------------------------------------------------------------- steps */

/* The load of every process in the step that is being filled. */
struct filling {
    uint64_t *bytes; /* [process_count] by classes of few processes */
    int *touched;    /* processes with bytes > 0 */
    int touched_count;
    uint64_t most;  /* of bytes */
    uint64_t dense; /* on top, of every process */
    bool is_empty;
    bool has_slabs, has_relays; /* units that keep something in this way */
};

struct class_load {
    bool has_slabs, has_relays;
    struct dtx_load *loads; /* NULL: dense */
    int count;
    uint64_t most;
};

static void
filling_clear(struct filling *f)
{
    int i;

    for (i = 0; i < f->touched_count; i++) {
        f->bytes[f->touched[i]] = 0;
    }
    f->touched_count = 0;
    f->most = f->dense = 0;
    f->is_empty = true;
    f->has_slabs = f->has_relays = false;
}

/* How many units that take so much each have room where so much is taken. */
static int64_t
units_that_fit(uint64_t taken, uint64_t each, uint64_t limit)
{
    uint64_t units;

    if (taken > limit) {
        return 0;
    }
    units = each > 0 ? (limit - taken) / each : INT64_MAX;
    return units < INT64_MAX ? (int64_t)units : INT64_MAX;
}

/* How many units of a class the step has room for; an empty one has for one
 * of any size. */
static int64_t
filling_room(const struct filling *f, const struct class_load *load,
             uint64_t limit)
{
    int64_t room;
    int i;

    if (f->is_empty) {
        return dtx_max(units_that_fit(0, load->most, limit), 1);
    }
    if ((f->has_slabs && load->has_relays) ||
        (f->has_relays && load->has_slabs)) { /* they keep in different ways */
        return 0;
    }
    if (load->loads == NULL) {
        return units_that_fit(f->most + f->dense, load->most, limit);
    }
    room = units_that_fit(f->most + f->dense, 0, limit);
    for (i = 0; i < load->count && room > 0; i++) {
        uint64_t taken = f->bytes[load->loads[i].process] + f->dense;

        room =
            dtx_min(room, units_that_fit(taken, load->loads[i].bytes, limit));
    }
    return room;
}

/* Adds so many units of a class. */
static void
filling_add(struct filling *f, const struct class_load *load, int64_t units)
{
    int i;

    f->is_empty = false;
    f->has_slabs |= load->has_slabs;
    f->has_relays |= load->has_relays;
    if (load->loads == NULL) {
        f->dense += (uint64_t)units * load->most;
        return;
    }
    for (i = 0; i < load->count; i++) {
        uint64_t *bytes = &f->bytes[load->loads[i].process];

        if (*bytes == 0 && load->loads[i].bytes > 0) {
            f->touched[f->touched_count++] = load->loads[i].process;
        }
        *bytes += (uint64_t)units * load->loads[i].bytes;
        f->most = *bytes > f->most ? *bytes : f->most;
    }
}

/* Growing list of step starts. */
struct starts {
    struct dtx_step_start *array;
    size_t count, capacity;
};

static int
starts_add(struct starts *starts, int tensor, int64_t part)
{
    if (dtx_grow(&starts->array, starts->count, &starts->capacity,
                 sizeof *starts->array) != 0) {
        return -1;
    }
    starts->array[starts->count++] = (struct dtx_step_start){tensor, part};
    return 0;
}

/* Puts the parts of a tensor into the step that is being filled and into as
 * many more as it takes. */
static int
pack_parts(int tensor, int64_t parts, const struct class_load *load,
           uint64_t limit, struct filling *f, struct starts *starts)
{
    int64_t part = 0;

    while (part < parts) {
        int64_t units = dtx_min(filling_room(f, load, limit), parts - part);

        if (units > 0 && f->is_empty && starts_add(starts, tensor, part) != 0) {
            return -1;
        }
        part += units;
        if (part < parts) { /* full */
            filling_clear(f);
        } else {
            filling_add(f, load, units);
        }
    }
    return 0;
}

static int
pack_units(const struct dtx_plan *plan, const struct dtx_schedule *schedule,
           const struct class_load *loads, struct filling *f,
           struct starts *starts)
{
    int i;

    filling_clear(f);
    for (i = 0; i < plan->tensor_count; i++) {
        int k = plan->tensors[i].class_index;

        if (pack_parts(i, schedule->parts[k].total, &loads[k],
                       schedule->step_bytes, f, starts) != 0) {
            return -1;
        }
    }
    return starts_add(starts, plan->tensor_count, 0);
}

static int
find_loads(int class_count, struct dtx_class *const *classes,
           const struct dtx_schedule *schedule, struct dtx_arena *arena,
           struct class_load *loads)
{
    struct dtx_arena scratch = {0};
    int i, status = 0;

    for (i = 0; i < class_count && status == 0; i++) {
        struct dtx_load *list;
        int count;

        dtx_arena_reset(&scratch);
        count = dtx_class_loads(classes[i], schedule->parts[i].counts, &scratch,
                                &list);
        loads[i].count = count;
        loads[i].has_slabs = dtx_class_has_slabs(classes[i]);
        loads[i].has_relays = classes[i]->relays != NULL;
        loads[i].most = schedule->parts[i].load;
        if (count >= 0 && count <= SPARSE_PROCESSES_MOST) {
            loads[i].loads =
                dtx_arena_copy(arena, list, (size_t)count, sizeof *list);
        }
        status = count < 0 || (count <= SPARSE_PROCESSES_MOST &&
                               loads[i].loads == NULL)
                     ? -1
                     : 0;
    }
    dtx_arena_finish(&scratch);
    return status;
}

/* The most rounds of a run of units. */
static int
run_rounds(const struct dtx_plan *plan, struct dtx_class *const *classes,
           const struct dtx_step_start *start)
{
    int most = 1, i;

    for (i = start[0].tensor;
         i < start[1].tensor || (i == start[1].tensor && start[1].part > 0);
         i++) {
        int rounds =
            dtx_class_round_count(classes[plan->tensors[i].class_index]);

        most = rounds > most ? rounds : most;
    }
    return most;
}

/* Sets a place for each round of each run. */
static int
place_rounds(struct dtx_plan *plan, struct dtx_class *const *classes,
             struct dtx_schedule *schedule)
{
    int64_t run, count = 0;
    int round;

    schedule->step_count = schedule->run_count;
    if (schedule->store_bytes == 0) {
        return 0;
    }
    for (run = 0; run < schedule->run_count; run++) {
        count += run_rounds(plan, classes, &schedule->starts[run]);
    }
    schedule->step_count = count;
    schedule->places =
        dtx_arena_alloc(&plan->arena, (size_t)count, sizeof *schedule->places);
    if (schedule->places == NULL) {
        return -1;
    }
    count = 0;
    for (run = 0; run < schedule->run_count; run++) {
        int rounds = run_rounds(plan, classes, &schedule->starts[run]);

        for (round = 0; round < rounds; round++) {
            schedule->places[count++] = (struct dtx_step_place){run, round};
        }
    }
    return 0;
}

static int
cut_steps(struct dtx_plan *plan, struct dtx_class *const *classes,
          struct dtx_schedule *schedule)
{
    size_t processes = (size_t)plan->options.process_count;
    struct dtx_arena scratch = {0};
    struct starts starts = {0};
    struct filling f = {0};
    struct class_load *loads =
        dtx_arena_alloc(&scratch, (size_t)plan->class_count, sizeof *loads);
    int status = -1;

    f.bytes = dtx_arena_alloc(&scratch, processes, sizeof *f.bytes);
    f.touched = dtx_arena_alloc(&scratch, processes, sizeof *f.touched);
    if (loads != NULL && f.bytes != NULL && f.touched != NULL &&
        find_loads(plan->class_count, classes, schedule, &scratch, loads) ==
            0 &&
        pack_units(plan, schedule, loads, &f, &starts) == 0) {
        schedule->run_count = (int64_t)starts.count - 1;
        schedule->starts = dtx_arena_copy(&plan->arena, starts.array,
                                          starts.count, sizeof *starts.array);
        status = schedule->starts != NULL
                     ? place_rounds(plan, classes, schedule)
                     : -1;
    }
    dtx_free(starts.array);
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

static bool
have_rounds(int class_count, struct dtx_class *const *classes)
{
    int i;

    for (i = 0; i < class_count; i++) {
        if (dtx_class_has_rounds(classes[i])) {
            return true;
        }
    }
    return false;
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

static void
divide_memory(uint64_t memory, bool has_rounds, struct dtx_schedule *schedule)
{
    uint64_t stage = buffer_bytes(memory) / 8;

    stage = stage > STAGE_BYTES_MOST ? STAGE_BYTES_MOST : stage;
    schedule->stage_bytes = stage;
    schedule->step_bytes =
        (buffer_bytes(memory) - 2 * stage) / (has_rounds ? 3 : 2);
    if (schedule->step_bytes > STEP_BYTES_MOST) {
        schedule->step_bytes = STEP_BYTES_MOST;
    }
    schedule->store_bytes = has_rounds ? schedule->step_bytes : 0;
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

static enum dtx_status
choose_all_parts(struct dtx_plan *plan, struct dtx_class *const *classes,
                 struct dtx_schedule *schedule, struct dtx_error *err)
{
    uint64_t element = largest_element(plan->class_count, classes);
    struct dtx_arena scratch = {0};
    uint64_t worst = 0;
    int i, failed = 0;

    for (i = 0; i < plan->class_count && !failed; i++) {
        failed = dtx_parts_choose(classes[i], schedule->step_bytes, &scratch,
                                  &schedule->parts[i]) != 0;
        worst =
            schedule->parts[i].load > worst ? schedule->parts[i].load : worst;
    }
    dtx_arena_finish(&scratch);
    if (failed) {
        return dtx_error_memory(err);
    }
    if (worst > schedule->step_bytes || element > schedule->stage_bytes) {
        /* With too little memory the store has no bytes either. */
        return refuse_memory(plan->options.memory_bytes,
                             have_rounds(plan->class_count, classes), worst,
                             element, err);
    }
    return DTX_OK;
}

enum dtx_status
dtx_schedule_create(struct dtx_plan *plan, struct dtx_class *const *classes,
                    struct dtx_schedule **schedule_out, struct dtx_error *err)
{
    struct dtx_schedule *schedule =
        dtx_arena_alloc(&plan->arena, 1, sizeof *schedule);
    enum dtx_status status;

    if (schedule == NULL) {
        return dtx_error_memory(err);
    }
    schedule->parts = dtx_arena_alloc(&plan->arena, (size_t)plan->class_count,
                                      sizeof *schedule->parts);
    if (schedule->parts == NULL) {
        return dtx_error_memory(err);
    }
    divide_memory(plan->options.memory_bytes,
                  have_rounds(plan->class_count, classes), schedule);
    status = choose_all_parts(plan, classes, schedule, err);
    if (status != DTX_OK) {
        return status;
    }
    if (cut_steps(plan, classes, schedule) != 0) {
        return dtx_error_memory(err);
    }
    *schedule_out = schedule;
    return DTX_OK;
}
