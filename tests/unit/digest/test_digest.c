#include <criterion/criterion.h>
#include <string.h>

#include "bytewise.h"
#include "layout/digest.h"
#include "layout/limits.h"
#include "support/random.h"

enum { TENSOR_BYTES_MOST = 1 << 16 };

struct tensor {
    size_t element_bytes;
    int ndim;
    int64_t shape[DTX_NDIM_MAX];
    size_t bytes;
    unsigned char data[TENSOR_BYTES_MOST];
};

static void
make_tensor(struct random *random, struct tensor *tensor)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 3, 12};

    do {
        tensor->element_bytes = sizes[random_below(random, 7)];
        tensor->ndim = (int)random_below(random, 6);
        tensor->bytes = tensor->element_bytes;
        for (int dim = 0; dim < tensor->ndim; dim++) {
            tensor->shape[dim] = (int64_t)random_below(random, 40);
            tensor->bytes *= (size_t)tensor->shape[dim];
        }
    } while (tensor->bytes > TENSOR_BYTES_MOST);
    for (size_t i = 0; i < tensor->bytes; i++) {
        tensor->data[i] = (unsigned char)random_next(random);
    }
}

/* Adds a box right from the tensor, or from a dense copy of it. */
static void
add_box(const struct tensor *tensor, const int64_t *lo, const int64_t *len,
        bool is_dense, uint64_t *sum)
{
    static unsigned char copy[TENSOR_BYTES_MOST];
    struct dtx_digest_box box = {tensor->element_bytes,
                                 tensor->ndim,
                                 tensor->shape,
                                 lo,
                                 len,
                                 tensor->shape,
                                 lo};
    int64_t at[DTX_NDIM_MAX] = {0};
    size_t used = 0;
    int dim;

    for (dim = 0; dim < tensor->ndim; dim++) {
        if (len[dim] == 0) {
            dtx_digest_add(sum, &box, tensor->data);
            return;
        }
    }
    do {
        size_t offset = 0;

        for (dim = 0; dim < tensor->ndim; dim++) {
            offset = offset * (size_t)tensor->shape[dim] +
                     (size_t)(lo[dim] + at[dim]);
        }
        memcpy(copy + used, tensor->data + offset * tensor->element_bytes,
               tensor->element_bytes);
        used += tensor->element_bytes;
        for (dim = tensor->ndim - 1; dim >= 0 && ++at[dim] == len[dim]; dim--) {
            at[dim] = 0;
        }
    } while (dim >= 0);
    if (is_dense) {
        box.array_shape = box.array_lo = NULL;
    }
    dtx_digest_add(sum, &box, is_dense ? copy : tensor->data);
}

/* Cuts a box in two again and again, and adds the leaves. */
static void
add_parts(struct random *random, const struct tensor *tensor, int64_t *lo,
          int64_t *len, int depth, uint64_t *sum)
{
    int dim = tensor->ndim > 0
                  ? (int)random_below(random, (uint64_t)tensor->ndim)
                  : 0;
    int64_t whole = len[dim], begin = lo[dim], first;

    if (depth == 0 || tensor->ndim == 0) {
        add_box(tensor, lo, len, random_below(random, 2), sum);
        return;
    }
    first = (int64_t)random_below(random, (uint64_t)whole + 1);
    len[dim] = whole - first; /* the second part first: any order will do */
    lo[dim] = begin + first;
    add_parts(random, tensor, lo, len, depth - 1, sum);
    len[dim] = first;
    lo[dim] = begin;
    add_parts(random, tensor, lo, len, depth - 1, sum);
    len[dim] = whole;
}

Test(digest, any_partition_gives_the_crc_of_the_whole)
{
    static struct tensor tensor;
    struct random random = random_begin();

    for (int i = 0; i < 1500; i++) {
        int64_t lo[DTX_NDIM_MAX] = {0}, len[DTX_NDIM_MAX];
        uint64_t sum = 0;

        make_tensor(&random, &tensor);
        memcpy(len, tensor.shape, sizeof len);
        add_parts(&random, &tensor, lo, len, (int)random_below(&random, 5),
                  &sum);
        cr_assert_eq(dtx_digest_finish(sum, tensor.ndim, tensor.shape,
                                       tensor.element_bytes),
                     bytewise_crc(tensor.data, tensor.bytes),
                     "tensor %d of %zu bytes", i, tensor.bytes);
    }
}

Test(digest, sums_of_processes_are_put_together_by_xor)
{
    const char text[] = "123456789";
    const int64_t shape[] = {9}, los[] = {0, 4}, lens[] = {4, 5};
    uint64_t sums[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        struct dtx_digest_box box = {1,        1,    shape, &los[i],
                                     &lens[i], NULL, NULL};

        dtx_digest_add(&sums[i], &box, text + los[i]);
    }
    /* The check value of CRC-64/XZ. */
    cr_assert_eq(dtx_digest_finish(sums[0] ^ sums[1], 1, shape, 1),
                 0x995DC9BBDF1939FAu);
}

Test(digest, a_scalar_is_one_element)
{
    double value = 1.5;
    struct dtx_digest_box box = {sizeof value, 0, NULL, NULL, NULL, NULL, NULL};
    uint64_t sum = 0;

    dtx_digest_add(&sum, &box, &value);
    cr_assert_eq(dtx_digest_finish(sum, 0, NULL, sizeof value),
                 bytewise_crc(&value, sizeof value));
}

Test(digest, an_empty_tensor_has_the_crc_of_nothing)
{
    const int64_t shape[] = {INT64_C(1) << 40, 0, INT64_C(1) << 40};
    const int64_t lo[] = {0, 0, 0};
    struct dtx_digest_box box = {8, 3, shape, lo, shape, NULL, NULL};
    uint64_t sum = 0;

    dtx_digest_add(&sum, &box, "");
    cr_assert_eq(sum, 0);
    cr_assert_eq(dtx_digest_finish(sum, 3, shape, 8), 0);
}

/* 2^36 bytes of zeros but for the first and the last element: the CRC of one
 * zero byte, squared and squared, is that of many. */
Test(digest, offsets_go_beyond_32_bits)
{
    const int64_t shape[] = {INT64_C(1) << 20, INT64_C(1) << 15};
    const int64_t los[][2] = {{0, 0}, {shape[0] - 1, shape[1] - 1}};
    const int64_t len[] = {1, 1};
    uint16_t values[2] = {0xBEEF, 0x1234};
    uint64_t sum = 0, expected = ~(uint64_t)0;

    for (int i = 0; i < 2; i++) {
        struct dtx_digest_box box = {2, 2, shape, los[i], len, NULL, NULL};

        dtx_digest_add(&sum, &box, &values[i]);
    }
    expected = bytewise_step(expected, &values[0], 2);
    {
        /* x^8 is the register 1 moved over a zero byte; zeros behind multiply
         * the register by its power. Slowly: a matrix of 64 columns. */
        uint64_t columns[64], squared[64], skip = (UINT64_C(1) << 36) - 4;

        for (int bit = 0; bit < 64; bit++) {
            columns[bit] = bytewise_step(UINT64_C(1) << bit, "", 1);
        }
        for (; skip != 0; skip >>= 1) {
            uint64_t moved = 0;

            for (int bit = 0; bit < 64; bit++) {
                moved ^= expected >> bit & 1 ? columns[bit] : 0;
            }
            expected = skip & 1 ? moved : expected;
            for (int bit = 0; bit < 64; bit++) {
                squared[bit] = 0;
                for (int k = 0; k < 64; k++) {
                    squared[bit] ^= columns[bit] >> k & 1 ? columns[k] : 0;
                }
            }
            memcpy(columns, squared, sizeof columns);
        }
    }
    expected = ~bytewise_step(expected, &values[1], 2);
    cr_assert_eq(dtx_digest_finish(sum, 2, shape, 2), expected);
}

Test(digest, text_is_16_digits_and_reads_back)
{
    char text[DTX_DIGEST_TEXT];
    uint64_t digest = 0;

    dtx_digest_format(0x00AB, text);
    cr_assert_str_eq(text, "00000000000000ab");
    cr_assert(dtx_digest_parse("00000000000000aB", &digest));
    cr_assert_eq(digest, 0xAB);
    cr_assert_not(dtx_digest_parse("00000000000000a", &digest));
    cr_assert_not(dtx_digest_parse("00000000000000abc", &digest));
    cr_assert_not(dtx_digest_parse("00000000000000ag", &digest));
    cr_assert_eq(digest, 0xAB);
}
