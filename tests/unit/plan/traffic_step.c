#include <stdlib.h>
#include <string.h>

#include "traffic_internal.h"

/* ---------------------------------------------------------------- numbers */

uint64_t
mixed(uint64_t a, uint64_t b)
{
    struct random r = {a * 0x9E3779B97F4A7C15u + b};

    return random_next(&r);
}

uint64_t
sum_before(int tensor, int dim, int64_t index)
{
    /* A polynomial: no box has the sum of others by chance. */
    uint64_t key = mixed((uint64_t)tensor + 1, (uint64_t)dim + 1) | 1;
    uint64_t x = (uint64_t)index;

    return x * key + x * (x * x + key) * mixed(key, 1) +
           x * x * x * x * x * mixed(key, 2);
}

/* Boxes that put together are a larger one have numbers whose sum is its. */
static uint64_t
box_number(int tensor, int ndim, const int64_t *lo, const int64_t *len)
{
    uint64_t number = mixed((uint64_t)tensor + 1, 0);

    for (int dim = 0; dim < ndim; dim++) {
        number *= sum_before(tensor, dim, lo[dim] + len[dim]) -
                  sum_before(tensor, dim, lo[dim]);
    }
    return number;
}

/* The number of a slice, and where it stands in its message. */
static uint64_t
placed_number(const struct dtx_slice *slice, int tensor, int ndim)
{
    return mixed(box_number(tensor, ndim, slice->global, slice->len),
                 slice->offset);
}

/* ---------------------------------------------------------------- what is kept
 */

static int
compare_kept(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int
compare_offsets(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* 0 where boxes of which none overlap have a byte in common. */
static int
compare_places(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->offset + a->bytes <= b->offset   ? -1
           : b->offset + b->bytes <= a->offset ? 1
                                               : 0;
}

static uint64_t
region_bytes(const struct dtx_plan *plan, const struct dtx_region *r)
{
    const struct dtx_tensor *t = &plan->tensors[r->tensor];
    uint64_t bytes = plan->classes[t->class_index]->wire_bytes;

    for (int dim = 0; dim < t->ndim; dim++) {
        bytes *= (uint64_t)r->len[dim];
    }
    return bytes;
}

static void
keep(const struct network *n, struct station *s, const struct dtx_region *r,
     const struct dtx_slice *slice)
{
    int ndim = n->plan->tensors[r->tensor].ndim;

    claim(r->kept_offset + region_bytes(n->plan, r) <=
              dtx_schedule_store_bytes(n->plan->schedule, UINT64_MAX),
          "process %d keeps more than it may", s->process);
    if (s->next_count == s->next_capacity) {
        s->next_capacity = 2 * s->next_capacity + 16;
        s->next_kept =
            realloc(s->next_kept, s->next_capacity * sizeof *s->next_kept);
    }
    s->next_kept[s->next_count++] =
        (struct kept){box_number(r->tensor, ndim, slice->global, slice->len),
                      r->kept_offset, region_bytes(n->plan, r), s->step};
}

/* A step is read while the one before it travels, unless it follows it. */
static void
check_kept(const struct network *n, const struct station *s,
           const struct dtx_step *step, const struct dtx_region *r,
           const struct dtx_slice *slice)
{
    struct kept wanted = {.number = box_number(r->tensor,
                                               n->plan->tensors[r->tensor].ndim,
                                               slice->global, slice->len),
                          .offset = r->kept_offset};
    const struct kept *found = s->kept_count > 0
                                   ? bsearch(&wanted, s->kept, s->kept_count,
                                             sizeof wanted, compare_kept)
                                   : NULL;

    claim(found != NULL, "process %d passes on what hasn't come", s->process);
    claim(found->step < s->step - !step->follows,
          "process %d passes on what is still on its way", s->process);
}

/* ---------------------------------------------------------------- steps */

static void
take_reads(const struct network *n, struct station *s,
           const struct dtx_step *step)
{
    for (int i = 0; i < step->read_count; i++) {
        const struct dtx_region *r = &step->reads[i];

        claim(r->kept_shape != NULL ||
                  n->plan->src_process[r->positions[0]] == s->process,
              "process %d reads what another one holds", s->process);
        for (int k = 0; k < r->slice_count; k++) {
            const struct dtx_slice *slice =
                &step->read_slices[r->slice_first + k];

            if (r->kept_shape != NULL) {
                check_kept(n, s, step, r, slice);
            }
            s->sends[slice->message].number += placed_number(
                slice, r->tensor, n->plan->tensors[r->tensor].ndim);
        }
    }
}

static void
take_writes(const struct network *n, struct station *s,
            const struct dtx_step *step)
{
    for (int i = 0; i < step->write_count; i++) {
        const struct dtx_region *r = &step->writes[i];
        int ndim = n->plan->tensors[r->tensor].ndim;

        for (int k = 0; k < r->slice_count; k++) {
            const struct dtx_slice *slice =
                &step->write_slices[r->slice_first + k];

            s->receives[slice->message].number +=
                placed_number(slice, r->tensor, ndim);
            if (r->kept_shape != NULL) {
                keep(n, s, r, slice);
            }
            for (int d = 0; d < r->position_count; d++) {
                s->arrived +=
                    mixed((uint64_t)r->positions[d], 7) *
                    box_number(r->tensor, ndim, slice->global, slice->len);
            }
        }
    }
}

static struct packet *
packets(const struct dtx_message *messages, int count)
{
    struct packet *list = calloc((size_t)count + 1, sizeof *list);

    for (int i = 0; i < count; i++) {
        list[i] =
            (struct packet){messages[i].peer, messages[i].bytes, 0, false};
    }
    return list;
}

void
take_step(struct network *n, struct station *s, const struct dtx_step *step)
{
    claim(step->kept + step->passed + step->sent + step->received <=
              n->plan->schedule->step_bytes,
          "process %d has more in a step than it may", s->process);
    s->send_count = step->send_count;
    s->receive_count = step->receive_count;
    s->sends = packets(step->sends, step->send_count);
    s->receives = packets(step->receives, step->receive_count);
    s->send_done = calloc((size_t)step->send_count + 1, sizeof(bool));
    s->receive_done = calloc((size_t)step->receive_count + 1, sizeof(bool));
    s->send_first = s->send_posted = s->send_open = 0;
    s->receive_first = s->receive_posted = s->receive_open = 0;
    take_reads(n, s, step);
    take_writes(n, s, step);
    for (int i = 0; i < step->receive_count; i++) {
        s->receives[i].is_cut =
            n->plan->options.strategy == DTX_STRATEGY_MATERIALIZE;
    }
    if (step->receive_count > n->traffic.most_links) {
        n->traffic.most_links = step->receive_count;
    }
}

/* Takes away what is written over by what came in this step. */
static void
overwrite_kept(struct station *s)
{
    size_t left = 0;

    qsort(s->next_kept, s->next_count, sizeof *s->next_kept, compare_offsets);
    for (size_t i = 1; i < s->next_count; i++) {
        claim(compare_places(&s->next_kept[i - 1], &s->next_kept[i]) < 0,
              "process %d keeps two boxes in one place", s->process);
    }
    for (size_t i = 0; i < s->kept_count; i++) {
        if (bsearch(&s->kept[i], s->next_kept, s->next_count, sizeof *s->kept,
                    compare_places) == NULL) {
            s->kept[left++] = s->kept[i];
        }
    }
    s->kept_count = left;
}

void
end_step(struct station *s)
{
    if (s->next_count > 0) {
        overwrite_kept(s);
        s->kept =
            realloc(s->kept, (s->kept_count + s->next_count) * sizeof *s->kept);
        memcpy(s->kept + s->kept_count, s->next_kept,
               s->next_count * sizeof *s->kept);
        s->kept_count += s->next_count;
        s->next_count = 0;
        qsort(s->kept, s->kept_count, sizeof *s->kept, compare_kept);
    }
    s->step++;
    free(s->sends);
    free(s->receives);
    free(s->send_done);
    free(s->receive_done);
}
