#include "simulation.h"

#include <string.h>

#include "plan/step/step.h"

/* What a byte of a message holds. */
enum { EMPTY = -1, INSIDE = -2 };

/* A dataset of the target, and how often each element came. */
struct arrival {
    int tensor;
    int64_t count;     /* elements of the dataset */
    int64_t *elements; /* [count] the element that belongs there */
    uint8_t *times;    /* [count * terms] */
};

struct simulation {
    const struct planned *p;
    int process_count;
    struct dtx_step_builder *builders; /* [process_count] */
    struct dtx_step *steps;
    int64_t ***messages; /* [process][send][byte] */
    int64_t **stores;    /* [process][byte] what is kept between rounds */
    struct dtx_process_cost *sums;
    struct shard *shards[2]; /* [tensors * positions] */
    struct arrival *arrivals;
    struct dtx_names paths; /* of the arrivals */
    uint8_t **reads;        /* [tensor][process][term][element] */
};

static struct shard *
shard_of(const struct simulation *s, int side, int tensor, int position)
{
    int positions = s->p->scene.layouts[side]->mesh.position_count;

    return &s->shards[side][tensor * positions + position];
}

/* ---------------------------------------------------------------- boxes */

/* A walk over the elements of a box, row-major. */
struct elements {
    int ndim;
    int64_t at[DTX_NDIM_MAX];
    const int64_t *len;
    int64_t left;
};

static struct elements
elements_of(int ndim, const int64_t *len)
{
    struct elements e = {.ndim = ndim, .len = len, .left = 1};

    for (int dim = 0; dim < ndim; dim++) {
        e.left *= len[dim];
    }
    return e;
}

static void
next_element(struct elements *e)
{
    e->left--;
    for (int dim = e->ndim - 1; dim >= 0; dim--) {
        if (++e->at[dim] < e->len[dim]) {
            return;
        }
        e->at[dim] = 0;
    }
}

/* Where an element of a slice stands in its dataset. */
static int64_t
dataset_index(const struct elements *e, const struct dtx_region *region,
              const struct dtx_slice *slice, const int64_t *shape)
{
    int64_t index = 0;

    for (int dim = 0; dim < e->ndim; dim++) {
        int64_t relative = slice->lo[dim] + e->at[dim];

        so(relative >= 0 && relative < region->len[dim]);
        so(region->lo[dim] + relative < shape[dim]);
        index = index * shape[dim] + region->lo[dim] + relative;
    }
    return index;
}

/* The shape of a position's dataset. */
static void
dataset_shape(const struct simulation *s, int side, int tensor, int position,
              int64_t *shape)
{
    const struct case_tensor *t = &s->p->text->tensors[tensor];

    for (int dim = 0; dim < t->ndim; dim++) {
        shape[dim] = s->p->scene.layouts[side]->view == DTX_VIEW_GLOBAL
                         ? t->shape[dim]
                         : shard_of(s, side, tensor, position)->dims[dim].count;
    }
}

/* The element at a place of a position's dataset. */
static int64_t
element_at(const struct simulation *s, int side, int tensor, int position,
           int64_t index)
{
    if (s->p->scene.layouts[side]->view == DTX_VIEW_GLOBAL) {
        return index;
    }
    return scene_element(&s->p->scene, tensor,
                         shard_of(s, side, tensor, position), index);
}

/* One number for an element of a term of a tensor. */
static int64_t
identity(int tensor, int term, int64_t element)
{
    return ((int64_t)tensor << 56) | ((int64_t)term << 48) | element;
}

/* Where an element of a slice is kept. */
static int64_t *
kept_place(const struct simulation *s, int process, const struct elements *e,
           const struct dtx_region *region, const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    int64_t wire = (int64_t)planned_wire_bytes(s->p, tensor);
    const struct dtx_process_cost *cost = &s->p->plan->processes[process];
    int64_t at = (int64_t)region->kept_offset +
                 wire * dataset_index(e, region, slice, region->kept_shape);

    so(at + wire <= (int64_t)dtx_schedule_store_bytes(
                        s->p->plan->schedule, cost->kept + cost->passed +
                                                  cost->sent + cost->received));
    return &s->stores[process][at];
}

/* Where an element of a slice stands in its message. */
static int64_t
message_index(const struct simulation *s, const struct elements *e,
              const struct dtx_region *region, const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    const int64_t *len = slice->box_len != NULL ? slice->box_len : slice->len;
    int64_t index = 0;

    for (int dim = 0; dim < e->ndim; dim++) {
        int64_t lo = slice->box_lo != NULL ? slice->box_lo[dim] : 0;

        so(lo >= 0 && lo + slice->len[dim] <= len[dim]);
        index = index * len[dim] + lo + e->at[dim];
    }
    return (int64_t)slice->offset +
           index * (int64_t)planned_wire_bytes(s->p, tensor);
}

/* ---------------------------------------------------------------- reading */

static void
note_read(struct simulation *s, int process, int tensor, int term,
          int64_t element)
{
    int64_t count = scene_element_count(&s->p->scene, tensor);
    int terms = scene_term_count(&s->p->scene, SCENE_SOURCE, tensor);

    s->reads[tensor][((int64_t)process * terms + term) * count + element] = 1;
}

/* Puts an element into a message. */
static void
put(int64_t *message, int64_t wire, int64_t identity)
{
    for (int64_t i = 0; i < wire; i++) {
        so(message[i] == EMPTY);
        message[i] = i == 0 ? identity : INSIDE;
    }
}

/* Puts what is kept of a slice into its message. */
static void
read_kept(struct simulation *s, int process, const struct dtx_region *region,
          const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    int64_t wire = (int64_t)planned_wire_bytes(s->p, tensor);
    int64_t *message = s->messages[process][slice->message];
    struct elements e =
        elements_of(s->p->text->tensors[tensor].ndim, slice->len);

    for (; e.left > 0; next_element(&e)) {
        put(message + message_index(s, &e, region, slice), wire,
            *kept_place(s, process, &e, region, slice));
    }
}

/* Puts the elements of a slice into its message. */
static void
read_slice(struct simulation *s, int process, const struct dtx_region *region,
           const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    int position = region->positions[0];
    int term = scene_term(&s->p->scene, SCENE_SOURCE, tensor, position);
    int64_t wire = (int64_t)planned_wire_bytes(s->p, tensor);
    int64_t bytes = (int64_t)s->steps[process].sends[slice->message].bytes;
    int64_t *message = s->messages[process][slice->message];
    int64_t at = (int64_t)slice->offset;
    int64_t shape[DTX_NDIM_MAX];
    struct elements e =
        elements_of(s->p->text->tensors[tensor].ndim, slice->len);

    so(slice->term == term);
    dataset_shape(s, SCENE_SOURCE, tensor, position, shape);
    for (; e.left > 0; next_element(&e), at += wire) {
        int64_t element = element_at(s, SCENE_SOURCE, tensor, position,
                                     dataset_index(&e, region, slice, shape));

        so(at + wire <= bytes);
        so(element != REFERENCE_PADDING);
        put(message + at, wire, identity(tensor, term, element));
        note_read(s, process, tensor, term, element);
    }
}

static void
read_step(struct simulation *s, int process)
{
    const struct dtx_step *step = &s->steps[process];

    for (int i = 0; i < step->read_count; i++) {
        const struct dtx_region *region = &step->reads[i];

        so(region->position_count == (region->kept_shape == NULL));
        if (s->p->options.strategy == DTX_STRATEGY_OPTIMAL &&
            region->kept_shape == NULL) {
            so(s->p->plan->src_process[region->positions[0]] == process);
        }
        for (int k = 0; k < region->slice_count; k++) {
            (region->kept_shape != NULL ? read_kept : read_slice)(
                s, process, region,
                &step->read_slices[region->slice_first + k]);
        }
    }
    for (int i = 0; i < step->send_count; i++) {
        for (size_t b = 0; b < step->sends[i].bytes; b++) {
            so(s->messages[process][i][b] != EMPTY);
        }
    }
}

/* ---------------------------------------------------------------- messages */

/* The message that a receive meets. */
static const int64_t *
meet(const struct simulation *s, int process, int receive)
{
    const struct dtx_message *in = &s->steps[process].receives[receive];
    const struct dtx_step *from = &s->steps[in->peer];

    for (int i = 0; i < from->send_count; i++) {
        if (from->sends[i].peer == process) {
            so(from->sends[i].bytes == in->bytes);
            return s->messages[in->peer][i];
        }
    }
    claim(false, "nobody sends what a process waits for");
}

static void
check_messages(const struct simulation *s)
{
    int sent = 0, received = 0;

    for (int p = 0; p < s->process_count; p++) {
        const struct dtx_step *step = &s->steps[p];
        uint64_t bytes =
            step->kept + step->passed + step->sent + step->received;

        sent += step->send_count;
        received += step->receive_count;
        so(bytes <= s->p->plan->schedule->step_bytes);
        for (int i = 0; i < step->receive_count; i++) {
            (void)meet(s, p, i);
        }
        if (s->p->options.strategy == DTX_STRATEGY_DIRECT) {
            so(step->sent + step->received == 0);
        }
    }
    so(sent == received);
}

/* ---------------------------------------------------------------- writing */

static struct arrival *
arrival_of(struct simulation *s, int tensor, int position)
{
    const struct dtx_layout *layout = s->p->scene.layouts[SCENE_TARGET];
    const char *name = scene_name(&s->p->scene, SCENE_TARGET, tensor);
    struct dtx_text text = {0};
    struct dtx_arena arena = {0};
    int number;

    dtx_layout_file(layout, position, &text);
    dtx_text_add(&text, " ");
    dtx_template_render(&layout->dataset, &layout->mesh, position,
                        dtx_layout_stored_name(layout, name, position, &arena),
                        &text);
    number = dtx_names_find(&s->paths, text.data);
    so(number >= 0);
    dtx_text_finish(&text);
    dtx_arena_finish(&arena);
    return &s->arrivals[number];
}

/* Takes the elements of a slice from its message to one dataset. */
static void
write_slice(struct simulation *s, int process, const struct dtx_region *region,
            const struct dtx_slice *slice, int position)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    struct arrival *a = arrival_of(s, tensor, position);
    const int64_t *message = meet(s, process, slice->message);
    int64_t shape[DTX_NDIM_MAX];
    struct elements e =
        elements_of(s->p->text->tensors[tensor].ndim, slice->len);

    so(a->tensor == tensor);
    so(s->p->plan->dst_process[position] == process);
    dataset_shape(s, SCENE_TARGET, tensor, position, shape);
    for (; e.left > 0; next_element(&e)) {
        int64_t index = dataset_index(&e, region, slice, shape);
        int64_t at = message_index(s, &e, region, slice);

        so(message[at] == identity(tensor, slice->term, a->elements[index]));
        a->times[(int64_t)slice->term * a->count + index]++;
    }
}

/* Keeps the elements of a slice for the next round. */
static void
write_kept(struct simulation *s, int process, const struct dtx_region *region,
           const struct dtx_slice *slice)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    const int64_t *message = meet(s, process, slice->message);
    struct elements e =
        elements_of(s->p->text->tensors[tensor].ndim, slice->len);

    for (; e.left > 0; next_element(&e)) {
        *kept_place(s, process, &e, region, slice) =
            message[message_index(s, &e, region, slice)];
    }
}

static int64_t
box_elements(int ndim, const int64_t *len)
{
    int64_t elements = 1;

    for (int dim = 0; dim < ndim; dim++) {
        elements *= len[dim];
    }
    return elements;
}

/* What is reduced together needs all of each term. */
static void
check_terms(const struct simulation *s, const struct dtx_step *step,
            const struct dtx_region *region)
{
    int tensor = planned_case_tensor(s->p, region->tensor);
    int ndim = s->p->text->tensors[tensor].ndim;

    for (int term = 0; term < region->term_count; term++) {
        int64_t left = box_elements(ndim, region->len);

        for (int k = 0; k < region->slice_count; k++) {
            const struct dtx_slice *slice =
                &step->write_slices[region->slice_first + k];

            if (region->term_count == 1 || slice->term == term) {
                left -= box_elements(ndim, slice->len);
            }
        }
        so(left == 0);
    }
}

static void
write_step(struct simulation *s, int process)
{
    const struct dtx_step *step = &s->steps[process];

    for (int i = 0; i < step->write_count; i++) {
        const struct dtx_region *region = &step->writes[i];

        check_terms(s, step, region);
        for (int k = 0; k < region->slice_count; k++) {
            const struct dtx_slice *slice =
                &step->write_slices[region->slice_first + k];

            if (region->kept_shape != NULL) {
                write_kept(s, process, region, slice);
            }
            for (int d = 0; d < region->position_count; d++) {
                write_slice(s, process, region, slice, region->positions[d]);
            }
        }
    }
}

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
