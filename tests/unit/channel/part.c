#include "part.h"

#include "../engine/crew.h"

struct dtx_layout *
layout_of(const char *placement, int size, enum dtx_dtype dtype)
{
    struct dtx_mesh_axis axis = {"a", size};
    struct dtx_axis_placement placed = {"a", placement};
    struct dtx_rule_spec rule = {.name = "**",
                                 .placement_count = placement != NULL,
                                 .placements = &placed,
                                 .dtype = dtype};
    struct dtx_layout_spec spec = {
        .axis_count = 1, .axes = &axis, .rule_count = 1, .rules = &rule};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *layout = NULL;
    struct dtx_error err;

    claim(dtx_layout_build(&spec, "made", list, &layout, &err) == DTX_OK, "%s",
          err.message);
    dtx_diagnostics_destroy(list);
    return layout;
}

/* Binds the arrays of all ranks that a process hosts at one end. */
static void
bind_end(struct part *part, int process, struct dtx_channel *channel,
         enum dtx_role role)
{
    const struct dtx_plan *plan = dtx_channel_plan(channel);
    const int *map = role == DTX_SOURCE ? dtx_plan_source_processes(plan)
                                        : dtx_plan_target_processes(plan);
    int size = role == DTX_SOURCE ? part->source_size : part->target_size;
    bool is_double = part->target_dtype == DTX_FLOAT64;

    for (int position = 0; position < size; position++) {
        int64_t shape;
        struct dtx_error err;
        struct dtx_array array = {
            .tensor = "t", .rank = position, .dtype = DTX_FLOAT32, .ndim = 1};

        if (map[position] != process) {
            continue;
        }
        claim(dtx_plan_shard_shape(plan, role, 0, position, &shape));
        array.shape = &shape;
        array.place = part->place;
        array.data = role == DTX_SOURCE ? (void *)part->given : part->got;
        if (role == DTX_TARGET && is_double) {
            array.dtype = DTX_FLOAT64;
            array.data = part->got_double;
        }
        if (role == DTX_TARGET && part->array_shape >= 0) {
            shape = part->array_shape;
        }
        (void)dtx_channel_bind(channel, role, &array, &err);
    }
}

static enum dtx_status
fail_to_read(void *context, const struct dtx_store_box *box, void *buffer,
             struct dtx_error *err)
{
    (void)box;
    (void)buffer;
    snprintf(err->message, sizeof err->message, "%s", (const char *)context);
    return DTX_ERR_SOURCE;
}

static void
work(struct crew_member *m)
{
    struct part *part = &((struct part *)m->context)[m->process];
    struct dtx_tensor_spec spec = {"t", DTX_FLOAT32, 1, &part->shape};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *source =
        part->source_size > 0
            ? layout_of(part->source_placement, part->source_size, DTX_RAW)
            : NULL;
    struct dtx_layout *target =
        part->target_size > 0 ? layout_of(part->target_placement,
                                          part->target_size, part->target_dtype)
                              : NULL;
    struct dtx_catalog *catalog = NULL;
    struct dtx_channel *channel = NULL;
    struct dtx_channel_options options = {.strategy = part->strategy};

    claim(dtx_catalog_create(&spec, 1, &catalog, &part->err) == DTX_OK);
    struct dtx_offer offer = {.source = source,
                              .catalog = catalog,
                              .source_map = part->source_map,
                              .target = target,
                              .target_map = part->target_map};

    part->status = dtx_channel_meet(&offer, m->transport, &options, list,
                                    &channel, &part->err);
    if (part->status == DTX_OK) {
        part->totals = *dtx_plan_totals(dtx_channel_plan(channel));
        part->cost = dtx_plan_processes(dtx_channel_plan(channel))[m->process];
        if (!part->has_no_array) {
            bind_end(part, m->process, channel, DTX_SOURCE);
            bind_end(part, m->process, channel, DTX_TARGET);
        }
        if (part->has_store) {
            struct dtx_store store = {.context = (void *)"the shelf is empty",
                                      .read = fail_to_read};

            dtx_channel_use_store(channel, DTX_SOURCE, &store);
        }
        part->status = dtx_channel_run(channel, &part->err);
    }
    dtx_channel_close(channel);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(source);
    dtx_layout_destroy(target);
    dtx_diagnostics_destroy(list);
}

void
run_parts(int count, struct part *parts)
{
    for (int p = 0; p < count; p++) {
        if (parts[p].array_shape == 0) {
            parts[p].array_shape = -1;
        }
    }
    crew_run(count, work, parts);
}
