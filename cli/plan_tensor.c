/*
 * One tensor of a plan: where its parts are, where they go, and why so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <dtx/dtype.h>

#include "output.h"
#include "plan_output.h"
#include "shard_list.h"
#include "table.h"
#include "util/error.h"

enum { TRANSFERS_MAX = 64, WAY_TEXT = 64 };

struct tensor_view {
    const struct dtx_plan *plan;
    int index;
    struct dtx_plan_tensor tensor;
    struct shard_list source;
    struct shard_list target;
    struct table *table; /* of transfers; NULL: as JSON */
    struct json *json;
    int64_t transfer_count;
};

void
plan_add_shape(struct dtx_text *text, int ndim, const int64_t *shape)
{
    dtx_text_add(text, "[");
    for (int d = 0; d < ndim; d++) {
        dtx_text_format(text, "%s%" PRId64, d > 0 ? ", " : "", shape[d]);
    }
    dtx_text_add(text, "]");
}

static const char *
target_name(const void *owner, int index)
{
    struct dtx_plan_tensor tensor;

    dtx_plan_tensor(owner, index, &tensor);
    return tensor.name;
}

static const char *
source_name(const void *owner, int index)
{
    struct dtx_plan_tensor tensor;

    dtx_plan_tensor(owner, index, &tensor);
    return tensor.source_name;
}

/* By the name in the target, or else in the source. */
static int
find_tensor(const struct dtx_plan *plan, const char *name,
            struct dtx_error *err)
{
    int count = dtx_plan_tensor_count(plan);
    struct dtx_error ignored;
    int index = shard_find_tensor(name, count, target_name, plan, err);

    if (index < 0) {
        index = shard_find_tensor(name, count, source_name, plan, &ignored);
    }
    return index;
}

/* ---------------------------------------------------------------- transfers */

/* How a transfer's bytes come to the target's process. */
static const char *
way_of(const struct tensor_view *v, const struct dtx_transfer *transfer,
       char *text)
{
    if (dtx_plan_tensor_strategy(v->plan, v->index) == DTX_STRATEGY_DIRECT) {
        snprintf(text, WAY_TEXT, "read by process %d", transfer->dst_process);
    } else if (transfer->src_process == transfer->dst_process) {
        snprintf(text, WAY_TEXT, "in place, process %d", transfer->dst_process);
    } else {
        snprintf(text, WAY_TEXT, "sent by process %d to %d",
                 transfer->src_process, transfer->dst_process);
    }
    return text;
}

static void
add_box(struct table *table, const struct dtx_transfer *transfer)
{
    struct dtx_text box = {0};

    dtx_text_add(&box, "[");
    for (int d = 0; d < transfer->ndim; d++) {
        dtx_text_format(&box, "%s%" PRId64 ":%" PRId64, d > 0 ? ", " : "",
                        transfer->begin[d], transfer->end[d]);
    }
    dtx_text_add(&box, "]");
    table_add(table, box.failed ? "" : box.data);
    table->has_failed |= box.failed;
    dtx_text_finish(&box);
}

/* Where the first element of a transfer stands in the source; false where
 * that isn't known. */
static bool
find_source(const struct tensor_view *v, const struct dtx_transfer *transfer,
            const char **file_out, uint64_t *offset_out)
{
    const struct dtx_shard *shard =
        shard_list_find(&v->source, transfer->src_rank);

    *file_out = shard != NULL ? shard->file : "";
    return shard != NULL &&
           shard_offset(shard, transfer->begin,
                        v->tensor.source_type.size_bytes, offset_out);
}

static bool
add_line(const struct dtx_transfer *transfer, void *context)
{
    struct tensor_view *v = context;
    char way[WAY_TEXT];
    const char *file;
    uint64_t offset;

    if (v->transfer_count++ >= TRANSFERS_MAX) {
        return true;
    }
    table_add_count(v->table, transfer->dst_rank);
    table_add_count(v->table, transfer->src_rank);
    add_box(v->table, transfer);
    table_add_bytes(v->table, transfer->bytes);
    table_add(v->table, way_of(v, transfer, way));
    if (find_source(v, transfer, &file, &offset)) {
        table_add(v->table, file);
        table_format(v->table, "%" PRIu64, offset);
    } else {
        table_add(v->table, file);
        table_add(v->table, "");
    }
    return true;
}

static enum dtx_status
add_transfers(struct tensor_view *v, struct dtx_text *text,
              struct dtx_error *err)
{
    static const char *const heads[] = {"to rank", "from", "box",   "size",
                                        "how",     "file", "offset"};
    struct table table;
    enum dtx_status status;

    table_begin(&table, "lllrllr");
    for (int i = 0; i < 7; i++) {
        table_add(&table, heads[i]);
    }
    v->table = &table;
    status = dtx_plan_each_transfer_of(v->plan, v->index, add_line, v, err);
    dtx_text_add(text, "\n");
    table_draw(&table, 0, text);
    if (v->transfer_count > TRANSFERS_MAX) {
        dtx_text_format(text, "  ... %" PRId64 " in all; --json has them\n",
                        v->transfer_count);
    }
    return status;
}

/* ----------------------------------------------------------------- strategy */

/* The strategy that is quickest for the tensor by itself. */
static enum dtx_strategy
quickest(const struct tensor_view *v)
{
    enum dtx_strategy best = DTX_STRATEGY_AUTO;
    struct dtx_tensor_cost least = {0};

    for (int s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        struct dtx_tensor_cost cost;

        dtx_plan_tensor_cost(v->plan, v->index, (enum dtx_strategy)s, &cost);
        if (cost.is_known &&
            (best == DTX_STRATEGY_AUTO || cost.seconds < least.seconds)) {
            best = (enum dtx_strategy)s;
            least = cost;
        }
    }
    return best;
}

/* Why the tensor goes as it does, in words. */
static const char *
reason(const struct tensor_view *v)
{
    enum dtx_strategy chosen = dtx_plan_tensor_strategy(v->plan, v->index);

    if (dtx_plan_options(v->plan)->strategy != DTX_STRATEGY_AUTO) {
        return "it was asked for";
    }
    return chosen == quickest(v)
               ? "the quickest for this tensor and those like it"
               : "the quickest for all tensors together, which one strategy is";
}

static void
add_strategies(const struct tensor_view *v, struct dtx_text *text)
{
    enum dtx_strategy chosen = dtx_plan_tensor_strategy(v->plan, v->index);
    struct dtx_tensor_cost cost = {0};
    struct table table;
    int marked = 0;
    int row = 1;

    table_begin(&table, "lrr");
    table_add(&table, "strategy");
    table_add(&table, "moved");
    table_add(&table, "predicted");
    for (int s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        struct dtx_tensor_cost other;

        dtx_plan_tensor_cost(v->plan, v->index, (enum dtx_strategy)s, &other);
        if (!other.is_known) {
            continue;
        }
        row++;
        marked = s == (int)chosen ? row : marked;
        cost = other;
        table_add(&table, dtx_strategy_name((enum dtx_strategy)s));
        table_add_bytes(&table, other.moved);
        plan_add_seconds(&table, other.seconds);
    }
    dtx_text_add(text, "\n");
    table_draw(&table, marked, text);
    dtx_text_format(text,
                    "\n  %s: %s\n  the figures are of %" PRId64
                    " tensor%s that go%s alike\n",
                    dtx_strategy_name(chosen), reason(v), cost.tensor_count,
                    cost.tensor_count == 1 ? "" : "s",
                    cost.tensor_count == 1 ? "es" : "");
}

/* ------------------------------------------------------------------- output */

static void
add_side(const char *head, const char *placements,
         const struct shard_list *list, const struct dtx_plan_tensor *tensor,
         struct dtx_text *text)
{
    dtx_text_format(text, "\n  %s  %s\n", head, placements);
    shard_list_draw(list, tensor->ndim, tensor->shape, text);
}

static enum dtx_status
print_text(struct tensor_view *v, struct dtx_error *err)
{
    const struct dtx_plan_tensor *t = &v->tensor;
    struct dtx_text text = {0};
    enum dtx_status status;

    dtx_text_format(&text, "dtx plan   %s", t->source_name);
    if (strcmp(t->name, t->source_name) != 0) {
        dtx_text_format(&text, " -> %s", t->name);
    }
    dtx_text_format(&text, "   %s", dtx_dtype_name(t->source_type.dtype));
    if (!dtx_type_equal(t->type, t->source_type)) {
        dtx_text_format(&text, " -> %s", dtx_dtype_name(t->type.dtype));
    }
    dtx_text_add(&text, " ");
    plan_add_shape(&text, t->ndim, t->shape);
    dtx_text_add(&text, "\n");
    add_side("from", t->from, &v->source, t, &text);
    add_side("to  ", t->to, &v->target, t, &text);
    status = add_transfers(v, &text, err);
    if (status != DTX_OK) {
        dtx_text_finish(&text);
        return status;
    }
    add_strategies(v, &text);
    return output_text(&text, err);
}

static bool
add_json_line(const struct dtx_transfer *transfer, void *context)
{
    struct tensor_view *v = context;
    const char *file;
    uint64_t offset;

    json_object(v->json, NULL);
    json_int(v->json, "src_rank", transfer->src_rank);
    json_int(v->json, "dst_rank", transfer->dst_rank);
    json_int(v->json, "src_process", transfer->src_process);
    json_int(v->json, "dst_process", transfer->dst_process);
    json_shape(v->json, "begin", transfer->ndim, transfer->begin);
    json_shape(v->json, "end", transfer->ndim, transfer->end);
    json_uint(v->json, "bytes", transfer->bytes);
    if (find_source(v, transfer, &file, &offset)) {
        json_uint(v->json, "offset", offset);
    }
    json_string(v->json, "file", file);
    json_object_end(v->json);
    return true;
}

static void
add_json_strategies(const struct tensor_view *v)
{
    json_object(v->json, "strategies");
    for (int s = DTX_STRATEGY_AUTO + 1; s < DTX_STRATEGY_COUNT; s++) {
        struct dtx_tensor_cost cost;

        dtx_plan_tensor_cost(v->plan, v->index, (enum dtx_strategy)s, &cost);
        if (cost.is_known) {
            json_object(v->json, dtx_strategy_name((enum dtx_strategy)s));
            json_int(v->json, "tensors", cost.tensor_count);
            json_uint(v->json, "moved", cost.moved);
            json_real(v->json, "seconds", cost.seconds);
            json_object_end(v->json);
        }
    }
    json_object_end(v->json);
}

static enum dtx_status
print_json(struct tensor_view *v, struct dtx_error *err)
{
    const struct dtx_plan_tensor *t = &v->tensor;
    struct json json;
    struct dtx_error transfers_err;
    enum dtx_status transfers, status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    v->json = &json;
    json_string(&json, "dtx", "1");
    json_string(&json, "tensor", t->name);
    json_string(&json, "source_name", t->source_name);
    json_string(&json, "dtype", dtx_dtype_name(t->type.dtype));
    json_string(&json, "source_dtype", dtx_dtype_name(t->source_type.dtype));
    json_shape(&json, "shape", t->ndim, t->shape);
    json_string(&json, "from", t->from);
    json_string(&json, "to", t->to);
    shard_list_json(&v->source, "source", &json);
    shard_list_json(&v->target, "target", &json);
    json_array(&json, "transfers");
    transfers = dtx_plan_each_transfer_of(v->plan, v->index, add_json_line, v,
                                          &transfers_err);
    json_array_end(&json);
    json_string(&json, "strategy",
                dtx_strategy_name(dtx_plan_tensor_strategy(v->plan, v->index)));
    json_string(&json, "reason", reason(v));
    add_json_strategies(v);
    status = json_end(&json, err);
    if (status == DTX_OK && transfers != DTX_OK) {
        *err = transfers_err;
        status = transfers;
    }
    return status;
}

enum dtx_status
plan_print_tensor(const struct dtx_plan *plan,
                  const struct arguments *arguments, struct dtx_error *err)
{
    struct tensor_view v = {.plan = plan,
                            .index = find_tensor(plan, arguments->tensor, err)};
    enum dtx_status status;

    if (v.index < 0) {
        return err->status;
    }
    dtx_plan_tensor(plan, v.index, &v.tensor);
    status = dtx_plan_each_shard(plan, DTX_SOURCE, v.index, shard_list_add,
                                 &v.source, err);
    if (status == DTX_OK) {
        status = dtx_plan_each_shard(plan, DTX_TARGET, v.index, shard_list_add,
                                     &v.target, err);
    }
    if (status == DTX_OK && (v.source.has_failed || v.target.has_failed)) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = arguments->is_json ? print_json(&v, err) : print_text(&v, err);
    }
    shard_list_finish(&v.source);
    shard_list_finish(&v.target);
    return status;
}
