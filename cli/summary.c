#include "summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "accounts.h"
#include "json.h"
#include "output.h"
#include "plan_output.h"
#include "table.h"
#include "util/size.h"

/* The three things that a process does at once. */
enum resource { READING, WRITING, WAITING, RESOURCE_COUNT };

/* All processes' seconds at one of them, and those of the busiest. */
struct use {
    double all, most;
};

static void
note(struct use *use, double seconds)
{
    use->all += seconds;
    use->most = seconds > use->most ? seconds : use->most;
}

static void
find_uses(const struct dtx_reshard_process *processes, int count,
          struct use *uses)
{
    int i;

    for (i = 0; i < count; i++) {
        note(&uses[READING], processes[i].read_seconds);
        note(&uses[WRITING], processes[i].write_seconds);
        note(&uses[WAITING], processes[i].wait_seconds);
    }
}

/* What takes longest; waiting is for others, and counts where both that can
 * be waited for are short. */
static enum resource
busiest_of(const struct use *uses)
{
    enum resource busy =
        uses[READING].most > uses[WRITING].most ? READING : WRITING;

    return uses[WAITING].most > 2 * uses[busy].most ? WAITING : busy;
}

static const char *
resource_name(enum resource resource)
{
    static const char *const names[] = {
        [READING] = "reading", [WRITING] = "writing", [WAITING] = "messages"};

    return names[resource];
}

static void
add_rate(struct table *table, uint64_t bytes, double seconds)
{
    char rate[DTX_SIZE_TEXT];

    if (bytes > 0 && seconds > 0) {
        table_format(
            table, "%s/s",
            dtx_size_format((uint64_t)((double)bytes / seconds), rate));
    } else {
        table_add(table, "");
    }
}

/* together  seconds of all of the run; alone: of processes at just this */
static void
add_bytes(struct table *table, const char *head, uint64_t bytes,
          double together, double alone)
{
    table_add(table, head);
    table_add_bytes(table, bytes);
    add_rate(table, bytes, together);
    add_rate(table, bytes, alone);
}

static void
add_work(struct dtx_text *text, const struct dtx_reshard_summary *summary,
         const struct use *uses)
{
    double seconds = summary->seconds;
    struct table table;

    table_begin(&table, "lrrr");
    table_add(&table, "");
    table_add(&table, "");
    table_add(&table, "together");
    table_add(&table, "a process alone");
    add_bytes(&table, "read", summary->read, seconds, uses[READING].all);
    add_bytes(&table, "in place", summary->kept, 0, 0);
    add_bytes(&table, "moved", summary->moved, seconds, 0);
    add_bytes(&table, "written", summary->written, seconds, uses[WRITING].all);
    if (summary->read_back > 0) {
        add_bytes(&table, "read back", summary->read_back, 0, 0);
    }
    table_draw(&table, 0, text);
}

static void
add_processes(struct dtx_text *text,
              const struct dtx_reshard_process *processes, int count)
{
    static const char *const heads[] = {"process",  "read",    "in place",
                                        "received", "written", "reading",
                                        "writing",  "waiting"};
    struct table table;
    int i;

    table_begin(&table, "lrrrrrrr");
    for (i = 0; i < (int)(sizeof heads / sizeof *heads); i++) {
        table_add(&table, heads[i]);
    }
    for (i = 0; i < count; i++) {
        const struct dtx_reshard_process *p = &processes[i];

        table_add_count(&table, i);
        table_add_bytes(&table, p->read);
        table_add_bytes(&table, p->kept);
        table_add_bytes(&table, p->received);
        table_add_bytes(&table, p->written);
        table_format(&table, "%.2f s", p->read_seconds);
        table_format(&table, "%.2f s", p->write_seconds);
        table_format(&table, "%.2f s", p->wait_seconds);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
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
                   const struct dtx_reshard_process *processes, bool is_verbose,
                   struct dtx_error *err)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    struct use uses[RESOURCE_COUNT] = {{0}};
    char size[DTX_SIZE_TEXT];
    struct dtx_text text = {0};

    dtx_text_format(&text,
                    "dtx reshard   %" PRId64 " tensor%s, %s, in %" PRIu64
                    " file%s by %d process%s, %s\n",
                    totals->tensor_count, totals->tensor_count == 1 ? "" : "s",
                    dtx_size_format(totals->logical, size), summary->files,
                    summary->files == 1 ? "" : "s", options->process_count,
                    options->process_count == 1 ? "" : "es",
                    dtx_strategy_name(options->strategy));
    find_uses(processes, options->process_count, uses);
    add_work(&text, summary, uses);
    if (summary->resumed > 0) {
        dtx_text_format(&text,
                        "  %" PRId64 " of the tensors by an earlier run\n",
                        summary->resumed);
    }
    accounts_text(&text, plan, summary);
    dtx_text_format(&text,
                    "  %.2f s, predicted %.2f s; busiest with %s: %.2f s "
                    "reading, %.2f s writing, %.2f s waiting for messages\n",
                    summary->seconds, predicted_seconds(plan),
                    resource_name(busiest_of(uses)), summary->read_seconds,
                    summary->write_seconds, summary->wait_seconds);
    if (is_verbose) {
        add_processes(&text, processes, options->process_count);
    }
    return output_text(&text, err);
}

static void
json_processes(struct json *json, const struct dtx_reshard_process *processes,
               int count)
{
    int i;

    json_array(json, "per_process");
    for (i = 0; i < count; i++) {
        const struct dtx_reshard_process *p = &processes[i];

        json_object(json, NULL);
        json_int(json, "process", i);
        json_uint(json, "read", p->read);
        json_uint(json, "kept", p->kept);
        json_uint(json, "received", p->received);
        json_uint(json, "written", p->written);
        json_real(json, "read_seconds", p->read_seconds);
        json_real(json, "write_seconds", p->write_seconds);
        json_real(json, "wait_seconds", p->wait_seconds);
        json_object_end(json);
    }
    json_array_end(json);
}

enum dtx_status
summary_print_json(const struct dtx_plan *plan,
                   const struct dtx_reshard_summary *summary,
                   const struct dtx_reshard_process *processes,
                   struct dtx_error *err)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    struct use uses[RESOURCE_COUNT] = {{0}};
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    plan_add_head(&json, plan);
    accounts_json_conversion(&json, plan, summary);
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
    find_uses(processes, options->process_count, uses);
    json_string(&json, "busiest", resource_name(busiest_of(uses)));
    json_processes(&json, processes, options->process_count);
    return json_end(&json, err);
}
