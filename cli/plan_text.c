/*
 * The plan as something to look at.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "plan_output.h"
#include "table.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/size.h"

enum { BUSIEST_MAX = 4, SECONDS_TEXT = 32 };

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
    if (totals->object_count > 0) {
        dtx_text_format(
            text, "  and %" PRId64 " other object%s, copied whole\n",
            totals->object_count, totals->object_count == 1 ? "" : "s");
    }
    if (totals->excluded_count > 0) {
        dtx_text_format(
            text, "  without %" PRId64 " tensor%s left out by name\n",
            totals->excluded_count, totals->excluded_count == 1 ? "" : "s");
    }
    if (totals->converted_count > 0 || totals->renamed_count > 0) {
        dtx_text_format(text,
                        "  %" PRId64 " converted to another dtype, %" PRId64
                        " renamed\n",
                        totals->converted_count, totals->renamed_count);
    }
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

static void
add_strategies(struct dtx_text *text, const struct dtx_plan *plan)
{
    enum dtx_strategy chosen = dtx_plan_options(plan)->strategy;
    char seconds[SECONDS_TEXT];
    struct table table;
    int row = 1; /* the head */
    int marked = 0;

    table_begin(&table, "lrrrr");
    table_add(&table, "strategy");
    table_add(&table, "read");
    table_add(&table, "moved");
    table_add(&table, "memory/proc");
    table_add(&table, "predicted");
    for (int s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        enum dtx_strategy strategy = (enum dtx_strategy)s;
        const struct dtx_strategy_cost *cost =
            dtx_plan_strategy_cost(plan, strategy);

        if (!cost->is_known) {
            continue;
        }
        row++;
        marked = strategy == chosen ? row : marked;
        table_add(&table, dtx_strategy_name(strategy));
        table_add_bytes(&table, cost->read);
        table_add_bytes(&table, cost->moved);
        table_add_bytes(&table, cost->memory);
        table_add(&table, format_seconds(cost->seconds, seconds));
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

static void
add_totals(struct dtx_text *text, const struct dtx_plan *plan)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    struct table table;

    table_begin(&table, "lr");
    table_add(&table, "read");
    table_add_bytes(&table, totals->read);
    table_add(&table, "in place");
    table_add_bytes(&table, totals->kept);
    table_add(&table, "moved");
    table_add_bytes(&table, totals->moved);
    table_add(&table, "written");
    table_add_bytes(&table, totals->written);
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
