#include "scale.h"

#include <stdlib.h>

#include "util/math.h"

void
scale_init(struct scale *scale)
{
    for (int d = 0; d < DTX_NDIM_MAX; d++) {
        scale->factors[d] = 1;
    }
}

/* A whole number >= least; *text moves past it. */
static bool
parse_number(const char **text, long long least, long long *out)
{
    char *end;

    if (**text < '0' || **text > '9') {
        return false;
    }
    *out = strtoll(*text, &end, 10);
    *text = end;
    return *out >= least && *out < 1LL << 40;
}

bool
scale_parse(const char *text, struct scale *scale_out)
{
    struct scale scale;
    long long dim;
    long long factor;

    scale_init(&scale);
    if (!parse_number(&text, 0, &dim)) {
        return false;
    }
    if (*text == '\0') {
        for (int d = 0; d < DTX_NDIM_MAX; d++) {
            scale.factors[d] = dim;
        }
        *scale_out = scale;
        return dim >= 1;
    }
    for (;;) {
        if (dim >= DTX_NDIM_MAX || *text++ != ':' ||
            !parse_number(&text, 1, &factor)) {
            return false;
        }
        scale.factors[dim] = factor;
        if (*text == '\0') {
            *scale_out = scale;
            return true;
        }
        if (*text++ != ',' || !parse_number(&text, 0, &dim)) {
            return false;
        }
    }
}

int64_t
scale_extent(const struct scale *scale, int dim, int64_t extent)
{
    return dtx_ceil_div(extent, scale->factors[dim]);
}

bool
scale_is_uniform(const struct scale *scale)
{
    for (int d = 1; d < DTX_NDIM_MAX; d++) {
        if (scale->factors[d] != scale->factors[0]) {
            return false;
        }
    }
    return true;
}
