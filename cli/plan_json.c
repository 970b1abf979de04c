/*
 * The plan as one JSON document. Keys are added, never changed.
 */
#include "accounts.h"
#include "json.h"
#include "plan_output.h"

static void
add_hosts(struct json *json, const char *key, int rank_count,
          const int *processes)
{
    json_array(json, key);
    for (int i = 0; i < rank_count; i++) {
        json_int(json, NULL, processes[i]);
    }
    json_array_end(json);
}

static void
add_totals(struct json *json, const struct dtx_plan_totals *totals)
{
    json_object(json, "bytes");
    json_uint(json, "logical", totals->logical);
    json_uint(json, "read", totals->read);
    json_uint(json, "kept", totals->kept);
    json_uint(json, "moved", totals->moved);
    json_uint(json, "written", totals->written);
    json_uint(json, "moved_at_least", totals->moved_at_least);
    json_object_end(json);
}

static void
add_map(struct json *json, const struct dtx_plan *plan)
{
    const struct dtx_map_gain *gain = dtx_plan_map_gain(plan);
    enum dtx_map map = dtx_plan_options(plan)->map;

    json_object(json, "map");
    json_string(json, "name", dtx_map_name(map));
    if (map == DTX_MAP_AUTO) {
        json_uint(json, "saved", gain->saved);
    }
    if (map == DTX_MAP_AUTO && gain->saved_at_most != UINT64_MAX) {
        json_uint(json, "saved_at_most", gain->saved_at_most);
    }
    json_object_end(json);
}

static void
add_processes(struct json *json, const struct dtx_plan *plan)
{
    const struct dtx_process_cost *costs = dtx_plan_processes(plan);
    int count = dtx_plan_options(plan)->process_count;

    json_array(json, "per_process");
    for (int p = 0; p < count; p++) {
        json_object(json, NULL);
        json_int(json, "process", p);
        json_uint(json, "read", costs[p].read);
        json_uint(json, "kept", costs[p].kept);
        json_uint(json, "sent", costs[p].sent);
        json_uint(json, "received", costs[p].received);
        json_uint(json, "written", costs[p].written);
        json_uint(json, "memory", costs[p].memory);
        json_object_end(json);
    }
    json_array_end(json);
}

static void
add_strategies(struct json *json, const struct dtx_plan *plan)
{
    json_object(json, "strategies");
    for (int s = 0; s < DTX_STRATEGY_COUNT; s++) {
        enum dtx_strategy strategy = (enum dtx_strategy)s;
        const struct dtx_strategy_cost *cost;

        if (strategy == DTX_STRATEGY_AUTO) {
            continue;
        }
        cost = dtx_plan_strategy_cost(plan, strategy);
        if (!cost->is_known) {
            continue;
        }
        json_object(json, dtx_strategy_name(strategy));
        json_uint(json, "read", cost->read);
        json_uint(json, "moved", cost->moved);
        json_uint(json, "memory", cost->memory);
        json_real(json, "seconds", cost->seconds);
        json_object_end(json);
    }
    json_object_end(json);
}

/* How many tensors go by each strategy. */
static void
add_choice(struct json *json, const struct dtx_plan *plan)
{
    json_object(json, "chosen");
    for (int s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        enum dtx_strategy strategy = (enum dtx_strategy)s;
        int64_t count = dtx_plan_strategy_cost(plan, strategy)->tensor_count;

        if (count > 0) {
            json_int(json, dtx_strategy_name(strategy), count);
        }
    }
    json_object_end(json);
    json_real(json, "seconds",
              dtx_plan_strategy_cost(plan, dtx_plan_options(plan)->strategy)
                  ->seconds);
}

void
plan_add_claim(struct json *json, const char *name,
               const struct dtx_plan_claim *claim)
{
    json_object(json, name);
    json_uint(json, "bytes", claim->bytes);
    json_uint(json, "at_least", claim->at_least);
    json_object_end(json);
}

/* What no schedule could beat, beside what this one does. */
static void
add_certificate(struct json *json, const struct dtx_plan *plan)
{
    const struct dtx_plan_certificate *c = dtx_plan_certificate(plan);

    json_object(json, "certificate");
    plan_add_claim(json, "read", &c->read);
    plan_add_claim(json, "moved", &c->moved);
    plan_add_claim(json, "busiest", &c->busiest);
    plan_add_claim(json, "written", &c->written);
    json_object_end(json);
}

void
plan_add_head(struct json *json, const struct dtx_plan *plan)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);

    json_string(json, "dtx", "1");
    json_string(json, "strategy", dtx_strategy_name(options->strategy));
    json_string(json, "transport", dtx_carrier_name(options->transport));
    json_string(json, "device", dtx_device_kind_name(options->device));
    json_int(json, "processes", options->process_count);
    json_int(json, "tensors", dtx_plan_totals(plan)->tensor_count);
    accounts_json(json, plan);
}

enum dtx_status
plan_print_json(const struct dtx_plan *plan, const struct inputs *inputs,
                struct dtx_error *err)
{
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    plan_add_head(&json, plan);
    add_hosts(&json, "src_process", dtx_layout_rank_count(inputs->source),
              dtx_plan_source_processes(plan));
    add_hosts(&json, "dst_process", dtx_layout_rank_count(inputs->target),
              dtx_plan_target_processes(plan));
    add_map(&json, plan);
    add_totals(&json, dtx_plan_totals(plan));
    add_processes(&json, plan);
    add_strategies(&json, plan);
    add_choice(&json, plan);
    add_certificate(&json, plan);
    return json_end(&json, err);
}
