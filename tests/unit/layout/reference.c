#include "reference.h"

#include "util/math.h"

/* Begin and end of one piece of `count` items. */
static bool
piece(int count, int parts, int which, enum dtx_split split, int *begin,
      int *end)
{
    int step = (count + parts - 1) / parts;

    if (split == DTX_SPLIT_EVEN && count % parts != 0) {
        return false;
    }
    if (split == DTX_SPLIT_BALANCED) {
        *begin = 0;
        for (int i = 0; i < which; i++) {
            *begin += count / parts + (i < count % parts);
        }
        *end = *begin + count / parts + (which < count % parts);
        return true;
    }
    *begin = which * step < count ? which * step : count;
    *end = (which + 1) * step < count ? (which + 1) * step : count;
    return true;
}

static void
append(struct reference *to, const struct reference *from, int begin, int end)
{
    for (int i = begin; i < end && i < from->count; i++) {
        to->items[to->count++] = from->items[i];
    }
}

/* Appends what one coordinate keeps of a list. */
static bool
keep(const struct reference *from, const struct dtx_placement *p, int parts,
     int coordinate, enum dtx_split split, struct reference *to)
{
    const int64_t *sizes = p->keys[DTX_SHARD_SIZES].list;
    int block = (int)dtx_max(1, p->keys[DTX_SHARD_BLOCK].number);
    int factor = (int)p->keys[DTX_SHARD_FACTOR].number;
    int begin, end;

    if (factor > 1) {
        struct dtx_placement plain = *p;

        plain.keys[DTX_SHARD_FACTOR].number = 0;
        for (int chunk = 0; chunk < factor; chunk++) {
            struct reference part = {0};

            if (!piece(from->count, factor, chunk, split, &begin, &end)) {
                return false;
            }
            append(&part, from, begin, end);
            if (!keep(&part, &plain, parts, coordinate, split, to)) {
                return false;
            }
        }
        return true;
    }
    if (sizes != NULL) {
        begin = 0;
        for (int i = 0; i < coordinate; i++) {
            begin += (int)sizes[i];
        }
        append(to, from, begin, begin + (int)sizes[coordinate]);
        return true;
    }
    if (!piece((from->count + block - 1) / block, parts, coordinate, split,
               &begin, &end)) {
        return false;
    }
    append(to, from, begin * block, end * block);
    return true;
}

/* Each segment's part of the list on its own, joined. */
static bool
keep_segments(const struct reference *from, const struct dtx_placement *p,
              int parts, int coordinate, enum dtx_split split,
              struct reference *to)
{
    const struct dtx_shard_value *segments = &p->keys[DTX_SHARD_SEGMENTS];
    int begin = 0;

    if (segments->list == NULL) {
        return keep(from, p, parts, coordinate, split, to);
    }
    for (int s = 0; s < segments->number; s++) {
        int end = begin + (int)segments->list[s];
        struct reference part = {0};

        for (int i = 0; i < from->count; i++) {
            if (from->items[i] >= begin && from->items[i] < end) {
                part.items[part.count++] = from->items[i];
            }
        }
        if (!keep(&part, p, parts, coordinate, split, to)) {
            return false;
        }
        begin = end;
    }
    return true;
}

static bool
shards(const struct dtx_placement *p, int ndim, int dim)
{
    return p->kind == DTX_SHARD && (p->dim + ndim) % ndim == dim;
}

/* The stored length, with all padding. */
static int
stored_length(const struct dtx_layout *layout, const struct dtx_rule *rule,
              int ndim, int logical, int dim)
{
    int length = logical;
    int pieces = 1;

    for (int i = 0; i < rule->pad_count; i++) {
        const struct dtx_extent *pad = &rule->pad[i];

        if ((pad->dim + ndim) % ndim != dim) {
            continue;
        }
        length = (int)pad->extent;
        if (pad->multiple > 0) {
            for (length = logical; length % pad->multiple != 0;) {
                length++;
            }
        }
    }
    for (int i = 0; i < rule->placement_count; i++) {
        if (shards(&rule->placements[i], ndim, dim)) {
            pieces *= layout->mesh.sizes[rule->placements[i].axis];
        }
    }
    while (rule->split == DTX_SPLIT_PAD && length % pieces != 0) {
        length++;
    }
    return length;
}

bool
reference_indices(const struct dtx_layout *layout, const struct dtx_rule *rule,
                  int ndim, const int64_t *shape, int dim, int position,
                  struct reference *out)
{
    struct reference list = {0};

    list.count = stored_length(layout, rule, ndim, (int)shape[dim], dim);
    for (int i = 0; i < list.count; i++) {
        list.items[i] = i;
    }
    for (int i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];
        struct reference kept = {0};

        if (!shards(p, ndim, dim)) {
            continue;
        }
        if (!keep_segments(
                &list, p, layout->mesh.sizes[p->axis],
                dtx_mesh_coordinate(&layout->mesh, position, p->axis),
                rule->split, &kept)) {
            return false;
        }
        list = kept;
    }
    for (int i = 0; i < list.count; i++) {
        if (list.items[i] >= shape[dim]) {
            list.items[i] = REFERENCE_PADDING;
        }
    }
    *out = list;
    return true;
}
