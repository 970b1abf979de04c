/*
 * The plan as something to look at.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "accounts.h"
#include "output.h"
#include "plan_output.h"
#include "table.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/size.h"

enum { BUSIEST_MAX = 4, SECONDS_TEXT = 32, DEVICE_TEXT = 256 };

void
plan_add_mesh(struct dtx_text *text, const struct dtx_layout *layout)
{
    int axis_count = dtx_layout_axis_count(layout);

    for (int a = 0; a < axis_count; a++) {
        dtx_text_format(text, "%s%s=%d", a > 0 ? " " : "",
                        dtx_layout_axis_name(layout, a),
                        dtx_layout_axis_size(layout, a));
    }
    if (axis_count == 0) {
        dtx_text_add(text, "no axes");
    }
}

static void
add_side(struct table *table, const char *head, const struct dtx_layout *layout)
{
    struct dtx_text mesh = {0};
    int rank_count = dtx_layout_rank_count(layout);

    plan_add_mesh(&mesh, layout);
    table_add(table, head);
    table_add(table, mesh.failed ? "" : mesh.data);
    table_format(table, "%d rank%s", rank_count, rank_count == 1 ? "" : "s");
    table_add(table, dtx_layout_path(layout));
    dtx_text_finish(&mesh);
}

/* What was asked for, and what this machine has of it. */
static void
add_device(struct dtx_text *text, const struct dtx_plan *plan)
{
    const struct dtx_plan_options *options = dtx_plan_options(plan);
    char found[DEVICE_TEXT];

    if (options->device == DTX_DEVICE_CUDA) {
        dtx_cuda_describe(found, sizeof found);
        dtx_text_format(text,
                        "  on device cuda, transport %s (CUDA here: %s)\n",
                        dtx_carrier_name(options->transport), found);
    }
}

static void
add_head(struct dtx_text *text, const struct dtx_plan *plan,
         const struct inputs *inputs)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    int process_count = dtx_plan_options(plan)->process_count;
    char size[DTX_SIZE_TEXT];
    struct table sides;

    dtx_text_format(text, "dtx plan   %" PRId64 " tensor%s, %s, %d process%s\n",
                    totals->tensor_count, totals->tensor_count == 1 ? "" : "s",
                    dtx_size_format(totals->logical, size), process_count,
                    process_count == 1 ? "" : "es");
    table_begin(&sides, "llll");
    add_side(&sides, "from", inputs->source);
    add_side(&sides, "to", inputs->target);
    table_draw(&sides, 0, text);
    add_device(text, plan);
    accounts_text(text, plan, NULL);
}

static void
add_changes(struct dtx_text *text, const struct dtx_plan *plan)
{
    int count = dtx_plan_change_count(plan);
    struct table table;

    if (count == 0) {
        return;
    }
    table_begin(&table, "lllrrrr");
    table_add(&table, "change");
    table_add(&table, "");
    table_add(&table, "");
    table_add(&table, "tensors");
    table_add(&table, "size");
    table_add(&table, "moved");
    table_add(&table, "in place");
    for (int i = 0; i < count; i++) {
        const struct dtx_plan_change *change = dtx_plan_change(plan, i);

        table_add(&table, change->from);
        table_add(&table, "->");
        table_add(&table, change->to);
        table_add_count(&table, change->tensor_count);
        table_add_bytes(&table, change->logical);
        table_add_bytes(&table, change->moved);
        table_add_bytes(&table, change->kept);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
}

static const char *
format_seconds(double seconds, char *text)
{
    if (seconds < 0.1) {
        snprintf(text, SECONDS_TEXT, "%.1f ms", seconds * 1e3);
    } else if (seconds < 600) {
        snprintf(text, SECONDS_TEXT, "%.1f s", seconds);
    } else {
        snprintf(text, SECONDS_TEXT, "%.0f min", seconds / 60);
    }
    return text;
}

void
plan_add_seconds(struct table *table, double seconds)
{
    char text[SECONDS_TEXT];

    table_add(table, format_seconds(seconds, text));
}

static void
add_strategy(struct table *table, const struct dtx_plan *plan,
             enum dtx_strategy strategy, bool has_counts)
{
    const struct dtx_strategy_cost *cost =
        dtx_plan_strategy_cost(plan, strategy);

    table_add(table, dtx_strategy_name(strategy));
    if (has_counts) {
        table_add_count(table, cost->tensor_count);
    }
    table_add_bytes(table, cost->read);
    table_add_bytes(table, cost->moved);
    table_add_bytes(table, cost->memory);
    plan_add_seconds(table, cost->seconds);
}

/* The one strategy by which all tensors go, or AUTO. */
static enum dtx_strategy
only_strategy(const struct dtx_plan *plan)
{
    int64_t tensor_count = dtx_plan_totals(plan)->tensor_count;

    for (int s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        enum dtx_strategy strategy = (enum dtx_strategy)s;

        if (dtx_plan_strategy_cost(plan, strategy)->tensor_count ==
            tensor_count) {
            return strategy;
        }
    }
    return DTX_STRATEGY_AUTO;
}

static void
add_strategies(struct dtx_text *text, const struct dtx_plan *plan)
{
    enum dtx_strategy only = only_strategy(plan);
    bool is_mixed = only == DTX_STRATEGY_AUTO;
    struct table table;
    int row = 1; /* the head */
    int marked = 0;

    table_begin(&table, is_mixed ? "lrrrrr" : "lrrrr");
    table_add(&table, "strategy");
    if (is_mixed) {
        table_add(&table, "tensors");
    }
    table_add(&table, "read");
    table_add(&table, "moved");
    table_add(&table, "memory/proc");
    table_add(&table, "predicted");
    for (int s = is_mixed ? 0 : 1; s < DTX_STRATEGY_COUNT; s++) {
        enum dtx_strategy strategy = (enum dtx_strategy)s;

        if (dtx_plan_strategy_cost(plan, strategy)->is_known) {
            row++;
            marked = strategy == only ? row : marked;
            add_strategy(&table, plan, strategy, is_mixed);
        }
    }
    dtx_text_add(text, "\n");
    table_draw(&table, marked, text);
}

/* What keeps a process busy: all bytes that go through it. */
static uint64_t
load_of(const struct dtx_process_cost *cost)
{
    return cost->read + cost->sent + cost->received + cost->written;
}

/* The processes with most to do, by selection: there are few of them, and
 * may be many to choose from. Returns how many. */
static int
find_busiest(const struct dtx_process_cost *costs, int count, int *busiest)
{
    int found = 0;

    for (int p = 0; p < count; p++) {
        int at = found < BUSIEST_MAX ? found++ : BUSIEST_MAX;

        while (at > 0 &&
               load_of(&costs[p]) > load_of(&costs[busiest[at - 1]])) {
            if (at < BUSIEST_MAX) {
                busiest[at] = busiest[at - 1];
            }
            at--;
        }
        if (at < BUSIEST_MAX) {
            busiest[at] = p;
        }
    }
    return found;
}

static void
add_processes(struct dtx_text *text, const struct dtx_plan *plan)
{
    static const char *const heads[] = {"read",     "in place", "sent",
                                        "received", "written",  "memory"};
    const struct dtx_process_cost *costs = dtx_plan_processes(plan);
    int process_count = dtx_plan_options(plan)->process_count;
    int busiest[BUSIEST_MAX];
    int count = find_busiest(costs, process_count, busiest);
    struct table table;

    table_begin(&table, "lrrrrrr");
    table_add(&table, count < process_count ? "busiest processes" : "process");
    for (int i = 0; i < 6; i++) {
        table_add(&table, heads[i]);
    }
    for (int i = 0; i < count; i++) {
        const struct dtx_process_cost *cost = &costs[busiest[i]];

        table_add_count(&table, busiest[i]);
        table_add_bytes(&table, cost->read);
        table_add_bytes(&table, cost->kept);
        table_add_bytes(&table, cost->sent);
        table_add_bytes(&table, cost->received);
        table_add_bytes(&table, cost->written);
        table_add_bytes(&table, cost->memory);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
}

/* A row of what is done and what can't be beaten. */
static void
add_claim(struct table *table, const char *name,
          const struct dtx_plan_claim *claim)
{
    uint64_t beyond = claim->bytes - claim->at_least;

    table_add(table, name);
    table_add_bytes(table, claim->bytes);
    table_add_bytes(table, claim->at_least);
    if (claim->bytes <= claim->at_least) {
        table_add(table, claim->bytes > 0 ? "optimal" : "");
    } else if (claim->at_least == 0) {
        table_add(table, "");
    } else {
        table_format(table, "within %.0f %%",
                     ceil(100.0 * (double)beyond / (double)claim->at_least));
    }
}

static void
add_totals(struct dtx_text *text, const struct dtx_plan *plan)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    const struct dtx_plan_certificate *c = dtx_plan_certificate(plan);
    struct table table;

    table_begin(&table, "lrrl");
    table_add(&table, "in all");
    table_add(&table, "");
    table_add(&table, "at least");
    table_add(&table, "");
    add_claim(&table, "read", &c->read);
    table_add(&table, "in place");
    table_add_bytes(&table, totals->kept);
    table_add(&table, "");
    table_add(&table, "");
    add_claim(&table, "moved", &c->moved);
    add_claim(&table, "busiest", &c->busiest);
    add_claim(&table, "written", &c->written);
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
}

/* What the map `auto` is good for. */
static void
add_gain(struct dtx_text *text, const struct dtx_plan *plan)
{
    const struct dtx_map_gain *gain = dtx_plan_map_gain(plan);
    uint64_t block = dtx_plan_totals(plan)->moved_at_least + gain->saved;
    char size[DTX_SIZE_TEXT];

    if (dtx_plan_options(plan)->map != DTX_MAP_AUTO ||
        dtx_plan_options(plan)->strategy == DTX_STRATEGY_DIRECT) {
        return;
    }
    if (gain->saved == 0) {
        dtx_text_add(text, "\n  map auto: nothing to gain over block\n");
        return;
    }
    dtx_text_format(text,
                    "\n  map auto: %s less must move than under block "
                    "(%.1f %%)%s\n",
                    dtx_size_format(gain->saved, size),
                    100 * (double)gain->saved / (double)block,
                    gain->saved_at_most == gain->saved
                        ? ", the most that a map can save"
                        : "");
}

enum dtx_status
plan_print_text(const struct dtx_plan *plan, const struct inputs *inputs,
                struct dtx_error *err)
{
    struct dtx_text text = {0};

    add_head(&text, plan, inputs);
    add_changes(&text, plan);
    add_totals(&text, plan);
    add_gain(&text, plan);
    add_strategies(&text, plan);
    add_processes(&text, plan);
    return output_text(&text, err);
}
