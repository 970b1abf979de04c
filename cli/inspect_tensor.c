/*
 * One tensor of a checkpoint.
 */
#include <inttypes.h>

#include <dtx/dtype.h>

#include "inspect_output.h"
#include "output.h"
#include "plan_output.h"
#include "shard_list.h"
#include "util/error.h"

static const char *
name_of(const void *owner, int index)
{
    struct dtx_plan_tensor tensor;

    dtx_inspection_tensor(owner, index, &tensor);
    return tensor.name;
}

static enum dtx_status
print_text(const struct dtx_plan_tensor *tensor, const struct shard_list *list,
           struct dtx_error *err)
{
    struct dtx_text text = {0};

    dtx_text_format(&text, "dtx inspect   %s   %s ", tensor->name,
                    dtx_dtype_name(tensor->source_type.dtype));
    plan_add_shape(&text, tensor->ndim, tensor->shape);
    dtx_text_format(&text, ", %s\n\n", tensor->from);
    shard_list_draw(list, tensor->ndim, tensor->shape, &text);
    dtx_text_add(&text, "\n");
    shard_list_table(list, &text);
    return output_text(&text, err);
}

static enum dtx_status
print_json(const struct dtx_plan_tensor *tensor, const struct shard_list *list,
           struct dtx_error *err)
{
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    json_string(&json, "dtx", "1");
    json_string(&json, "tensor", tensor->name);
    json_string(&json, "dtype", dtx_dtype_name(tensor->source_type.dtype));
    json_shape(&json, "shape", tensor->ndim, tensor->shape);
    json_string(&json, "placements", tensor->from);
    shard_list_json(list, "shards", &json);
    return json_end(&json, err);
}

enum dtx_status
inspect_print_tensor(const struct dtx_inspection *inspection, const char *name,
                     bool is_json, struct dtx_error *err)
{
    struct shard_list list = {0};
    struct dtx_plan_tensor tensor;
    int index = shard_find_tensor(name, dtx_inspection_tensor_count(inspection),
                                  name_of, inspection, err);
    enum dtx_status status;

    if (index < 0) {
        return err->status;
    }
    dtx_inspection_tensor(inspection, index, &tensor);
    status = dtx_inspection_each_shard(inspection, index, shard_list_add, &list,
                                       err);
    if (status == DTX_OK && list.has_failed) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = is_json ? print_json(&tensor, &list, err)
                         : print_text(&tensor, &list, err);
    }
    shard_list_finish(&list);
    return status;
}
