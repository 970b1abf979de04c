#include "propose/decide.h"

#include <string.h>

#include "propose/numbers.h"
#include "util/alloc.h"

static const struct axis_evidence *
evidence_of(const struct decisions *d, int group, int axis)
{
    return &d->evidence[group * d->mesh->axis_count + axis];
}

const struct decision *
decide_get(const struct decisions *d, int group, int axis)
{
    return &d->decisions[group * d->mesh->axis_count + axis];
}

static const char *
name_of(const struct decisions *d, int group)
{
    return d->e->tensors[d->e->groups[group].first].name;
}

/* The lowest position that has the group's first tensor. */
static int
first_position(const struct decisions *d, int group)
{
    int tensor = d->e->groups[group].first, position = 0;

    while (d->e->tensors[tensor].datasets[position] < 0) {
        position++;
    }
    return position;
}

static int64_t
extent_at(const struct decisions *d, int group, int position, int dim)
{
    return evidence_extent(d->e, d->e->groups[group].first, position, dim);
}

int64_t
decide_logical(const struct decisions *d, int group, int dim)
{
    const char *name = name_of(d, group);
    int i;

    for (i = 0; d->table != NULL && i < d->table->entry_count; i++) {
        const struct dtx_table_entry *entry = &d->table->entries[i];

        if (strcmp(entry->name, name) == 0) {
            return dim < entry->ndim ? entry->shape[dim] : -1;
        }
    }
    return -1;
}

int64_t
decide_stored(const struct decisions *d, int group, int dim)
{
    int base = first_position(d, group), position;
    int64_t sum = 0;

    for (position = 0; position < d->e->position_count; position++) {
        int64_t extent = extent_at(d, group, position, dim);
        bool counts = extent >= 0;
        int axis;

        for (axis = 0; axis < d->mesh->axis_count && counts; axis++) {
            counts = decide_get(d, group, axis)->dim == dim ||
                     dtx_mesh_coordinate(d->mesh, position, axis) ==
                         dtx_mesh_coordinate(d->mesh, base, axis);
        }
        sum += counts ? extent : 0;
    }
    return sum;
}

/* ------------------------------------------------------------------- styles */

static bool
is_vector_of_norm(const struct decisions *d, int group)
{
    return d->e->groups[group].ndim == 1 &&
           propose_convention_of(name_of(d, group)).role == ROLE_WHOLE;
}

/* Whether an axis divides tensors as a whole. Then what is on several of its
 * coordinates is the same there, but for what is counted anew on each. */
static enum propose_style
infer_division(const struct decisions *d, int axis)
{
    enum propose_style found = STYLE_UNKNOWN;
    int g;

    for (g = 0; g < d->e->group_count; g++) {
        const struct axis_evidence *seen = evidence_of(d, g, axis);
        const char *name = name_of(d, g);
        int64_t number;
        size_t at = 0;

        if (seen->differs && !numbers_next(name, &at, &number)) {
            return STYLE_UNKNOWN;
        }
        if (seen->restricted && found != STYLE_PIPELINE) {
            found =
                strstr(name, "expert") != NULL ? STYLE_EXPERT : STYLE_PIPELINE;
        }
    }
    return found;
}

/* What an axis is for, from what it does. */
static enum propose_style
infer_style(const struct decisions *d, int axis)
{
    bool differs = false, all = true, has_norm = false, norm_differs = false;
    enum propose_style division = infer_division(d, axis);
    int g;

    for (g = 0; g < d->e->group_count && division == STYLE_UNKNOWN; g++) {
        const struct axis_evidence *seen = evidence_of(d, g, axis);

        if (d->e->groups[g].ndim < 1) {
            continue;
        }
        differs |= seen->differs;
        all &= seen->differs || seen->is_untold;
        if (is_vector_of_norm(d, g)) {
            has_norm |= !seen->is_untold;
            norm_differs |= seen->differs;
        }
    }
    if (division != STYLE_UNKNOWN) {
        return division;
    }
    if (!differs) {
        return STYLE_DATA;
    }
    return (has_norm ? norm_differs : all) ? STYLE_SHARDED : STYLE_TENSOR;
}

static void
set_style(struct decisions *d, const struct dtx_mesh *mesh, int axis)
{
    enum propose_style found = infer_style(d, axis);
    enum propose_style said = mesh->names[axis] != NULL
                                  ? propose_style_of(mesh->names[axis])
                                  : STYLE_UNKNOWN;

    d->styles[axis] =
        said == STYLE_UNKNOWN || said == STYLE_DATA || found == STYLE_DATA
            ? found
            : said;
}

/* Names the axes that have none, each after what it is for. */
static int
name_axes(const struct decisions *d, struct dtx_mesh *mesh,
          struct dtx_arena *arena)
{
    static const char *const words[] = {"axis", "dp", "fsdp", "tp", "pp", "ep"};
    int axis;

    for (axis = 0; axis < mesh->axis_count; axis++) {
        const char *word = words[d->styles[axis]];
        int i, number = 1;

        if (mesh->names[axis] != NULL) {
            continue;
        }
        for (i = 0; i < axis; i++) {
            number += mesh->names[i] != NULL &&
                      strncmp(mesh->names[i], word, strlen(word)) == 0;
        }
        mesh->names[axis] =
            number == 1 ? word : dtx_arena_format(arena, "%s%d", word, number);
        if (mesh->names[axis] == NULL) {
            return -1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------- models */

static bool
is_whole(const struct decisions *d, int group)
{
    int axis;

    for (axis = 0; axis < d->mesh->axis_count; axis++) {
        if (evidence_of(d, group, axis)->differs) {
            return false;
        }
    }
    return true;
}

/* The model's width: the length of the whole vectors of norms. */
static void
find_width(struct decisions *d)
{
    int g, best = 0;

    d->width = -1;
    for (g = 0; g < d->e->group_count; g++) {
        if (is_vector_of_norm(d, g) && is_whole(d, g) &&
            d->e->groups[g].count > best) {
            best = d->e->groups[g].count;
            d->width = extent_at(d, g, first_position(d, g), 0);
        }
    }
}

/* Whether matrices are [in, out]: those that read the model's width show. */
static void
find_orientation(struct decisions *d)
{
    int g, in_first = 0, out_first = 0;

    for (g = 0; g < d->e->group_count; g++) {
        int position = first_position(d, g);

        if (d->e->groups[g].ndim == 2 &&
            propose_convention_of(name_of(d, g)).role == ROLE_COLUMN) {
            int64_t first = extent_at(d, g, position, 0);
            int64_t second = extent_at(d, g, position, 1);

            in_first += first == d->width && second != d->width;
            out_first += second == d->width && first != d->width;
        }
    }
    d->inputs_first = in_first > out_first;
}

/* --------------------------------------------------------------------- dims */

/* The only dim in which shards differ along an axis, or -1. */
static int
varying_dim(const struct decisions *d, int group, int axis)
{
    int found = -1, dim, position;

    for (dim = 0; dim < d->e->groups[group].ndim; dim++) {
        for (position = 0; position < d->e->position_count; position++) {
            int64_t here = extent_at(d, group, position, dim);
            int64_t before;

            if (here < 0 || dtx_mesh_coordinate(d->mesh, position, axis) == 0) {
                continue;
            }
            before =
                extent_at(d, group, position - d->mesh->strides[axis], dim);
            if (before >= 0 && before != here) {
                if (found >= 0 && found != dim) {
                    return -1;
                }
                found = dim;
            }
        }
    }
    return found;
}

/* The only dim that the table says is longer than the shards, or -1. */
static int
shortened_dim(const struct decisions *d, int group)
{
    int position = first_position(d, group), found = -1, dim;

    for (dim = 0; dim < d->e->groups[group].ndim; dim++) {
        int64_t whole = decide_logical(d, group, dim);

        if (whole >= 0 && whole != extent_at(d, group, position, dim)) {
            if (found >= 0) {
                return -1;
            }
            found = dim;
        }
    }
    return found;
}

/* The only dim that isn't the model's width, where another one is; or -1. */
static int
odd_dim(const struct decisions *d, int group)
{
    int position = first_position(d, group), found = -1, dim;
    int ndim = d->e->groups[group].ndim;

    for (dim = 0; dim < ndim; dim++) {
        if (extent_at(d, group, position, dim) != d->width) {
            if (found >= 0) {
                return -1;
            }
            found = dim;
        }
    }
    return ndim > 1 ? found : -1;
}

/* The dim that an axis shards, where values show that it does. */
static struct decision
choose_dim(const struct decisions *d, int group, int axis)
{
    int ndim = d->e->groups[group].ndim;
    struct propose_convention c = propose_convention_of(name_of(d, group));
    struct decision made = {.dim = varying_dim(d, group, axis)};

    if (ndim == 0) {
        made.is_term = true;
        return made;
    }
    if (made.dim < 0 && ndim == 1) {
        made.dim = 0;
    }
    if (made.dim < 0) {
        made.dim = shortened_dim(d, group);
    }
    if (made.dim >= 0) {
        return made;
    }
    made.reason = BY_CUSTOM;
    if (d->styles[axis] == STYLE_SHARDED) {
        made.dim = 0;
        return made;
    }
    made.dim = propose_tensor_dim(c, ndim, d->inputs_first);
    if (made.dim < 0) {
        made.dim = odd_dim(d, group);
    }
    if (made.dim < 0) {
        made.reason = GUESSED;
        made.dim = 0;
    }
    return made;
}

/* What is taken where values don't show whether an axis shards. */
static struct decision
choose_untold(const struct decisions *d, int group, int axis)
{
    int ndim = d->e->groups[group].ndim;
    struct propose_convention c = propose_convention_of(name_of(d, group));
    struct decision made = {.dim = -1, .reason = GUESSED, .is_untold = true};
    int shortened = shortened_dim(d, group);
    int64_t logical = decide_logical(d, group, 0);

    if (shortened >= 0 || logical >= 0) { /* the table tells */
        return (struct decision){.dim = shortened};
    }
    if (d->styles[axis] == STYLE_SHARDED) {
        made.dim = 0;
    } else if (d->styles[axis] == STYLE_TENSOR) {
        made.dim = propose_tensor_dim(c, ndim, d->inputs_first);
    } else {
        made.is_untold = false;
    }
    return made;
}

static void
decide_group(struct decisions *d, int group)
{
    int axis;

    for (axis = 0; axis < d->mesh->axis_count; axis++) {
        const struct axis_evidence *seen = evidence_of(d, group, axis);
        struct decision made = {.dim = -1};

        if (seen->differs && d->e->groups[group].ndim >= 0) {
            made = choose_dim(d, group, axis);
        } else if (seen->is_untold && !seen->restricted) {
            made = choose_untold(d, group, axis);
        }
        d->decisions[group * d->mesh->axis_count + axis] = made;
    }
}

int
decide(struct decisions *d, const struct evidence *e,
       const struct dtx_catalog *table, struct dtx_mesh *mesh,
       struct dtx_arena *arena)
{
    size_t cells = (size_t)e->group_count * (size_t)mesh->axis_count + 1;
    int g, axis;

    *d = (struct decisions){.e = e, .table = table, .mesh = mesh};
    d->evidence = dtx_alloc(cells, sizeof *d->evidence);
    d->decisions = dtx_alloc(cells, sizeof *d->decisions);
    if (d->evidence == NULL || d->decisions == NULL) {
        return -1;
    }
    for (g = 0; g < e->group_count; g++) {
        for (axis = 0; axis < mesh->axis_count; axis++) {
            d->evidence[g * mesh->axis_count + axis] =
                evidence_on_axis(e, g, mesh, axis);
        }
    }
    for (axis = 0; axis < mesh->axis_count; axis++) {
        set_style(d, mesh, axis);
    }
    if (name_axes(d, mesh, arena) != 0) {
        return -1;
    }
    find_width(d);
    find_orientation(d);
    for (g = 0; g < e->group_count; g++) {
        decide_group(d, g);
    }
    return 0;
}

void
decisions_finish(struct decisions *d)
{
    dtx_free(d->evidence);
    dtx_free(d->decisions);
}
