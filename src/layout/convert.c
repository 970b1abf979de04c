#include "layout/convert.h"

#include <assert.h>
#include <string.h>

#include "layout/convert_kernels.h"

/* Elements are converted in blocks that stay in the first cache together with
 * what they become on the way. */
enum { BLOCK_COUNT = 1024 };

/*
 * How one type becomes another. Floats take one step, or two through float32
 * where neither is wider; integers go through 64 bits and are checked there.
 */
struct conversion {
    enum dtx_dtype from, to;
    size_t from_bytes, to_bytes;
    dtx_convert_kernel *first;
    dtx_convert_kernel *second; /* NULL: the first is all, or none is needed */
    bool checks;                /* integers */
    bool is_in_place;
};

static bool
is_complex(enum dtx_dtype dtype)
{
    return dtype == DTX_COMPLEX64 || dtype == DTX_COMPLEX128;
}

static bool
is_integer(enum dtx_dtype dtype)
{
    return dtx_convert_to_wide(dtype) != NULL;
}

bool
dtx_convert_is_possible(enum dtx_dtype from, enum dtx_dtype to)
{
    if (from == DTX_RAW || to == DTX_RAW ||
        is_complex(from) != is_complex(to)) {
        return false;
    }
    return is_integer(from) || !is_integer(to);
}

static enum dtx_dtype
part_of(enum dtx_dtype dtype)
{
    if (!is_complex(dtype)) {
        return dtype;
    }
    return dtype == DTX_COMPLEX64 ? DTX_FLOAT32 : DTX_FLOAT64;
}

static struct conversion
conversion_make(enum dtx_dtype from, enum dtx_dtype to)
{
    struct conversion c = {.from = from,
                           .to = to,
                           .from_bytes = dtx_dtype_size(from),
                           .to_bytes = dtx_dtype_size(to)};

    if (is_integer(from)) {
        c.first = dtx_convert_to_wide(from);
        c.second = is_integer(to) ? dtx_convert_from_wide(to)
                                  : dtx_convert_from_float64(to);
        c.checks = true;
    } else if (from == DTX_FLOAT64) {
        c.first = dtx_convert_from_float64(to);
    } else if (from == DTX_FLOAT32) {
        c.first = dtx_convert_from_float32(to);
    } else {
        c.first = dtx_convert_to_float32(from);
        c.second = dtx_convert_from_float32(to);
    }
    return c;
}

static int64_t
check_wide(const struct conversion *c, void *wide, size_t count)
{
    bool is_unsigned = c->from == DTX_UINT64;

    if (is_integer(c->to)) {
        return dtx_convert_find_outside(c->to, is_unsigned, wide, count);
    }
    return dtx_convert_wide_to_float64(c->to, is_unsigned, wide, count);
}

/* In place, all of a block is read before any of it is written. out NULL: it
 * is only checked. */
static int64_t
convert_block(const struct conversion *c, const char *in, char *out,
              size_t count)
{
    uint64_t wide[BLOCK_COUNT];

    if (c->second == NULL && !c->checks && !c->is_in_place) {
        c->first(in, out, count);
        return -1;
    }
    c->first(in, wide, count);
    if (c->checks) {
        int64_t bad = check_wide(c, wide, count);

        if (bad >= 0 || out == NULL) {
            return bad;
        }
    }
    if (c->second != NULL) {
        c->second(wide, out, count);
    } else {
        memcpy(out, wide, count * c->to_bytes);
    }
    return -1;
}

/* Elements that grow in place are converted from the last block on: what is
 * before a block still stands when it is written. Once one doesn't fit nothing
 * is written any more, so that the first that doesn't stands, too. */
static int64_t
convert_blocks(const struct conversion *c, const char *in, char *out,
               size_t count)
{
    bool is_backward = c->is_in_place && c->to_bytes > c->from_bytes;
    size_t block_count = (count + BLOCK_COUNT - 1) / BLOCK_COUNT;
    int64_t first_bad = -1;

    for (size_t i = 0; i < block_count; i++) {
        size_t block = is_backward ? block_count - 1 - i : i;
        size_t begin = block * BLOCK_COUNT;
        size_t rest = count - begin;
        char *to = first_bad < 0 ? out + begin * c->to_bytes : NULL;
        int64_t bad = convert_block(c, in + begin * c->from_bytes, to,
                                    rest < BLOCK_COUNT ? rest : BLOCK_COUNT);

        if (bad >= 0) {
            first_bad = (int64_t)begin + bad;
            if (!is_backward) {
                break;
            }
        }
    }
    return first_bad;
}

int64_t
dtx_convert(enum dtx_dtype from, enum dtx_dtype to, const void *in, void *out,
            size_t count)
{
    struct conversion c;

    assert(dtx_convert_is_possible(from, to));
    if (is_complex(from)) {
        count *= 2;
    }
    from = part_of(from);
    to = part_of(to);
    if (from == to) {
        memmove(out, in, count * dtx_dtype_size(from));
        return -1;
    }
    c = conversion_make(from, to);
    c.is_in_place = in == out;
    return convert_blocks(&c, in, out, count);
}
