#include "simulation_internal.h"

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

void
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

void
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

void
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
