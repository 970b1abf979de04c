#include "plan/step/region.h"

#include <string.h>

#include "util/alloc.h"
#include "util/math.h"
#include "util/sort.h"

/* A request as long is as fast as a longer one. */
enum { WIDE_BYTES = 1 << 16 };

/* A run of indices in one dim. */
struct run {
    int64_t lo, hi;
};

/* The joined runs of all dims, and how many regions they make. */
struct product {
    int ndim;
    int counts[DTX_NDIM_MAX];
    struct run *runs[DTX_NDIM_MAX];
    int64_t region_count;
    int64_t elements;
};

static int
compare_runs(const void *left, const void *right)
{
    const struct run *a = left;
    const struct run *b = right;

    return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/* Joins runs that touch or overlap; returns how many are left. */
static int
join_runs(struct run *runs, int count)
{
    int kept = 0, i;

    dtx_sort(runs, (size_t)count, sizeof *runs, compare_runs);
    for (i = 0; i < count; i++) {
        if (kept > 0 && runs[i].lo <= runs[kept - 1].hi) {
            runs[kept - 1].hi = dtx_max(runs[kept - 1].hi, runs[i].hi);
        } else {
            runs[kept++] = runs[i];
        }
    }
    return kept;
}

static int
make_product(struct product *p, int ndim, const struct dtx_region_box *boxes,
             int count, struct dtx_arena *scratch)
{
    int dim, i;

    p->ndim = ndim;
    p->region_count = p->elements = 1;
    for (dim = 0; dim < ndim; dim++) {
        struct run *runs =
            dtx_arena_alloc(scratch, (size_t)count, sizeof *runs);
        int64_t length = 0;

        if (runs == NULL) {
            return -1;
        }
        for (i = 0; i < count; i++) {
            runs[i].lo = boxes[i].lo[dim];
            runs[i].hi = boxes[i].lo[dim] + boxes[i].len[dim];
        }
        p->runs[dim] = runs;
        p->counts[dim] = join_runs(runs, count);
        for (i = 0; i < p->counts[dim]; i++) {
            length += runs[i].hi - runs[i].lo;
        }
        if (dtx_mul_overflows(p->region_count, p->counts[dim],
                              &p->region_count)) {
            p->region_count = INT64_MAX;
        }
        if (dtx_mul_overflows(p->elements, length, &p->elements)) {
            p->elements = INT64_MAX;
        }
    }
    return 0;
}

/* The index of the product's region that holds a box. */
static int
region_of(const struct product *p, const struct dtx_region_box *box)
{
    int index = 0, dim;

    for (dim = 0; dim < p->ndim; dim++) {
        int lo = 0, hi = p->counts[dim];

        while (hi - lo > 1) { /* the last run that begins at or before it */
            int middle = lo + (hi - lo) / 2;

            if (p->runs[dim][middle].lo <= box->lo[dim]) {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        index = index * p->counts[dim] + lo;
    }
    return index;
}

/* ---------------------------------------------------------------- boxes */

/* A box with the number of its region, to be sorted. */
struct placed {
    const struct dtx_region_box *box;
    int ndim;
    int region;
};

static int
compare_corners(const struct placed *a, const struct placed *b)
{
    int dim;

    for (dim = 0; dim < a->ndim; dim++) {
        if (a->box->lo[dim] != b->box->lo[dim]) {
            return a->box->lo[dim] < b->box->lo[dim] ? -1 : 1;
        }
    }
    return 0;
}

static int
compare_placed(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    int order;

    if (a->region != b->region) {
        return a->region < b->region ? -1 : 1;
    }
    order = compare_corners(a, b);
    if (order != 0) {
        return order;
    }
    if (a->box->term != b->box->term) {
        return a->box->term < b->box->term ? -1 : 1;
    }
    return a->box->message < b->box->message
               ? -1
               : a->box->message > b->box->message;
}

static int64_t
elements_of(const struct placed *p)
{
    int64_t elements = 1;
    int dim;

    for (dim = 0; dim < p->ndim; dim++) {
        elements *= p->box->len[dim];
    }
    return elements;
}

/* Elements of all boxes, equal ones once. The boxes are sorted by corner. */
static int64_t
distinct_elements(const struct placed *placed, int count)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < count; i++) {
        if (i == 0 || compare_corners(&placed[i], &placed[i - 1]) != 0) {
            sum += elements_of(&placed[i]);
        }
    }
    return sum;
}

/* Numbers each distinct box as a region of its own. */
static void
separate(struct placed *placed, int count)
{
    int i, region = -1;

    for (i = 0; i < count; i++) {
        region += i == 0 || compare_corners(&placed[i], &placed[i - 1]) != 0;
        placed[i].region = region;
    }
}

/* ---------------------------------------------------------------- output */

/* The box that covers some. */
static void
cover(const struct placed *placed, int count, int64_t *lo_out, int64_t *len_out)
{
    int i, dim;

    for (dim = 0; dim < placed->ndim; dim++) {
        int64_t lo = placed->box->lo[dim], hi = lo + placed->box->len[dim];

        for (i = 1; i < count; i++) {
            const struct dtx_region_box *box = placed[i].box;

            lo = dtx_min(lo, box->lo[dim]);
            hi = dtx_max(hi, box->lo[dim] + box->len[dim]);
        }
        lo_out[dim] = lo;
        len_out[dim] = hi - lo;
    }
}

/* Appends a slice. lo_out [ndim] becomes its lo. */
static int
add_slice(struct dtx_regions *regions, const struct dtx_region *region,
          const struct placed *placed, int64_t *lo_out)
{
    const struct dtx_region_box *box = placed->box;
    int dim;

    if (dtx_grow(&regions->slices, regions->slice_count,
                 &regions->slice_capacity, sizeof *regions->slices) != 0) {
        return -1;
    }
    for (dim = 0; dim < placed->ndim; dim++) {
        lo_out[dim] = box->lo[dim] - region->lo[dim];
    }
    regions->slices[regions->slice_count++] =
        (struct dtx_slice){.lo = lo_out,
                           .len = box->len,
                           .global = box->global,
                           .copy = box->copy,
                           .copy_count = box->copy_count,
                           .message = box->message,
                           .term = box->term,
                           .offset = box->offset,
                           .box_len = box->box_len,
                           .box_lo = box->box_lo};
    return 0;
}

/* Appends one region with its slices. */
static int
add_region(struct dtx_regions *regions, const struct placed *placed, int count,
           const struct dtx_region *like, struct dtx_arena *arena)
{
    size_t ndim = (size_t)placed->ndim;
    int64_t *lo = dtx_arena_alloc(arena, ndim, sizeof *lo);
    int64_t *len = dtx_arena_alloc(arena, ndim, sizeof *len);
    int64_t *los = dtx_arena_alloc(arena, (size_t)count * ndim, sizeof *los);
    struct dtx_region region = *like;
    int i;

    if (lo == NULL || len == NULL || los == NULL ||
        dtx_grow(&regions->array, regions->count, &regions->capacity,
                 sizeof *regions->array) != 0) {
        return -1;
    }
    cover(placed, count, lo, len);
    region.lo = lo;
    region.len = len;
    region.slice_first = (int)regions->slice_count;
    region.slice_count = count;
    for (i = 0; i < count; i++) {
        if (add_slice(regions, &region, &placed[i], los + (size_t)i * ndim) !=
            0) {
            return -1;
        }
    }
    regions->array[regions->count++] = region;
    return 0;
}

/* Elements of a box that lie together in the box that covers it. */
static int64_t
run_length(const struct placed *placed, const int64_t *cover_len)
{
    int64_t run = 1;
    int dim = placed->ndim;

    do {
        dim--;
        run *= placed->box->len[dim];
    } while (dim > 0 && placed->box->len[dim] == cover_len[dim]);
    return run;
}

static bool
are_wide(const struct placed *placed, int count, int64_t wide)
{
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    int i;

    if (wide == INT64_MAX || placed->ndim == 0) {
        return false;
    }
    cover(placed, count, lo, len);
    for (i = 0; i < count; i++) {
        if (run_length(&placed[i], len) < wide) {
            return false;
        }
    }
    return true;
}

/* Appends one region, or where the boxes are wide one for each. */
static int
add_joined(struct dtx_regions *regions, const struct placed *placed, int count,
           const struct dtx_region *like, int64_t wide, struct dtx_arena *arena)
{
    int first = 0, i, status = 0;

    if (!are_wide(placed, count, wide)) {
        return add_region(regions, placed, count, like, arena);
    }
    for (i = 1; i <= count && status == 0; i++) {
        if (i == count || compare_corners(&placed[i], &placed[first]) != 0) {
            status =
                add_region(regions, &placed[first], i - first, like, arena);
            first = i;
        }
    }
    return status;
}

static void
sort_into_regions(const struct product *p, struct placed *placed, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        placed[i].region = region_of(p, placed[i].box);
    }
    dtx_sort(placed, (size_t)count, sizeof *placed, compare_placed);
}

/* Numbers the boxes' regions, and sorts by region and corner. */
static int
place(struct placed *placed, int ndim, const struct dtx_region_box *boxes,
      int count)
{
    struct dtx_arena scratch = {0};
    struct product p;
    int i, status = 0;
    bool joined;

    for (i = 0; i < count; i++) {
        placed[i] = (struct placed){&boxes[i], ndim, 0};
    }
    if (count > 1) {
        status = make_product(&p, ndim, boxes, count, &scratch);
    }
    if (status == 0 && count > 1) {
        dtx_sort(placed, (size_t)count, sizeof *placed, compare_placed);
        joined = p.region_count <= count &&
                 p.elements == distinct_elements(placed, count);
        if (!joined) {
            separate(placed, count);
        } else if (p.region_count > 1) {
            sort_into_regions(&p, placed, count);
        }
    }
    dtx_arena_finish(&scratch);
    return status;
}

int64_t
dtx_region_wide(const struct dtx_plan *plan, const struct dtx_region *like,
                bool reads, size_t element_bytes)
{
    bool is_raw;

    if (like->kept_shape != NULL || like->term_count > 1 || plan->is_memory) {
        return INT64_MAX;
    }
    if (reads) {
        int dataset =
            dtx_plan_source_dataset(plan, like->tensor, like->positions[0]);

        is_raw = dataset >= 0 &&
                 plan->catalog->datasets[dataset].form == DTX_FORM_CONTIGUOUS;
    } else {
        is_raw = plan->target->chunk_count == 0 && !plan->target->gzip;
    }
    return is_raw ? dtx_ceil_div(WIDE_BYTES, (int64_t)element_bytes)
                  : INT64_MAX;
}

int
dtx_regions_add(struct dtx_regions *regions, int ndim,
                struct dtx_region_box *boxes, int count,
                const struct dtx_region *like, int64_t wide,
                struct dtx_arena *arena)
{
    struct placed *placed = dtx_alloc((size_t)count, sizeof *placed);
    int first = 0, i, status = placed == NULL ? -1 : 0;

    if (status == 0) {
        status = place(placed, ndim, boxes, count);
    }
    for (i = 1; i <= count && status == 0; i++) {
        if (i == count || placed[i].region != placed[first].region) {
            status = add_joined(regions, &placed[first], i - first, like, wide,
                                arena);
            first = i;
        }
    }
    dtx_free(placed);
    return status;
}

void
dtx_regions_finish(struct dtx_regions *regions)
{
    dtx_free(regions->array);
    dtx_free(regions->slices);
    *regions = (struct dtx_regions){0};
}
