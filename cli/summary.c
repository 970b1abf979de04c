#include "summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "output.h"
#include "table.h"
#include "util/size.h"

static void
add_bytes(struct table *table, const char *head, uint64_t bytes, double seconds)
{
    char rate[DTX_SIZE_TEXT];

    table_add(table, head);
    table_add_bytes(table, bytes);
    if (bytes > 0 && seconds > 0) {
        table_format(
            table, "%s/s",
            dtx_size_format((uint64_t)((double)bytes / seconds), rate));
    } else {
        table_add(table, "");
    }
}

static void
add_counts(struct dtx_text *text, const struct dtx_plan_totals *totals,
           const struct dtx_reshard_summary *summary)
{
    if (summary->resumed > 0) {
        dtx_text_format(text,
                        "  %" PRId64 " of the tensors by an earlier run\n",
                        summary->resumed);
    }
    if (totals->object_count > 0) {
        dtx_text_format(text, "  %" PRId64 " other object%s copied whole\n",
                        totals->object_count,
                        totals->object_count == 1 ? "" : "s");
    }
    if (totals->converted_count > 0) {
        dtx_text_format(text, "  %" PRId64 " tensor%s converted\n",
                        totals->converted_count,
                        totals->converted_count == 1 ? "" : "s");
    }
    if (totals->renamed_count > 0) {
        dtx_text_format(text, "  %" PRId64 " tensor%s renamed\n",
                        totals->renamed_count,
                        totals->renamed_count == 1 ? "" : "s");
    }
}

static double
predicted_seconds(const struct dtx_plan *plan)
{
    return dtx_plan_strategy_cost(plan, dtx_plan_options(plan)->strategy)
        ->seconds;
}

enum dtx_status
summary_print_text(const struct dtx_plan *plan,
                   const struct dtx_reshard_summary *summary,
                   struct dtx_error *err)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    char size[DTX_SIZE_TEXT];
    struct dtx_text text = {0};
    struct table table;

    dtx_text_format(&text,
                    "dtx reshard   %" PRId64 " tensor%s, %s, in %" PRIu64
                    " file%s by %d process%s, %s\n",
                    totals->tensor_count, totals->tensor_count == 1 ? "" : "s",
                    dtx_size_format(totals->logical, size), summary->files,
                    summary->files == 1 ? "" : "s", options->process_count,
                    options->process_count == 1 ? "" : "es",
                    dtx_strategy_name(options->strategy));
    table_begin(&table, "lrr");
    add_bytes(&table, "read", summary->read, summary->seconds);
    add_bytes(&table, "in place", summary->kept, 0);
    add_bytes(&table, "moved", summary->moved, summary->seconds);
    add_bytes(&table, "written", summary->written, summary->seconds);
    if (summary->read_back > 0) {
        add_bytes(&table, "read back", summary->read_back, 0);
    }
    table_draw(&table, 0, &text);
    add_counts(&text, totals, summary);
    dtx_text_format(&text,
                    "  %.2f s, predicted %.2f s; at most %.2f s reading, "
                    "%.2f s writing, %.2f s waiting for messages\n",
                    summary->seconds, predicted_seconds(plan),
                    summary->read_seconds, summary->write_seconds,
                    summary->wait_seconds);
    return output_text(&text, err);
}

enum dtx_status
summary_print_json(const struct dtx_plan *plan,
                   const struct dtx_reshard_summary *summary,
                   struct dtx_error *err)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    json_string(&json, "dtx", "1");
    json_string(&json, "strategy", dtx_strategy_name(options->strategy));
    json_string(&json, "transport", "mpi");
    json_int(&json, "processes", options->process_count);
    json_int(&json, "tensors", totals->tensor_count);
    json_int(&json, "objects", totals->object_count);
    json_int(&json, "converted", totals->converted_count);
    json_int(&json, "renamed", totals->renamed_count);
    json_uint(&json, "files", summary->files);
    json_int(&json, "resumed", summary->resumed);
    json_object(&json, "bytes");
    json_uint(&json, "logical", totals->logical);
    json_uint(&json, "read", summary->read);
    json_uint(&json, "kept", summary->kept);
    json_uint(&json, "moved", summary->moved);
    json_uint(&json, "written", summary->written);
    json_uint(&json, "read_back", summary->read_back);
    json_object_end(&json);
    json_object(&json, "seconds");
    json_real(&json, "total", summary->seconds);
    json_real(&json, "read", summary->read_seconds);
    json_real(&json, "write", summary->write_seconds);
    json_real(&json, "wait", summary->wait_seconds);
    json_real(&json, "predicted", predicted_seconds(plan));
    json_object_end(&json);
    return json_end(&json, err);
}
