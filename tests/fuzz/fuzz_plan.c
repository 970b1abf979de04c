/*
 * Plans: any two layouts, a line of '=' between them, are planned for a fixed
 * table of tensors, or refused in words. The text decides on the options too.
 *
 * Small meshes only: the planner's work grows with them, and so does that of a
 * wrong guess. fuzz_cases.c has layouts that are right, and looks at the plan
 * element by element.
 */
#include <string.h>

#include <dtx/catalog.h>
#include <dtx/layout.h>
#include <dtx/plan.h>

#include "fuzz.h"
#include "layout/layout.h"

enum { POSITIONS_MOST = 64, PROCESSES_MOST = 5 };

static const char divider[] = "\n=====\n";

static struct dtx_diagnostics *list;

static struct dtx_layout *
parse(const char *text, enum dtx_role role)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    (void)!dtx_layout_parse(text, "layout.yaml", ".", role, list, &layout,
                            &err);
    return layout;
}

static const struct dtx_catalog *
tensors(void)
{
    static struct dtx_catalog *catalog;
    struct dtx_layout *layout;
    struct dtx_error err;

    if (catalog == NULL) {
        layout = parse("checkpoint: {path: a.h5}\ntensors: []\n"
                       "catalog: \"" FUZZ_TABLE "\"\n",
                       DTX_SOURCE);
        must(layout != NULL);
        must(dtx_catalog_load_table(layout, list, &catalog, &err) == DTX_OK);
        dtx_layout_destroy(layout);
    }
    return catalog;
}

/* FNV-1a. */
static uint64_t
hash(const char *text)
{
    uint64_t value = 0xcbf29ce484222325u;

    for (; *text != '\0'; text++) {
        value = (value ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return value;
}

static struct dtx_plan_options
choose(uint64_t number)
{
    static const uint64_t memory[] = {1 << 20, 64 << 10, 4 << 10, 700};

    return (struct dtx_plan_options){
        .strategy = (enum dtx_strategy)(number % DTX_STRATEGY_COUNT),
        .map = (enum dtx_map)(number / 8 % DTX_MAP_COUNT),
        .process_count = 1 + (int)(number / 64 % PROCESSES_MOST),
        .memory_bytes = memory[number / 1024 % 4]};
}

struct listing {
    int process_count;
    uint64_t bytes;
};

static bool
look(const struct dtx_transfer *t, void *context)
{
    struct listing *l = context;

    must(t->src_process >= 0 && t->src_process < l->process_count);
    must(t->dst_process >= 0 && t->dst_process < l->process_count);
    for (int dim = 0; dim < t->ndim; dim++) {
        must(t->begin[dim] >= 0 && t->begin[dim] < t->end[dim]);
    }
    must(t->bytes > 0);
    l->bytes += t->bytes;
    return true;
}

static void
check(const struct dtx_plan *plan, const struct dtx_plan_options *options)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    const struct dtx_process_cost *processes = dtx_plan_processes(plan);
    struct listing listing = {options->process_count, 0};
    uint64_t sent = 0, received = 0, written = 0;
    struct dtx_error err;

    for (int i = 0; i < options->process_count; i++) {
        sent += processes[i].sent;
        received += processes[i].received;
        written += processes[i].written;
        must(processes[i].memory <= options->memory_bytes);
    }
    must(sent == received && sent == totals->moved);
    must(written == totals->written);
    must(dtx_plan_each_transfer(plan, look, &listing, &err) == DTX_OK);
}

static void
make_plan(const struct dtx_layout *source, const struct dtx_layout *target,
          const struct dtx_plan_options *options)
{
    struct dtx_plan *plan = NULL;
    struct dtx_error err = {0};
    enum dtx_status status =
        dtx_plan_create(source, target, tensors(), options, list, &plan, &err);

    must((status == DTX_OK) == (plan != NULL));
    must(status == DTX_OK || status == DTX_ERR_INVALID ||
         status == DTX_ERR_SOURCE || status == DTX_ERR_LIMIT);
    must(status == DTX_OK || err.message[0] != '\0' ||
         dtx_diagnostics_error_count(list) > 0);
    if (plan != NULL) {
        check(plan, options);
    }
    dtx_plan_destroy(plan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *second = strstr(text, divider);
    struct dtx_plan_options options = choose(hash(text));
    struct dtx_layout *source, *target;

    if (second != NULL) {
        *second = '\0';
        list = dtx_diagnostics_create();
        tensors();
        source = parse(text, DTX_SOURCE);
        target = parse(second + sizeof divider - 1, DTX_TARGET);
        if (source != NULL && target != NULL &&
            source->mesh.position_count <= POSITIONS_MOST &&
            target->mesh.position_count <= POSITIONS_MOST) {
            make_plan(source, target, &options);
        }
        dtx_layout_destroy(source);
        dtx_layout_destroy(target);
        dtx_diagnostics_destroy(list);
    }
    free(text);
    return 0;
}
