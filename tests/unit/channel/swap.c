#include "swap.h"

#include <string.h>

#include "../engine/values.h"
#include "device/double_device.h"
#include "support/claim.h"

enum { UNTOUCHED = 0xA5 };

/* ---------------------------------------------------------------- making */

static struct dtx_layout *
parse(const struct dtx_text *text, struct dtx_diagnostics *list)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};

    claim(dtx_layout_parse(text->data, "layout", ".", DTX_MEMORY, list, &layout,
                           &err) == DTX_OK,
          "%s\n%s", err.message, text->data);
    return layout;
}

static struct dtx_catalog *
make_catalog(const struct layout_case *text)
{
    struct dtx_tensor_spec specs[CASE_TENSORS_MOST];
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err = {0};

    for (int t = 0; t < text->tensor_count; t++) {
        specs[t] = (struct dtx_tensor_spec){.name = text->tensors[t].name,
                                            .dtype = text->tensors[t].src_dtype,
                                            .ndim = text->tensors[t].ndim,
                                            .shape = text->tensors[t].shape};
    }
    claim(dtx_catalog_create(specs, text->tensor_count, &catalog, &err) ==
              DTX_OK,
          "%s", err.message);
    return catalog;
}

/* The byte at which an element of an array begins. */
static size_t
place_of(const struct swap_array *a, int64_t element)
{
    int64_t at = 0;

    for (int dim = a->array.ndim - 1; dim >= 0; dim--) {
        at += element % a->shape[dim] * a->strides[dim];
        element /= a->shape[dim];
    }
    return (size_t)at * dtx_dtype_size(a->array.dtype);
}

static void
make_array(struct swap *swap, int side, int position, int tensor,
           struct random *random)
{
    const struct case_tensor *t = &swap->text->tensors[tensor];
    struct swap_array *a = &swap->arrays[side][position][tensor];
    int64_t extent = 1;
    struct shard shard;

    a->array = (struct dtx_array){
        .tensor = side == SCENE_SOURCE ? t->name : t->target_name,
        .rank = dtx_layout_rank(swap->layouts[side], position),
        .dtype = side == SCENE_SOURCE ? t->src_dtype : t->dst_dtype,
        .ndim = t->ndim,
        .shape = a->shape};
    scene_shard(&swap->scene, side, tensor, position, &shard);
    for (int dim = t->ndim - 1; dim >= 0; dim--) {
        a->shape[dim] = shard.dims[dim].count;
        a->strides[dim] = extent * (1 + (int64_t)random_below(random, 3) / 2);
        extent = a->strides[dim] *
                 (a->shape[dim] + (int64_t)random_below(random, 4) / 3);
    }
    a->array.strides = a->strides;
    a->bytes = (size_t)extent * dtx_dtype_size(a->array.dtype);
    a->memory = malloc(a->bytes + 1);
    memset(a->memory, UNTOUCHED, a->bytes + 1);
    a->array.data = shard.count == 0 ? NULL : a->memory;
}

static void
fill_source(struct swap *swap, int position, int tensor)
{
    const struct swap_array *a = &swap->arrays[SCENE_SOURCE][position][tensor];
    int term = scene_term(&swap->scene, SCENE_SOURCE, tensor, position);
    struct shard shard;

    scene_shard(&swap->scene, SCENE_SOURCE, tensor, position, &shard);
    for (int64_t i = 0; i < shard.count; i++) {
        int64_t element = scene_element(&swap->scene, tensor, &shard, i);
        char *at = a->memory + place_of(a, i);

        if (element == REFERENCE_PADDING) {
            value_of_padding(a->array.dtype, position, at);
        } else {
            value_of_term(&swap->scene, tensor, term, element, at);
        }
    }
}

struct dtx_plan_options
swap_options(struct random *random, int process_count, uint64_t memory_most)
{
    static const enum dtx_strategy strategies[] = {
        DTX_STRATEGY_AUTO, DTX_STRATEGY_OPTIMAL, DTX_STRATEGY_REDISTRIBUTE,
        DTX_STRATEGY_MATERIALIZE};

    return (struct dtx_plan_options){
        .strategy = strategies[random_below(random, 4)],
        .process_count = process_count,
        .memory_bytes =
            memory_most > 0 ? 600 + random_below(random, memory_most) : 1 << 20,
        .map = DTX_MAP_BLOCK};
}

void
swap_begin(struct swap *swap, const struct layout_case *text,
           const struct dtx_plan_options *options, struct random *random)
{
    const struct dtx_text *texts[] = {&text->source, &text->target};

    memset(swap, 0, sizeof *swap);
    swap->text = text;
    swap->options = *options;
    swap->run_count = 1;
    swap->scene = scene_begin(text);
    swap->catalog = make_catalog(text);
    for (int side = 0; side < 2; side++) {
        swap->layouts[side] = parse(texts[side], swap->scene.list);
        for (int p = 0; p < dtx_layout_rank_count(swap->layouts[side]); p++) {
            swap->maps[side][p] =
                (int)random_below(random, (uint64_t)options->process_count);
            for (int t = 0; t < text->tensor_count; t++) {
                if (scene_holds(&swap->scene, side, t, p)) {
                    make_array(swap, side, p, t, random);
                }
                if (scene_holds(&swap->scene, side, t, p) &&
                    side == SCENE_SOURCE) {
                    fill_source(swap, p, t);
                }
            }
        }
    }
    swap->options.src_map = swap->maps[0];
    swap->options.dst_map = swap->maps[1];
}

void
swap_use_devices(struct swap *swap, bool is_open, struct random *random)
{
    for (int side = 0; side < 2; side++) {
        for (int p = 0; p < SWAP_POSITIONS_MOST; p++) {
            for (int t = 0; t < CASE_TENSORS_MOST; t++) {
                struct dtx_array *array = &swap->arrays[side][p][t].array;

                if (array->data == NULL || random_below(random, 2) == 0) {
                    continue;
                }
                array->place = DTX_PLACE_CUDA;
                array->data =
                    is_open ? array->data : dtx_double_hide(array->data);
            }
        }
    }
}

void
swap_finish(struct swap *swap)
{
    for (int side = 0; side < 2; side++) {
        for (int p = 0; p < SWAP_POSITIONS_MOST; p++) {
            for (int t = 0; t < CASE_TENSORS_MOST; t++) {
                free(swap->arrays[side][p][t].memory);
            }
        }
        dtx_layout_destroy(swap->layouts[side]);
    }
    dtx_catalog_destroy(swap->catalog);
    scene_finish(&swap->scene);
}

const char *
swap_describe(const struct swap *swap)
{
    static char text[16384];

    snprintf(text, sizeof text,
             "%s (%s, %s)\n# source\n%s# target\n%s# %s, %d processes, %llu "
             "bytes%s\n",
             swap->err[0].message, swap->err[0].tensor, swap->err[0].where,
             swap->text->source.data, swap->text->target.data,
             dtx_strategy_name(swap->options.strategy),
             swap->options.process_count,
             (unsigned long long)swap->options.memory_bytes,
             swap->meets ? ", meeting" : "");
    return text;
}

/* ---------------------------------------------------------------- running */

/* Opens the channel of one process; the plan is its own, or NULL. */
static enum dtx_status
open_channel(struct swap *swap, struct dtx_transport *transport,
             struct dtx_diagnostics *list, struct dtx_plan **plan,
             struct dtx_channel **channel, struct dtx_error *err)
{
    int process = dtx_transport_process(transport);
    struct dtx_offer offer = {0};
    struct dtx_channel_options options = {.strategy = swap->options.strategy,
                                          .buffer_bytes =
                                              swap->options.memory_bytes};

    if (!swap->meets) {
        if (dtx_plan_create(swap->layouts[0], swap->layouts[1], swap->catalog,
                            &swap->options, list, plan, err) != DTX_OK) {
            *plan = NULL;
        }
        return dtx_channel_open(*plan, transport, channel, err);
    }
    for (int p = 0; p < SWAP_POSITIONS_MOST; p++) {
        if (p < dtx_layout_rank_count(swap->layouts[0]) &&
            swap->maps[0][p] == process) {
            offer.source = swap->layouts[0];
        }
        if (p < dtx_layout_rank_count(swap->layouts[1]) &&
            swap->maps[1][p] == process) {
            offer.target = swap->layouts[1];
        }
    }
    offer.catalog = offer.source != NULL ? swap->catalog : NULL;
    offer.source_map = swap->maps[0];
    offer.target_map = swap->maps[1];
    return dtx_channel_meet(&offer, transport, &options, list, channel, err);
}

static void
bind_arrays(struct swap *swap, int process, struct dtx_channel *channel)
{
    struct dtx_error err = {0};

    for (int side = 0; side < 2; side++) {
        for (int p = 0; p < SWAP_POSITIONS_MOST; p++) {
            for (int t = 0; t < swap->text->tensor_count; t++) {
                const struct swap_array *a = &swap->arrays[side][p][t];

                if (a->memory != NULL && swap->maps[side][p] == process) {
                    (void)dtx_channel_bind(channel, (enum dtx_role)side,
                                           &a->array, &err);
                }
            }
        }
    }
}

void
swap_work(struct swap *swap, struct dtx_transport *transport)
{
    int process = dtx_transport_process(transport);
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_error *err = &swap->err[process];
    struct dtx_channel *channel = NULL;
    struct dtx_plan *plan = NULL;
    enum dtx_status status =
        open_channel(swap, transport, list, &plan, &channel, err);

    if (status == DTX_OK) {
        bind_arrays(swap, process, channel);
    }
    for (int i = 0; i < swap->run_count && status == DTX_OK; i++) {
        status = dtx_channel_run(channel, err);
    }
    swap->status[process] = status;
    dtx_channel_close(channel);
    dtx_plan_destroy(plan);
    dtx_diagnostics_destroy(list);
}

/* ---------------------------------------------------------------- checking */

static void
check_array(const struct swap *swap, int position, int tensor)
{
    const struct swap_array *a = &swap->arrays[SCENE_TARGET][position][tensor];
    size_t size = dtx_dtype_size(a->array.dtype);
    char neutral[ELEMENT_BYTES_MOST], expected[ELEMENT_BYTES_MOST];
    bool is_neutral = value_is_neutral(&swap->scene, tensor, position, neutral);
    char *rest = malloc(a->bytes + 1);
    struct shard shard;

    memcpy(rest, a->memory, a->bytes + 1);
    scene_shard(&swap->scene, SCENE_TARGET, tensor, position, &shard);
    for (int64_t i = 0; i < shard.count; i++) {
        int64_t element = scene_element(&swap->scene, tensor, &shard, i);

        memset(expected, 0, sizeof expected);
        if (element != REFERENCE_PADDING && is_neutral) {
            memcpy(expected, neutral, sizeof expected);
        } else if (element != REFERENCE_PADDING) {
            value_in_target(&swap->scene, tensor, element, expected);
        }
        claim(memcmp(a->memory + place_of(a, i), expected, size) == 0,
              "%s position %d element %lld\n%s", a->array.tensor, position,
              (long long)i, swap_describe(swap));
        memset(rest + place_of(a, i), UNTOUCHED, size);
    }
    for (size_t i = 0; i <= a->bytes; i++) {
        claim((unsigned char)rest[i] == UNTOUCHED, "%s: a gap was written\n%s",
              a->array.tensor, swap_describe(swap));
    }
    free(rest);
}

void
swap_check(const struct swap *swap, int process)
{
    for (int p = 0; p < SWAP_POSITIONS_MOST; p++) {
        for (int t = 0; t < swap->text->tensor_count; t++) {
            if (swap->arrays[SCENE_TARGET][p][t].memory != NULL &&
                swap->maps[SCENE_TARGET][p] == process) {
                check_array(swap, p, t);
            }
        }
    }
}
