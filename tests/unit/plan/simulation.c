#include "simulation.h"

#include <string.h>

#include "simulation_internal.h"

/* ---------------------------------------------------------------- steps */

static void
add_counts(struct simulation *s, int process)
{
    const struct dtx_step *step = &s->steps[process];
    struct dtx_process_cost *sum = &s->sums[process];

    sum->read += step->read;
    sum->kept += step->kept;
    sum->passed += step->passed;
    sum->sent += step->sent;
    sum->received += step->received;
    sum->written += step->written;
}

static void
build_steps(struct simulation *s, int64_t index)
{
    struct dtx_error err = {0};

    for (int p = 0; p < s->process_count; p++) {
        struct dtx_step *step = &s->steps[p];

        so(dtx_step_build(&s->builders[p], index, step, &err) == DTX_OK);
        s->messages[p] =
            calloc((size_t)step->send_count + 1, sizeof *s->messages[p]);
        for (int i = 0; i < step->send_count; i++) {
            so(step->sends[i].bytes > 0);
            s->messages[p][i] = malloc(step->sends[i].bytes * sizeof(int64_t));
            memset(s->messages[p][i], 0xff,
                   step->sends[i].bytes * sizeof(int64_t));
        }
        add_counts(s, p);
    }
}

static void
run_step(struct simulation *s, int64_t index)
{
    build_steps(s, index);
    check_messages(s);
    for (int p = 0; p < s->process_count; p++) {
        read_step(s, p);
    }
    for (int p = 0; p < s->process_count; p++) {
        write_step(s, p);
    }
    for (int p = 0; p < s->process_count; p++) {
        for (int i = 0; i < s->steps[p].send_count; i++) {
            free(s->messages[p][i]);
        }
        free(s->messages[p]);
    }
}

/* ---------------------------------------------------------------- the end */

/* Everything has come once, but for padding and what a sum leaves at zero. */
static void
check_arrivals(const struct simulation *s)
{
    for (int i = 0; i < s->paths.count; i++) {
        const struct arrival *a = &s->arrivals[i];
        int terms = scene_term_count(&s->p->scene, SCENE_SOURCE, a->tensor);

        for (int64_t k = 0; k < a->count * terms; k++) {
            int expected = a->elements[k % a->count] != REFERENCE_PADDING;

            claim(a->times[k] == expected,
                  "%s: element %lld came %d "
                  "times\n%s",
                  s->paths.strings[i], (long long)k, a->times[k],
                  planned_now());
        }
    }
}

/* The bytes that a process read, each element once. */
static uint64_t
distinct_reads(const struct simulation *s, int process)
{
    uint64_t bytes = 0;

    for (int i = 0; i < s->p->text->tensor_count; i++) {
        int64_t count = scene_element_count(&s->p->scene, i) *
                        scene_term_count(&s->p->scene, SCENE_SOURCE, i);

        for (int64_t k = 0; k < count; k++) {
            bytes += s->reads[i][process * count + k] *
                     dtx_dtype_size(s->p->text->tensors[i].src_dtype);
        }
    }
    return bytes;
}

static void
check_sums(const struct simulation *s)
{
    for (int p = 0; p < s->process_count; p++) {
        const struct dtx_process_cost *sum = &s->sums[p];
        const struct dtx_process_cost *plan = &s->p->plan->processes[p];

        claim(sum->read == plan->read, "process %d reads %llu, not %llu\n%s", p,
              (unsigned long long)sum->read, (unsigned long long)plan->read,
              planned_now());
        so(sum->kept == plan->kept);
        so(sum->passed == plan->passed);
        so(sum->sent == plan->sent);
        so(sum->received == plan->received);
        so(sum->written == plan->written);
        claim(distinct_reads(s, p) == plan->read,
              "process %d reads something twice\n%s", p, planned_now());
    }
}

/* ---------------------------------------------------------------- setup */

static void
add_arrival(const struct scene_dataset *dataset, void *context)
{
    struct simulation *s = context;
    const struct scene *scene = &s->p->scene;
    int terms = scene_term_count(scene, SCENE_SOURCE, dataset->tensor);
    bool needs = planned_needs(s->p, dataset->tensor, dataset->position);
    struct dtx_text text = {0};
    struct arrival a = {.tensor = dataset->tensor, .count = 1};

    for (int dim = 0; dim < dataset->ndim; dim++) {
        a.count *= dataset->shape[dim];
    }
    a.elements = malloc(((size_t)a.count + 1) * sizeof *a.elements);
    a.times = calloc((size_t)(a.count * terms) + 1, 1);
    for (int64_t i = 0; i < a.count; i++) {
        a.elements[i] = needs ? element_at(s, SCENE_TARGET, dataset->tensor,
                                           dataset->position, i)
                              : REFERENCE_PADDING;
    }
    dtx_text_format(&text, "%s %s", dataset->file, dataset->path);
    s->arrivals = realloc(s->arrivals,
                          ((size_t)s->paths.count + 1) * sizeof *s->arrivals);
    s->arrivals[s->paths.count] = a;
    (void)dtx_names_add(&s->paths, text.data);
    dtx_text_finish(&text);
}

static void
make_shards(struct simulation *s, int side)
{
    int positions = s->p->scene.layouts[side]->mesh.position_count;
    int tensors = s->p->text->tensor_count;

    s->shards[side] =
        calloc((size_t)(tensors * positions) + 1, sizeof *s->shards[side]);
    for (int tensor = 0; tensor < tensors; tensor++) {
        for (int position = 0; position < positions; position++) {
            scene_shard(&s->p->scene, side, tensor, position,
                        shard_of(s, side, tensor, position));
        }
    }
}

static struct simulation
begin(const struct planned *p)
{
    struct simulation s = {.p = p, .process_count = p->options.process_count};
    size_t count = (size_t)s.process_count;
    struct dtx_error err;

    s.builders = calloc(count, sizeof *s.builders);
    s.steps = calloc(count, sizeof *s.steps);
    s.messages = calloc(count, sizeof *s.messages);
    s.stores = calloc(count, sizeof *s.stores);
    s.sums = calloc(count, sizeof *s.sums);
    s.reads = calloc((size_t)p->text->tensor_count + 1, sizeof *s.reads);
    for (int i = 0; i < s.process_count; i++) {
        so(dtx_step_builder_init(&s.builders[i], p->plan, i, &err) == DTX_OK);
        s.stores[i] = malloc(
            (dtx_schedule_store_bytes(p->plan->schedule, UINT64_MAX) + 1) *
            sizeof(int64_t));
    }
    for (int i = 0; i < p->text->tensor_count; i++) {
        s.reads[i] = calloc(
            count * (size_t)(scene_element_count(&p->scene, i) *
                             scene_term_count(&p->scene, SCENE_SOURCE, i)) +
                1,
            1);
    }
    make_shards(&s, SCENE_SOURCE);
    make_shards(&s, SCENE_TARGET);
    scene_each_dataset(&p->scene, SCENE_TARGET, add_arrival, &s);
    return s;
}

static void
finish(struct simulation *s)
{
    for (int i = 0; i < s->process_count; i++) {
        dtx_step_finish(&s->steps[i]);
        dtx_step_builder_finish(&s->builders[i]);
        free(s->stores[i]);
    }
    for (int i = 0; i < s->paths.count; i++) {
        free(s->arrivals[i].elements);
        free(s->arrivals[i].times);
    }
    for (int i = 0; i < s->p->text->tensor_count; i++) {
        free(s->reads[i]);
    }
    free(s->reads);
    free(s->builders);
    free(s->stores);
    free(s->steps);
    free(s->messages);
    free(s->sums);
    free(s->arrivals);
    free(s->shards[SCENE_SOURCE]);
    free(s->shards[SCENE_TARGET]);
    dtx_names_finish(&s->paths);
}

void
simulate(const struct planned *p)
{
    struct simulation s;

    if (planned_shares_terms(p)) {
        return;
    }
    s = begin(p);
    for (int64_t i = 0; i < p->plan->schedule->step_count; i++) {
        run_step(&s, i);
    }
    check_arrivals(&s);
    check_sums(&s);
    finish(&s);
}
