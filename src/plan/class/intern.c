#include "plan/class/intern.h"

#include "layout/shape.h"
#include "util/alloc.h"

void
dtx_intern_finish(struct dtx_intern *intern)
{
    dtx_names_finish(&intern->tiling_keys);
    dtx_names_finish(&intern->side_keys);
    dtx_names_finish(&intern->overlap_keys);
    dtx_names_finish(&intern->class_keys);
    dtx_free(intern->tilings);
    dtx_free(intern->sides);
    dtx_free(intern->overlaps);
    dtx_free(intern->classes);
    dtx_text_finish(&intern->key);
}

static void
begin_key(struct dtx_intern *intern)
{
    intern->key.length = 0;
    dtx_text_add(&intern->key, "");
}

/* The number of the key, and whether it is new; -1 when out of memory. */
static int
number_key(struct dtx_intern *intern, struct dtx_names *keys, bool *new_out)
{
    int before = keys->count;
    int number =
        intern->key.failed ? -1 : dtx_names_add(keys, intern->key.data);

    *new_out = keys->count > before;
    return number;
}

/* Adds a number to a key, in few bytes, none of them NUL, of which the last
 * alone is below 64: no two lists of numbers have the same bytes. */
static void
add_number(struct dtx_text *key, uint64_t number)
{
    char bytes[11];
    size_t count = 0;

    while (number >= 32) {
        bytes[count++] = (char)(64 + number % 64);
        number /= 64;
    }
    bytes[count++] = (char)(1 + number);
    dtx_text_add_bytes(key, bytes, count);
}

static void
add_pointer(struct dtx_text *key, const void *pointer)
{
    add_number(key, (uint64_t)(uintptr_t)pointer);
}

/* Adds a count and as many numbers; without these, the count alone. */
static void
add_numbers(struct dtx_text *key, int64_t count, const int64_t *numbers)
{
    int64_t i;

    add_number(key, (uint64_t)count);
    for (i = 0; i < count && numbers != NULL; i++) {
        add_number(key, (uint64_t)numbers[i]);
    }
}

static void
add_placement(struct dtx_text *key, int ndim, const struct dtx_placement *p)
{
    int i;

    add_number(key, (uint64_t)p->axis);
    add_number(key, (uint64_t)p->kind);
    add_number(key, (uint64_t)(p->dim < 0 ? p->dim + ndim : p->dim));
    add_number(key, (uint64_t)p->op);
    for (i = 0; i < DTX_SHARD_KEY_COUNT; i++) {
        add_numbers(key, p->keys[i].number, p->keys[i].list);
    }
}

static void
make_tiling_key(struct dtx_intern *intern, const struct dtx_layout *layout,
                const struct dtx_rule *rule, int ndim, const int64_t *shape)
{
    struct dtx_text *key = &intern->key;
    int i;

    begin_key(intern);
    add_pointer(key, layout);
    add_number(key, (uint64_t)rule->split);
    add_numbers(key, ndim, shape);
    add_number(key, (uint64_t)rule->pad_count);
    for (i = 0; i < rule->pad_count; i++) {
        add_number(key, (uint64_t)rule->pad[i].dim);
        add_number(key, (uint64_t)rule->pad[i].extent);
        add_number(key, (uint64_t)rule->pad[i].multiple);
    }
    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind != DTX_REPLICATE) {
            add_placement(key, ndim, &rule->placements[i]);
        }
    }
}

const struct dtx_tiling *
dtx_intern_tiling(struct dtx_intern *intern, const struct dtx_layout *layout,
                  const struct dtx_rule *rule, const char *name, int ndim,
                  const int64_t *shape, struct dtx_diagnostics *list)
{
    bool is_new;
    int number;

    make_tiling_key(intern, layout, rule, ndim, shape);
    if (dtx_grow(&intern->tilings, intern->tiling_count,
                 &intern->tiling_capacity, sizeof *intern->tilings) != 0) {
        return NULL;
    }
    number = number_key(intern, &intern->tiling_keys, &is_new);
    if (number < 0) {
        return NULL;
    }
    if (is_new) {
        /* A failure stays NULL: the same mistake is reported once. */
        struct dtx_tiling *tiling = dtx_tiling_create(
            intern->arena, layout, rule, name, ndim, shape, list);

        if (tiling != NULL && layout == intern->target) {
            tiling->partial_count = 0;
        }
        intern->tilings[intern->tiling_count++] = tiling;
    }
    return intern->tilings[number];
}

const struct dtx_side *
dtx_intern_side(struct dtx_intern *intern, const struct dtx_layout *layout,
                const struct dtx_tiling *tiling,
                const struct dtx_presence *presence, const int *processes)
{
    struct dtx_text *key = &intern->key;
    int axis, i, number;
    bool is_new;

    begin_key(intern);
    add_pointer(key, tiling);
    for (axis = 0; axis < presence->axis_count; axis++) {
        if (presence->coordinates[axis] == NULL) {
            continue;
        }
        add_number(key, (uint64_t)axis);
        add_number(key, (uint64_t)presence->counts[axis]);
        for (i = 0; i < presence->counts[axis]; i++) {
            add_number(key, (uint64_t)presence->coordinates[axis][i]);
        }
    }
    if (dtx_grow(&intern->sides, intern->side_count, &intern->side_capacity,
                 sizeof *intern->sides) != 0) {
        return NULL;
    }
    number = number_key(intern, &intern->side_keys, &is_new);
    if (number < 0) {
        return NULL;
    }
    if (is_new) {
        struct dtx_side *side = dtx_side_create(intern->arena, &layout->mesh,
                                                tiling, presence, processes);

        if (side != NULL) {
            side->number = number;
        }
        intern->sides[intern->side_count++] = side;
    }
    return intern->sides[number];
}

static const struct dtx_overlap *
intern_overlap(struct dtx_intern *intern, const struct dtx_tiling_dim *src,
               const struct dtx_tiling_dim *dst)
{
    bool is_new;
    int number;

    begin_key(intern);
    add_pointer(&intern->key, src);
    add_pointer(&intern->key, dst);
    if (dtx_grow(&intern->overlaps, intern->overlap_count,
                 &intern->overlap_capacity, sizeof *intern->overlaps) != 0) {
        return NULL;
    }
    number = number_key(intern, &intern->overlap_keys, &is_new);
    if (number < 0) {
        return NULL;
    }
    if (is_new) {
        intern->overlaps[intern->overlap_count++] =
            dtx_overlap_create(intern->arena, src, dst);
    }
    return intern->overlaps[number];
}

static struct dtx_class *
make_class(struct dtx_intern *intern, const struct dtx_side *src,
           const struct dtx_side *dst)
{
    struct dtx_class *c = dtx_arena_alloc(intern->arena, 1, sizeof *c);
    int64_t shape[DTX_NDIM_MAX];
    int dim;

    if (c == NULL) {
        return NULL;
    }
    c->ndim = src->tiling->ndim;
    c->src = src;
    c->dst = c->final = dst;
    c->overlaps =
        dtx_arena_alloc(intern->arena, (size_t)c->ndim, sizeof *c->overlaps);
    if (c->overlaps == NULL) {
        return NULL;
    }
    for (dim = 0; dim < c->ndim; dim++) {
        c->overlaps[dim] = intern_overlap(intern, &src->tiling->dims[dim],
                                          &dst->tiling->dims[dim]);
        shape[dim] = src->tiling->dims[dim].logical;
        if (c->overlaps[dim] == NULL) {
            return NULL;
        }
    }
    c->elements = dtx_shape_count(c->ndim, shape);
    return c;
}

static struct dtx_class *
add_class(struct dtx_intern *intern, const struct dtx_side *src,
          const struct dtx_side *dst, struct dtx_type src_type,
          struct dtx_type dst_type)
{
    struct dtx_class *c = make_class(intern, src, dst);

    if (c != NULL) {
        c->index = (int)intern->class_count;
        c->strategy = DTX_STRATEGY_OPTIMAL;
        c->optimal = c;
        c->options = intern->options;
        c->src_bytes = src_type.size_bytes;
        c->dst_bytes = dst_type.size_bytes;
        /* Terms are reduced in their own type before they are converted. */
        c->wire_bytes =
            src_type.size_bytes <= dst_type.size_bytes || src->term_count > 1
                ? src_type.size_bytes
                : dst_type.size_bytes;
        dtx_class_choose_shares(c, 1, 1);
    }
    intern->classes[intern->class_count++] = c;
    return c;
}

struct dtx_class *
dtx_intern_class(struct dtx_intern *intern, const struct dtx_side *src,
                 const struct dtx_side *dst, struct dtx_type src_type,
                 struct dtx_type dst_type)
{
    bool is_new;
    int number;

    begin_key(intern);
    add_pointer(&intern->key, src);
    add_pointer(&intern->key, dst);
    add_number(&intern->key, (uint64_t)src_type.dtype);
    add_number(&intern->key, src_type.size_bytes);
    add_number(&intern->key, (uint64_t)dst_type.dtype);
    add_number(&intern->key, dst_type.size_bytes);
    if (dtx_grow(&intern->classes, intern->class_count, &intern->class_capacity,
                 sizeof *intern->classes) != 0) {
        return NULL;
    }
    number = number_key(intern, &intern->class_keys, &is_new);
    if (number < 0) {
        return NULL;
    }
    return is_new ? add_class(intern, src, dst, src_type, dst_type)
                  : intern->classes[number];
}
