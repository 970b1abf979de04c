#include "propose/guess.h"

#include <string.h>

enum { DIVISOR_MAX = 64 };

struct guess {
    const struct evidence *e;
    int count; /* of ranks */
    int divisor_count;
    int divisors[DIVISOR_MAX]; /* of count, ascending */
    bool is_end[DIVISOR_MAX];  /* an axis begins or ends there */
};

/* True where two positions can't be told apart by a tensor. */
static bool
is_alike(const struct guess *g, int tensor, int a, int b)
{
    const int *datasets = g->e->tensors[tensor].datasets;

    if (datasets[a] < 0 || datasets[b] < 0) {
        return (datasets[a] < 0) == (datasets[b] < 0);
    }
    return evidence_compare(g->e, tensor, a, b) == SAME;
}

/* True where a tensor is the same at all positions that differ only between
 * two strides. */
static bool
is_copied(const struct guess *g, int tensor, int lo, int hi)
{
    int i;

    for (i = 0; i < g->count; i++) {
        int digit = i / lo % (hi / lo);

        if (digit > 0 && !is_alike(g, tensor, i, i - lo)) {
            return false;
        }
    }
    return true;
}

/* True where a tensor says nothing: its values can't be told apart. */
static bool
is_untold(const struct guess *g, int tensor)
{
    const int *datasets = g->e->tensors[tensor].datasets;
    int i, first = -1;

    for (i = 0; i < g->count; i++) {
        if (datasets[i] < 0) {
            continue;
        }
        if (first >= 0 && evidence_compare(g->e, tensor, first, i) == UNTOLD) {
            return true;
        }
        first = first < 0 ? i : first;
    }
    return first < 0;
}

/* Marks the ends of the largest stretches over which a tensor is copied. */
static void
mark_tensor(struct guess *g, int tensor)
{
    int lo, hi, reached = -1;

    for (lo = 0; lo < g->divisor_count; lo++) {
        for (hi = g->divisor_count - 1; hi > lo && hi > reached; hi--) {
            if (g->divisors[hi] % g->divisors[lo] == 0 &&
                is_copied(g, tensor, g->divisors[lo], g->divisors[hi])) {
                g->is_end[lo] = g->is_end[hi] = true;
                reached = hi;
                break;
            }
        }
    }
}

/* True where neighbours up to a stride all have a tensor or none does; with
 * is_period, where it is so at the same distance. */
static bool
is_regular(const struct guess *g, const int *datasets, int stride,
           bool is_period)
{
    int i;

    for (i = 0; i < g->count; i++) {
        int other = is_period ? i % stride : i / stride * stride;

        if ((datasets[i] < 0) != (datasets[other] < 0)) {
            return false;
        }
    }
    return true;
}

/* Marks where a tensor is at all: in blocks, which repeat. */
static void
mark_presence(struct guess *g, int tensor)
{
    const int *datasets = g->e->tensors[tensor].datasets;
    int block = g->divisor_count - 1, period = 0;

    while (!is_regular(g, datasets, g->divisors[block], false)) {
        block--;
    }
    while (!is_regular(g, datasets, g->divisors[period], true)) {
        period++;
    }
    if (block < period) {
        g->is_end[block] = g->is_end[period] = true;
    }
}

static void
list_divisors(struct guess *g)
{
    int d;

    for (d = 1; d <= g->count && g->divisor_count < DIVISOR_MAX; d++) {
        if (g->count % d == 0) {
            g->divisors[g->divisor_count++] = d;
        }
    }
}

/* Axes from the marked strides, which must divide each other. */
static bool
make_axes(const struct guess *g, struct dtx_mesh *mesh)
{
    int strides[DIVISOR_MAX];
    int count = 0, i;

    for (i = 0; i < g->divisor_count; i++) {
        if (!g->is_end[i]) {
            continue;
        }
        if (count > 0 && g->divisors[i] % strides[count - 1] != 0) {
            return false;
        }
        strides[count++] = g->divisors[i];
    }
    if (count - 1 > DTX_AXIS_MAX) {
        return false;
    }
    mesh->axis_count = count - 1;
    for (i = 0; i < mesh->axis_count; i++) {
        mesh->sizes[i] = strides[count - 1 - i] / strides[count - 2 - i];
    }
    return dtx_mesh_finish(mesh);
}

bool
guess_mesh(const struct evidence *e, struct dtx_mesh *mesh)
{
    struct guess g = {.e = e, .count = mesh->position_count};
    struct dtx_mesh guessed = *mesh;
    int i;

    list_divisors(&g);
    g.is_end[0] = g.is_end[g.divisor_count - 1] = true;
    for (i = 0; i < e->tensor_count; i++) {
        mark_presence(&g, i);
        if (evidence_is_sampled(e, i) && !is_untold(&g, i)) {
            mark_tensor(&g, i);
        }
    }
    if (!make_axes(&g, &guessed)) {
        return false;
    }
    *mesh = guessed;
    return true;
}
