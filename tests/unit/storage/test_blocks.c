#include <criterion/criterion.h>
#include <inttypes.h>

#include "storage/hdf5/hdf5_blocks.h"
#include "support/random.h"

enum { CASES = 3000, EXTENT_MOST = 12, SIZE_MOST = 8, CHUNKS_MOST = 4 };

/* A dataset, how its file stores it, and what a block may have. */
struct blocks_case {
    struct dtx_target_dataset dataset;
    struct dtx_target_file file;
    int64_t shape[DTX_NDIM_MAX], chunks[DTX_NDIM_MAX];
    int64_t bytes;
};

static void
make_case(struct random *random, struct blocks_case *c)
{
    int d;

    *c = (struct blocks_case){.bytes = random_pick(random, 1, 4000)};
    c->dataset.ndim = random_pick(random, 1, 4);
    c->dataset.shape = c->shape;
    c->dataset.type.size_bytes = (size_t)random_pick(random, 1, SIZE_MOST);
    c->file.gzip = random_chance(random, 50);
    c->file.chunk_count = random_pick(random, 1, CHUNKS_MOST);
    c->file.chunks = c->chunks;
    for (d = 0; d < 4; d++) {
        c->shape[d] = random_pick(random, 1, EXTENT_MOST);
        c->chunks[d] = random_pick(random, 1, EXTENT_MOST);
    }
}

static int64_t
elements(int ndim, const int64_t *len)
{
    int64_t count = 1;
    int d;

    for (d = 0; d < ndim; d++) {
        count *= len[d];
    }
    return count;
}

/* The chunks of block after block are those of the dataset, in their order;
 * returns false where a block isn't as it has to be. */
static bool
covers(const struct blocks_case *c, const struct dtx_hdf5_blocks *b)
{
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX];
    int64_t next = 0, left = elements(c->dataset.ndim, c->shape), i;

    for (i = 0; i < b->total; i++) {
        int64_t count;

        dtx_hdf5_block_box(b, &c->dataset, i, lo, len);
        count = dtx_hdf5_chunks_in(b, c->dataset.ndim, len);
        if (dtx_hdf5_first_chunk(b, &c->dataset, lo) != next ||
            count > b->chunk_count) {
            return false;
        }
        next += count;
        left -= elements(c->dataset.ndim, len);
    }
    return left == 0 &&
           next == dtx_hdf5_chunks_in(b, c->dataset.ndim, c->shape);
}

Test(blocks, chunks_of_blocks_follow_one_another)
{
    struct random random = random_begin();
    int i;

    for (i = 0; i < CASES; i++) {
        struct dtx_hdf5_blocks b;
        struct blocks_case c;

        make_case(&random, &c);
        dtx_hdf5_find_blocks(&c.file, &c.dataset, c.bytes, &b);
        cr_assert(covers(&c, &b), "case %d", i);
        cr_assert(b.chunk_count == 1 ||
                      b.chunk_count * (int64_t)b.filtered_bytes <= c.bytes,
                  "case %d: %" PRId64 " chunks in %" PRId64 " bytes", i,
                  b.chunk_count, c.bytes);
    }
}

/* HDF5 has several KiB of each chunk that it makes, however small. */
Test(blocks, a_block_has_few_tiny_chunks)
{
    const int64_t shape[] = {1 << 10, 1 << 10}, chunks[] = {1};
    struct dtx_target_dataset dataset = {
        .ndim = 2, .shape = shape, .type = {.size_bytes = 1}};
    struct dtx_target_file file = {.chunk_count = 1, .chunks = chunks};
    struct dtx_hdf5_blocks b;

    dtx_hdf5_find_blocks(&file, &dataset, 8 << 20, &b);
    cr_assert_leq(b.chunk_count * 7168, 8 << 20);
    cr_assert_eq(b.chunk_count * b.total, 1 << 20);
}

Test(blocks, what_has_no_elements_has_no_blocks)
{
    const int64_t shape[] = {4, 0};
    struct dtx_target_dataset dataset = {
        .ndim = 2, .shape = shape, .type = {.size_bytes = 4}};
    struct dtx_target_file file = {.gzip = true};
    struct dtx_hdf5_blocks b;

    dtx_hdf5_find_blocks(&file, &dataset, 1 << 20, &b);
    cr_assert_eq(b.total, 0);
}

Test(blocks, a_number_is_a_block)
{
    struct dtx_target_dataset dataset = {.type = {.size_bytes = 8}};
    struct dtx_target_file file = {.gzip = true};
    struct dtx_hdf5_blocks b;

    dtx_hdf5_find_blocks(&file, &dataset, 1 << 20, &b);
    cr_assert_eq(b.total, 1);
    cr_assert_eq(b.chunk_bytes, 8);
}
