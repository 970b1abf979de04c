/*
 * The list of transfers: made for millions of lines, so that they are put
 * together by hand.
 */
#include <string.h>

#include <dtx/plan.h>

#include "json.h"
#include "output.h"
#include "plan_output.h"
#include "util/error.h"
#include "util/text.h"
#include "util/utf8.h"

enum {
    NUMBER_TEXT = 20,
    NDIM_MAX = 32,
    /* Everything but the name: keys, and at most 5 + 2 * NDIM_MAX numbers. */
    LINE_TEXT = 160 + (5 + 2 * NDIM_MAX) * (NUMBER_TEXT + 2),
};

struct writer {
    struct output output;
    struct dtx_text clean; /* scratch for names */
    struct dtx_text name;  /* in quotes, escaped */
};

static char *
put_text(char *at, const char *string, size_t length)
{
    memcpy(at, string, length);
    return at + length;
}

#define PUT(at, literal) put_text(at, literal, sizeof(literal) - 1)

static char *
put_number(char *at, uint64_t number)
{
    char digits[NUMBER_TEXT];
    char *first = digits + NUMBER_TEXT;

    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return put_text(at, first, (size_t)(digits + NUMBER_TEXT - first));
}

static char *
put_indices(char *at, int ndim, const int64_t *indices)
{
    *at++ = '[';
    for (int d = 0; d < ndim; d++) {
        if (d > 0) {
            at = PUT(at, ", ");
        }
        at = put_number(at, (uint64_t)indices[d]);
    }
    *at++ = ']';
    return at;
}

/* Names hold few characters that JSON wants escaped. */
static void
quote_name(struct writer *writer, const char *name)
{
    size_t length;

    writer->clean.length = 0;
    writer->name.length = 0;
    json_clean(&writer->clean, name);
    dtx_text_add_bytes(&writer->name, "\"", 1);
    for (size_t i = 0; i < writer->clean.length; i += length) {
        const char *at = writer->clean.data + i;
        uint32_t code;

        length = dtx_utf8_decode(at, &code);
        if (!json_is_escaped(code)) {
            dtx_text_add_bytes(&writer->name, at, length);
        } else {
            dtx_text_format(&writer->name, "\\u%04x", code);
        }
    }
    dtx_text_add_bytes(&writer->name, "\"", 1);
}

static bool
write_line(const struct dtx_transfer *transfer, void *context)
{
    struct writer *writer = context;
    struct output *output = &writer->output;
    char line[LINE_TEXT];
    char *at = line;

    quote_name(writer, transfer->tensor);
    if (writer->name.failed || writer->clean.failed || output->failure != 0) {
        return false;
    }
    output_add(output, "{\"tensor\": ", 11);
    output_add(output, writer->name.data, writer->name.length);
    at = PUT(at, ", \"src_rank\": ");
    at = put_number(at, (uint64_t)transfer->src_rank);
    at = PUT(at, ", \"dst_rank\": ");
    at = put_number(at, (uint64_t)transfer->dst_rank);
    at = PUT(at, ", \"src_process\": ");
    at = put_number(at, (uint64_t)transfer->src_process);
    at = PUT(at, ", \"dst_process\": ");
    at = put_number(at, (uint64_t)transfer->dst_process);
    at = PUT(at, ", \"begin\": ");
    at = put_indices(at, transfer->ndim, transfer->begin);
    at = PUT(at, ", \"end\": ");
    at = put_indices(at, transfer->ndim, transfer->end);
    at = PUT(at, ", \"bytes\": ");
    at = put_number(at, transfer->bytes);
    at = PUT(at, "}\n");
    output_add(output, line, (size_t)(at - line));
    return true;
}

enum dtx_status
plan_write_transfers(const struct dtx_plan *plan, const char *path,
                     struct dtx_error *err)
{
    struct writer writer = {0};
    struct dtx_error close_error = {0};
    enum dtx_status close_status;
    enum dtx_status status = output_open(&writer.output, path, err);

    if (status != DTX_OK || writer.output.fd < 0) {
        return status;
    }
    status = dtx_plan_each_transfer(plan, write_line, &writer, err);
    if (status == DTX_OK && (writer.name.failed || writer.clean.failed)) {
        status = dtx_error_memory(err);
    }
    close_status = output_close(&writer.output, &close_error);
    if (status == DTX_OK && close_status != DTX_OK) {
        *err = close_error;
        status = close_status;
    }
    dtx_text_finish(&writer.name);
    dtx_text_finish(&writer.clean);
    return status;
}
