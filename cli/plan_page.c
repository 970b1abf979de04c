#include "plan_page.h"

#include <string.h>

#include "json.h"
#include "plan_output.h"
#include "plan_page_internal.h"
#include "util/error.h"

/* Bars beyond this would be thinner than a pixel. */
enum { BARS_MOST = 512 };

extern const char plan_page_html[]; /* made of plan_page.html */

/* Where the document goes in the page. */
static const char place[] = "@PLAN@";

static void
add_side(struct json *json, const char *key, const struct dtx_layout *layout)
{
    struct dtx_text mesh = {0};

    plan_add_mesh(&mesh, layout);
    json_object(json, key);
    json_string(json, "file", dtx_layout_file_name(layout));
    json_string(json, "path", dtx_layout_path(layout));
    json_string(json, "mesh", mesh.failed ? "" : mesh.data);
    json_int(json, "ranks", dtx_layout_rank_count(layout));
    json_object_end(json);
    dtx_text_finish(&mesh);
}

static void
add_totals(struct json *json, const struct dtx_plan *plan)
{
    const struct dtx_plan_totals *t = dtx_plan_totals(plan);
    const struct dtx_plan_certificate *c = dtx_plan_certificate(plan);

    json_object(json, "totals");
    json_int(json, "tensors", t->tensor_count);
    json_int(json, "objects", t->object_count);
    json_int(json, "converted", t->converted_count);
    json_int(json, "renamed", t->renamed_count);
    json_uint(json, "logical", t->logical);
    json_uint(json, "kept", t->kept);
    plan_add_claim(json, "read", &c->read);
    json_uint(json, "moved", t->moved);
    json_uint(json, "moved_at_least", t->moved_at_least);
    plan_add_claim(json, "busiest", &c->busiest);
    plan_add_claim(json, "written", &c->written);
    json_object_end(json);
}

static void
add_strategy(struct json *json, const struct dtx_plan *plan,
             enum dtx_strategy strategy)
{
    const struct dtx_strategy_cost *c = dtx_plan_strategy_cost(plan, strategy);

    if (!c->is_known) {
        return;
    }
    json_object(json, NULL);
    json_string(json, "name", dtx_strategy_name(strategy));
    json_bool(json, "chosen", strategy == dtx_plan_options(plan)->strategy);
    json_int(json, "tensors", c->tensor_count);
    json_uint(json, "read", c->read);
    json_uint(json, "moved", c->moved);
    json_uint(json, "memory", c->memory);
    json_real(json, "seconds", c->seconds);
    json_object(json, "stages");
    json_real(json, "setup", c->stages.setup);
    json_real(json, "read", c->stages.read);
    json_real(json, "travel", c->stages.travel);
    json_real(json, "write", c->stages.write);
    json_object_end(json);
    json_object_end(json);
}

static void
add_strategies(struct json *json, const struct dtx_plan *plan)
{
    json_array(json, "strategies");
    for (int s = 0; s < DTX_STRATEGY_COUNT; s++) {
        if (s != DTX_STRATEGY_AUTO ||
            dtx_plan_options(plan)->strategy == DTX_STRATEGY_AUTO) {
            add_strategy(json, plan, (enum dtx_strategy)s);
        }
    }
    json_array_end(json);
}

static void
add_changes(struct json *json, const struct dtx_plan *plan)
{
    json_array(json, "changes");
    for (int i = 0; i < dtx_plan_change_count(plan); i++) {
        const struct dtx_plan_change *c = dtx_plan_change(plan, i);

        json_object(json, NULL);
        json_string(json, "from", c->from);
        json_string(json, "to", c->to);
        json_int(json, "tensors", c->tensor_count);
        json_uint(json, "logical", c->logical);
        json_uint(json, "moved", c->moved);
        json_uint(json, "kept", c->kept);
        json_object_end(json);
    }
    json_array_end(json);
}

/* ---------------------------------------------------------------- bars */

enum bar { BAR_READ, BAR_KEPT, BAR_SENT, BAR_RECEIVED, BAR_WRITTEN, BAR_COUNT };

static uint64_t
bar_value(const struct dtx_process_cost *cost, enum bar bar)
{
    const uint64_t values[] = {cost->read, cost->kept, cost->sent,
                               cost->received, cost->written};

    return values[bar];
}

/* One kind of bar: for each group of processes [sum, most]. */
static void
add_bars(struct json *json, const struct dtx_plan *plan, const char *name,
         enum bar bar, int group)
{
    const struct dtx_process_cost *costs = dtx_plan_processes(plan);
    int count = dtx_plan_options(plan)->process_count;

    json_array(json, name);
    for (int first = 0; first < count; first += group) {
        uint64_t sum = 0, most = 0;

        for (int p = first; p < first + group && p < count; p++) {
            uint64_t value = bar_value(&costs[p], bar);

            sum += value;
            most = value > most ? value : most;
        }
        json_array(json, NULL);
        json_uint(json, NULL, sum);
        json_uint(json, NULL, most);
        json_array_end(json);
    }
    json_array_end(json);
}

static void
add_processes(struct json *json, const struct dtx_plan *plan)
{
    static const char *const names[BAR_COUNT] = {"read", "in place", "sent",
                                                 "received", "written"};
    int count = dtx_plan_options(plan)->process_count;
    int group = (count + BARS_MOST - 1) / BARS_MOST;

    json_object(json, "processes");
    json_int(json, "count", count);
    json_int(json, "group", group);
    json_object(json, "bars");
    for (int b = 0; b < BAR_COUNT; b++) {
        add_bars(json, plan, names[b], (enum bar)b, group);
    }
    json_object_end(json);
    json_object_end(json);
}

/* ---------------------------------------------------------------- page */

static enum dtx_status
add_document(struct json *json, const struct dtx_plan *plan,
             const struct inputs *inputs, struct dtx_error *err)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);
    enum dtx_status status;

    json_string(json, "dtx", "1");
    json_string(json, "strategy", dtx_strategy_name(options->strategy));
    json_string(json, "map", dtx_map_name(options->map));
    json_uint(json, "memory", options->memory_bytes);
    add_side(json, "from", inputs->source);
    add_side(json, "to", inputs->target);
    add_totals(json, plan);
    add_strategies(json, plan);
    add_changes(json, plan);
    add_processes(json, plan);
    status = page_add_traffic(json, plan, err);
    return status == DTX_OK ? page_add_tensors(json, plan, err) : status;
}

enum dtx_status
plan_write_page(const struct dtx_plan *plan, const struct inputs *inputs,
                const char *path, struct dtx_error *err)
{
    const char *after = strstr(plan_page_html, place);
    size_t before_length = (size_t)(after - plan_page_html);
    struct json json;
    struct dtx_error end_error = {0};
    enum dtx_status end_status;
    enum dtx_status status =
        json_begin_page(&json, path, plan_page_html, before_length, err);

    if (status != DTX_OK) {
        return status;
    }
    after += sizeof(place) - 1;
    status = add_document(&json, plan, inputs, err);
    end_status = json_end_page(&json, after, &end_error);
    if (status == DTX_OK && end_status != DTX_OK) {
        *err = end_error;
        status = end_status;
    }
    return status;
}
