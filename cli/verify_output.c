#include "verify_output.h"

#include <inttypes.h>

#include "json.h"
#include "output.h"
#include "table.h"
#include "util/size.h"

static void
add_totals(struct dtx_text *text, const struct dtx_verification_totals *totals)
{
    char size[DTX_SIZE_TEXT];

    dtx_text_format(text,
                    "dtx verify   %" PRId64 " tensor%s, %" PRId64
                    " cop%s in %" PRId64 " file%s; %s read in %.2f s\n",
                    totals->tensor_count, totals->tensor_count == 1 ? "" : "s",
                    totals->copy_count, totals->copy_count == 1 ? "y" : "ies",
                    totals->file_count, totals->file_count == 1 ? "" : "s",
                    dtx_size_format(totals->bytes, size), totals->seconds);
    if (totals->digest_count < totals->tensor_count) {
        dtx_text_format(text, "  %" PRId64 " without a digest\n",
                        totals->tensor_count - totals->digest_count);
    }
}

static void
add_finding(struct table *table, const struct dtx_finding *finding)
{
    table_add(table, finding->tensor != NULL ? finding->tensor : "-");
    if (finding->rank < 0) {
        table_add(table, "-");
    } else {
        table_add_count(table, finding->rank);
    }
    table_add(table, finding->file != NULL ? finding->file : "-");
    table_add(table, finding->message);
}

enum dtx_status
verification_print_text(const struct dtx_verification *verification,
                        struct dtx_error *err)
{
    int count = dtx_verification_finding_count(verification);
    struct dtx_text text = {0};
    struct table table;

    add_totals(&text, dtx_verification_totals(verification));
    if (count == 0) {
        dtx_text_add(&text, "  all is as it was written\n");
        return output_text(&text, err);
    }
    table_begin(&table, "lrll");
    table_add(&table, "tensor");
    table_add(&table, "rank");
    table_add(&table, "file");
    table_add(&table, "damage");
    for (int i = 0; i < count; i++) {
        add_finding(&table, dtx_verification_finding(verification, i));
    }
    dtx_text_add(&text, "\n");
    table_draw(&table, 0, &text);
    return output_text(&text, err);
}

enum dtx_status
verification_print_json(const struct dtx_verification *verification,
                        struct dtx_error *err)
{
    const struct dtx_verification_totals *totals =
        dtx_verification_totals(verification);
    int count = dtx_verification_finding_count(verification);
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    json_string(&json, "dtx", "1");
    json_bool(&json, "sound", count == 0);
    json_int(&json, "tensors", totals->tensor_count);
    json_int(&json, "digests", totals->digest_count);
    json_int(&json, "copies", totals->copy_count);
    json_int(&json, "files", totals->file_count);
    json_uint(&json, "bytes", totals->bytes);
    json_real(&json, "seconds", totals->seconds);
    json_array(&json, "findings");
    for (int i = 0; i < count; i++) {
        const struct dtx_finding *finding =
            dtx_verification_finding(verification, i);

        json_object(&json, NULL);
        if (finding->tensor != NULL) {
            json_string(&json, "tensor", finding->tensor);
        }
        if (finding->rank >= 0) {
            json_int(&json, "rank", finding->rank);
        }
        if (finding->file != NULL) {
            json_string(&json, "file", finding->file);
        }
        json_string(&json, "damage", finding->message);
        json_object_end(&json);
    }
    json_array_end(&json);
    return json_end(&json, err);
}
