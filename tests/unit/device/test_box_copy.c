#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "device/box_copy.h"
#include "layout/limits.h"
#include "support/random.h"

/* A copy with arrays around it. */
struct trial {
    int ndim;
    size_t element_bytes;
    int64_t len[DTX_NDIM_MAX];
    int64_t dst_shape[DTX_NDIM_MAX];
    int64_t dst_lo[DTX_NDIM_MAX];
    int64_t src_shape[DTX_NDIM_MAX];
    int64_t src_lo[DTX_NDIM_MAX];
};

static struct dtx_box_copy
copy_of(const struct trial *trial)
{
    return (struct dtx_box_copy){.ndim = trial->ndim,
                                 .element_bytes = trial->element_bytes,
                                 .len = trial->len,
                                 .dst_shape = trial->dst_shape,
                                 .dst_lo = trial->dst_lo,
                                 .src_shape = trial->src_shape,
                                 .src_lo = trial->src_lo};
}

static size_t
array_bytes(const struct trial *trial, const int64_t *shape)
{
    size_t bytes = trial->element_bytes;

    for (int d = 0; d < trial->ndim; d++) {
        bytes *= (size_t)shape[d];
    }
    return bytes;
}

/* Where element `index` of the box stands in an array, in elements. */
static size_t
place(const struct trial *trial, const int64_t *shape, const int64_t *lo,
      const int64_t *index)
{
    int64_t at = 0;

    for (int d = 0; d < trial->ndim; d++) {
        at = at * shape[d] + lo[d] + index[d];
    }
    return (size_t)at;
}

/* The same copy, element by element. */
static void
copy_naively(const struct trial *trial, char *dst, const char *src)
{
    size_t size = trial->element_bytes;
    int64_t index[DTX_NDIM_MAX] = {0};
    int d;

    for (d = 0; d < trial->ndim; d++) {
        if (trial->len[d] == 0) {
            return;
        }
    }
    do {
        size_t to = place(trial, trial->dst_shape, trial->dst_lo, index);
        size_t from = place(trial, trial->src_shape, trial->src_lo, index);

        memcpy(dst + to * size, src + from * size, size);
        for (d = trial->ndim - 1; d >= 0 && ++index[d] == trial->len[d]; d--) {
            index[d] = 0;
        }
    } while (d >= 0);
}

/* Arrays of just their size, so that a sanitizer sees a step outside. */
static bool
copies_like_the_naive_way(const struct trial *trial)
{
    size_t dst_bytes = array_bytes(trial, trial->dst_shape);
    size_t src_bytes = array_bytes(trial, trial->src_shape);
    char *expected = malloc(dst_bytes);
    char *dst = malloc(dst_bytes);
    char *src = malloc(src_bytes);
    struct dtx_box_copy copy = copy_of(trial);
    bool is_equal;

    memset(expected, 0xEE, dst_bytes);
    memset(dst, 0xEE, dst_bytes);
    for (size_t i = 0; i < src_bytes; i++) {
        src[i] = (char)(i * 37 + i / 251);
    }
    copy_naively(trial, expected, src);
    dtx_box_copy(&copy, dst, src);
    is_equal = memcmp(expected, dst, dst_bytes) == 0;
    free(expected);
    free(dst);
    free(src);
    return is_equal;
}

/* Places a range of `len` in a dim that is as long, or somewhat longer. */
static void
surround(struct random *random, int64_t len, int64_t *shape, int64_t *lo)
{
    bool is_whole = random_below(random, 2) == 0;

    *lo = is_whole ? 0 : (int64_t)random_below(random, 4);
    *shape = len + *lo + (is_whole ? 0 : (int64_t)random_below(random, 4));
}

static void
make_trial(struct random *random, struct trial *trial)
{
    static const int64_t longest[] = {2000, 60, 16, 8, 5, 4};

    trial->ndim = (int)random_below(random, 7);
    trial->element_bytes = 1 + random_below(random, 24);
    for (int d = 0; d < trial->ndim; d++) {
        uint64_t bound = (uint64_t)longest[trial->ndim - 1];

        trial->len[d] = (int64_t)random_below(random, bound);
        if (trial->len[d] == 0 && random_below(random, 8) > 0) {
            trial->len[d] = 1;
        }
        surround(random, trial->len[d], &trial->dst_shape[d],
                 &trial->dst_lo[d]);
        surround(random, trial->len[d], &trial->src_shape[d],
                 &trial->src_lo[d]);
    }
}

Test(box_copy, copies_what_an_element_loop_copies)
{
    struct random random = random_begin();
    struct trial trial;

    for (int i = 0; i < 20000; i++) {
        make_trial(&random, &trial);
        cr_assert(copies_like_the_naive_way(&trial), "trial %d, %d dims", i,
                  trial.ndim);
    }
}

Test(box_copy, knows_every_run_length)
{
    for (int64_t run = 1; run <= 200; run++) {
        struct trial trial = {.ndim = 3,
                              .element_bytes = 1,
                              .len = {2, 3, run},
                              .dst_shape = {4, 5, run + 1},
                              .dst_lo = {1, 2, 1},
                              .src_shape = {2, 4, run + 3},
                              .src_lo = {0, 1, 2}};

        cr_expect(copies_like_the_naive_way(&trial), "runs of %ld bytes",
                  (long)run);
    }
}

Test(box_copy, knows_runs_of_boxes_that_caches_do_not_hold)
{
    static const int64_t runs[] = {255, 256, 300, 4097, 500001};

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int64_t run = runs[i], rows = (9 << 20) / run / 2 + 1;
        struct trial trial = {.ndim = 3,
                              .element_bytes = 1,
                              .len = {2, rows, run},
                              .dst_shape = {2, rows + 1, run + 1},
                              .dst_lo = {0, 1, 1},
                              .src_shape = {2, rows, run + 3},
                              .src_lo = {0, 0, 2}};

        cr_expect(copies_like_the_naive_way(&trial), "runs of %ld bytes",
                  (long)run);
    }
}

Test(box_copy, reads_nothing_outside_with_rows_on_pages_of_their_own)
{
    struct trial trial = {.ndim = 2,
                          .element_bytes = 4,
                          .len = {40, 1},
                          .dst_shape = {40, 1},
                          .src_shape = {40, 2048},
                          .src_lo = {0, 2047}};

    cr_expect(copies_like_the_naive_way(&trial));
}

Test(box_copy, takes_scalars_and_leaves_empty_boxes)
{
    struct trial scalar = {.element_bytes = 8};
    struct trial empty = {.ndim = 2,
                          .element_bytes = 4,
                          .len = {0, 3},
                          .dst_shape = {1, 3},
                          .src_shape = {0, 3}};

    cr_expect(copies_like_the_naive_way(&scalar));
    cr_expect(copies_like_the_naive_way(&empty));
}

Test(box_copy, goes_up_to_the_most_dims)
{
    struct trial trial = {.ndim = DTX_NDIM_MAX, .element_bytes = 2};

    for (int d = 0; d < DTX_NDIM_MAX; d++) {
        bool is_wide = d % 4 == 0;

        trial.len[d] = 1 + is_wide;
        trial.dst_shape[d] = 1 + is_wide;
        trial.src_shape[d] = 1 + is_wide + (d % 8 == 0);
        trial.src_lo[d] = d % 8 == 0;
    }
    cr_expect(copies_like_the_naive_way(&trial));
}
