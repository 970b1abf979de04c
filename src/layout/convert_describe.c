#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/convert.h"
#include "layout/convert_kernels.h"

enum { TEXT_BYTES = 64 };

/* Whole numbers in full, others in the fewest digits that read back as the
 * same element. */
static void
describe_float(enum dtx_dtype dtype, const void *element, char *text)
{
    size_t bytes = dtx_dtype_size(dtype);
    char again[sizeof(double)];
    double value;
    int digits;

    dtx_convert(dtype, DTX_FLOAT64, element, &value, 1);
    if (value >= -1e15 && value <= 1e15 && value == (double)(int64_t)value) {
        snprintf(text, TEXT_BYTES, "%.0f", value);
        return;
    }
    for (digits = 1; digits <= 17; digits++) {
        char shorter[TEXT_BYTES];
        double back;

        snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        back = strtod(shorter, NULL);
        dtx_convert(DTX_FLOAT64, dtype, &back, again, 1);
        strcpy(text, shorter);
        if (memcmp(again, element, bytes) == 0) {
            return;
        }
    }
}

static void
describe_complex(enum dtx_dtype dtype, const void *element, char *text)
{
    enum dtx_dtype part = dtype == DTX_COMPLEX64 ? DTX_FLOAT32 : DTX_FLOAT64;
    const char *parts = element;
    char real[TEXT_BYTES], imaginary[TEXT_BYTES];

    describe_float(part, parts, real);
    describe_float(part, parts + dtx_dtype_size(part), imaginary);
    snprintf(text, TEXT_BYTES, "%.30s%s%.30si", real,
             imaginary[0] == '-' ? "" : "+", imaginary);
}

void
dtx_convert_describe(enum dtx_dtype dtype, const void *element, char *text)
{
    uint64_t wide;

    switch (dtype) {
    case DTX_RAW:
    case DTX_DTYPE_COUNT:
        snprintf(text, TEXT_BYTES, "raw bytes");
        break;
    case DTX_FLOAT64:
    case DTX_FLOAT32:
    case DTX_FLOAT16:
    case DTX_BFLOAT16:
    case DTX_FLOAT8_E4M3FN:
    case DTX_FLOAT8_E5M2:
        describe_float(dtype, element, text);
        break;
    case DTX_INT64:
    case DTX_INT32:
    case DTX_INT16:
    case DTX_INT8:
        dtx_convert_to_wide(dtype)(element, &wide, 1);
        snprintf(text, TEXT_BYTES, "%" PRId64, (int64_t)wide);
        break;
    case DTX_UINT64:
    case DTX_UINT32:
    case DTX_UINT16:
    case DTX_UINT8:
        dtx_convert_to_wide(dtype)(element, &wide, 1);
        snprintf(text, TEXT_BYTES, "%" PRIu64, wide);
        break;
    case DTX_BOOL:
        dtx_convert_to_wide(dtype)(element, &wide, 1);
        snprintf(text, TEXT_BYTES, "%s", wide != 0 ? "true" : "false");
        break;
    case DTX_COMPLEX64:
    case DTX_COMPLEX128:
        describe_complex(dtype, element, text);
        break;
    }
}
