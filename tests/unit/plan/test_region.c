#include "plan/step/region.h"

#include <string.h>

#include "support/claim.h"
#include "support/random.h"

enum { EXTENT = 12, BOXES_MOST = 64 };

/* Boxes of one dataset, made by cutting a grid. */
struct boxes {
    int ndim;
    int count;
    struct dtx_region_box array[BOXES_MOST];
    int64_t lo[BOXES_MOST][3], len[BOXES_MOST][3];
    int cuts[3][4]; /* edges of the grid */
};

static void
add_box(struct boxes *b, const int *cell, int message, int term)
{
    int i = b->count++;

    for (int dim = 0; dim < b->ndim; dim++) {
        b->lo[i][dim] = b->cuts[dim][cell[dim]];
        b->len[i][dim] = b->cuts[dim][cell[dim] + 1] - b->lo[i][dim];
    }
    b->array[i] = (struct dtx_region_box){.lo = b->lo[i],
                                          .len = b->len[i],
                                          .message = message,
                                          .term = term,
                                          .offset = (size_t)i * 1000};
}

/* Cells of a grid, some left out, some for two messages or two terms. */
static void
make_boxes(struct random *random, int left_out_percent, struct boxes *b)
{
    int cell[3] = {0};

    memset(b, 0, sizeof *b);
    b->ndim = random_pick(random, 0, 3);
    for (int dim = 0; dim < b->ndim; dim++) {
        int edge = random_pick(random, 0, 2);

        for (int i = 0; i < 4; i++) {
            b->cuts[dim][i] = edge;
            edge += random_pick(random, 1, 3);
        }
    }
    do {
        if (random_pick(random, 1, 100) > left_out_percent) {
            add_box(b, cell, 0, 0);
            if (random_pick(random, 0, 3) == 0) {
                add_box(b, cell, 1, random_pick(random, 0, 1));
            }
        }
        for (int dim = b->ndim - 1; dim >= -1; dim--) {
            if (dim < 0 || ++cell[dim] < 3) {
                break;
            }
            cell[dim] = dim > 0 ? 0 : 3;
        }
    } while (b->ndim > 0 && cell[0] < 3);
}

/* ---------------------------------------------------------------- claims */

/* How often each element of the dataset is in some boxes. */
struct cover {
    uint8_t times[EXTENT * EXTENT * EXTENT];
};

static void
add_cover(struct cover *cover, int ndim, const int64_t *lo, const int64_t *len)
{
    int64_t from[3] = {0}, to[3] = {1, 1, 1};

    for (int dim = 0; dim < ndim; dim++) {
        from[dim] = lo[dim];
        to[dim] = lo[dim] + len[dim];
    }
    for (int64_t i = from[0]; i < to[0]; i++) {
        for (int64_t k = from[1]; k < to[1]; k++) {
            for (int64_t l = from[2]; l < to[2]; l++) {
                cover->times[(i * EXTENT + k) * EXTENT + l]++;
            }
        }
    }
}

/* The box that a slice came from; its offset tells. */
static void
check_slice(const struct boxes *b, const struct dtx_region *region,
            const struct dtx_slice *slice, bool *seen)
{
    size_t i = slice->offset / 1000;

    claim(i < (size_t)b->count && !seen[i]);
    seen[i] = true;
    for (int dim = 0; dim < b->ndim; dim++) {
        claim(region->lo[dim] + slice->lo[dim] == b->lo[i][dim]);
        claim(slice->len[dim] == b->len[i][dim]);
        claim(slice->lo[dim] >= 0 &&
              slice->lo[dim] + slice->len[dim] <= region->len[dim]);
    }
}

/* Regions are disjoint and cover what the boxes cover, no more. */
static void
check_regions(const struct boxes *b, const struct dtx_regions *regions)
{
    struct cover wanted = {{0}}, covered = {{0}};
    bool seen[BOXES_MOST] = {false};

    for (int i = 0; i < b->count; i++) {
        add_cover(&wanted, b->ndim, b->lo[i], b->len[i]);
    }
    for (size_t r = 0; r < regions->count; r++) {
        const struct dtx_region *region = &regions->array[r];

        add_cover(&covered, b->ndim, region->lo, region->len);
        for (int i = 0; i < region->slice_count; i++) {
            check_slice(b, region, &regions->slices[region->slice_first + i],
                        seen);
        }
    }
    for (int i = 0; i < EXTENT * EXTENT * EXTENT; i++) {
        claim(covered.times[i] == (wanted.times[i] > 0));
    }
    for (int i = 0; i < b->count; i++) {
        claim(seen[i]);
    }
}

static void
run_case(struct random *random, int left_out_percent, int64_t wide,
         int regions_most)
{
    struct dtx_regions regions = {0};
    struct dtx_region like = {.tensor = 3};
    struct dtx_arena arena = {0};
    struct boxes b;

    make_boxes(random, left_out_percent, &b);
    if (b.count > 0) {
        claim(dtx_regions_add(&regions, b.ndim, b.array, b.count, &like, wide,
                              &arena) == 0);
        check_regions(&b, &regions);
        claim(regions.array[0].tensor == 3);
        claim(regions_most == 0 || regions.count <= (size_t)regions_most);
    }
    dtx_regions_finish(&regions);
    dtx_arena_finish(&arena);
}

Test(region, regions_cover_the_distinct_boxes_and_no_more)
{
    struct random random = random_begin();

    for (int i = 0; i < 3000; i++) {
        run_case(&random, 30, i % 3 == 0 ? INT64_MAX : i % 20, 0);
    }
}

/* The cells of a whole grid touch: one region. */
Test(region, boxes_that_fill_a_product_become_one_region)
{
    struct random random = random_begin();

    for (int i = 0; i < 1000; i++) {
        run_case(&random, 0, INT64_MAX, 1);
    }
}

/* Two column blocks with a gap, cut into rows: a region for each block. */
Test(region, a_gap_parts_regions)
{
    static int64_t lo[8][2], len[8][2];
    struct dtx_region_box boxes[8];
    struct dtx_regions regions = {0};
    struct dtx_region like = {0};
    struct dtx_arena arena = {0};

    for (int i = 0; i < 8; i++) {
        lo[i][0] = i / 2;
        lo[i][1] = i % 2 * 6;
        len[i][0] = 1;
        len[i][1] = 4;
        boxes[i] = (struct dtx_region_box){
            .lo = lo[i], .len = len[i], .offset = (size_t)i};
    }
    claim(dtx_regions_add(&regions, 2, boxes, 8, &like, INT64_MAX, &arena) ==
          0);
    claim(regions.count == 2 && regions.slice_count == 8);
    claim(regions.array[0].len[0] == 4 && regions.array[0].len[1] == 4);
    claim(regions.array[1].lo[1] == 6 && regions.array[1].len[0] == 4);
    dtx_regions_finish(&regions);
    dtx_arena_finish(&arena);
}

/* Two halves of some rows, or two blocks of whole rows. */
static size_t
regions_of_halves(int halved, int64_t wide)
{
    static const int64_t lo[2][2][2] = {{{0, 0}, {4, 0}}, {{0, 0}, {0, 8}}};
    static const int64_t len[2][2] = {{4, 16}, {8, 8}};
    struct dtx_region_box boxes[2] = {
        {.lo = lo[halved][0], .len = len[halved]},
        {.lo = lo[halved][1], .len = len[halved]}};
    struct dtx_regions regions = {0};
    struct dtx_region like = {0};
    struct dtx_arena arena = {0};
    size_t count;

    claim(dtx_regions_add(&regions, 2, boxes, 2, &like, wide, &arena) == 0);
    count = regions.count;
    dtx_regions_finish(&regions);
    dtx_arena_finish(&arena);
    return count;
}

Test(region, only_boxes_in_long_runs_stay_apart)
{
    claim(regions_of_halves(0, INT64_MAX) == 1);
    claim(regions_of_halves(0, 65) == 1);
    claim(regions_of_halves(0, 64) == 2); /* four rows are one run */
    claim(regions_of_halves(1, 9) == 1);
    claim(regions_of_halves(1, 8) == 2);
}
