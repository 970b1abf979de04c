#include "engine/combine.h"

#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

enum { GATHER_BYTES = 4 << 20 }; /* at a time, of all processes */

/* One piece, which all processes have in one order. */
static enum dtx_status
combine_piece(struct dtx_transport *transport, uint64_t *values, size_t count,
              struct dtx_error *err)
{
    size_t total = count * (size_t)transport->process_count, i;
    char *bytes = NULL;
    enum dtx_status status = transport->ops->gather(
        transport, values, count * sizeof *values, NULL, &bytes, err);

    if (status != DTX_OK) {
        return status;
    }
    memset(values, 0, count * sizeof *values);
    for (i = 0; i < total; i++) {
        uint64_t value;

        memcpy(&value, bytes + i * sizeof value, sizeof value);
        values[i % count] ^= value;
    }
    dtx_free(bytes);
    return DTX_OK;
}

enum dtx_status
engine_combine(struct dtx_transport *transport, uint64_t *values, size_t count,
               struct dtx_error *err)
{
    size_t piece =
        GATHER_BYTES / sizeof *values / (size_t)transport->process_count + 1;
    enum dtx_status status = DTX_OK;
    size_t at;

    for (at = 0; at < count && status == DTX_OK; at += piece) {
        size_t length = count - at < piece ? count - at : piece;

        status = combine_piece(transport, values + at, length, err);
    }
    return status;
}

enum dtx_status
engine_gather(struct dtx_transport *transport, enum dtx_status status,
              const void *bytes, size_t size, char **all_out, size_t *total_out,
              struct dtx_error *err)
{
    size_t process_count = (size_t)transport->process_count;
    size_t *counts = dtx_alloc(process_count, sizeof *counts);
    size_t total = 0, i;

    if (status == DTX_OK && counts == NULL) {
        status = dtx_error_memory(err);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = transport->ops->gather(transport, bytes, size, counts, all_out,
                                        err);
    }
    for (i = 0; i < process_count && status == DTX_OK; i++) {
        total += counts[i];
    }
    dtx_free(counts);
    *total_out = total;
    return status;
}

/* The numbers of the flags that are set; NULL when out of memory. */
static size_t *
list_flags(const bool *flags, size_t count, size_t *set_out)
{
    size_t set = 0, i;
    size_t *numbers;

    for (i = 0; i < count; i++) {
        set += flags[i];
    }
    numbers = dtx_alloc(set, sizeof *numbers);
    *set_out = set;
    for (i = count; i > 0 && numbers != NULL; i--) {
        if (flags[i - 1]) {
            numbers[--set] = i - 1;
        }
    }
    return numbers;
}

enum dtx_status
engine_combine_flags(struct dtx_transport *transport, bool *flags, size_t count,
                     struct dtx_error *err)
{
    size_t own, total, number, i;
    size_t *numbers = list_flags(flags, count, &own);
    char *bytes = NULL;
    enum dtx_status status = engine_gather(
        transport, numbers == NULL ? dtx_error_memory(err) : DTX_OK, numbers,
        own * sizeof *numbers, &bytes, &total, err);

    for (i = 0; i < total; i += sizeof number) {
        memcpy(&number, bytes + i, sizeof number);
        flags[number] = true;
    }
    dtx_free(bytes);
    dtx_free(numbers);
    return status;
}

enum dtx_status
engine_sum(struct dtx_transport *transport, uint64_t value, uint64_t *sum_out,
           struct dtx_error *err)
{
    char *bytes = NULL;
    enum dtx_status status = transport->ops->gather(
        transport, &value, sizeof value, NULL, &bytes, err);
    int i;

    if (status != DTX_OK) {
        return status;
    }
    *sum_out = 0;
    for (i = 0; i < transport->process_count; i++) {
        memcpy(&value, bytes + (size_t)i * sizeof value, sizeof value);
        *sum_out += value;
    }
    dtx_free(bytes);
    return DTX_OK;
}
