#include "engine/element.h"

#include "layout/convert.h"
#include "util/error.h"

enum { VALUE_BYTES = 64 };

struct element
element_of(const struct dtx_plan *plan, int tensor)
{
    const struct dtx_tensor *t = &plan->tensors[tensor];
    const struct dtx_class *c = plan->classes[t->class_index];
    bool changes = !dtx_type_equal(t->src_type, t->dst_type);
    bool on_read = changes && c->src->term_count == 1 &&
                   t->dst_type.size_bytes <= t->src_type.size_bytes;

    return (struct element){.src = t->src_type,
                            .wire = on_read ? t->dst_type : t->src_type,
                            .dst = t->dst_type,
                            .converts_on_read = on_read,
                            .converts_on_write = changes && !on_read,
                            .term_count = c->src->term_count};
}

enum dtx_status
element_refuse(const struct dtx_plan *plan, int tensor, enum dtx_dtype from,
               enum dtx_dtype to, const void *element, struct dtx_error *err)
{
    char value[VALUE_BYTES];

    dtx_convert_describe(from, element, value);
    dtx_error_set(err, DTX_ERR_SOURCE, "the value %s of %s has no equal in %s",
                  value, dtx_dtype_name(from), dtx_dtype_name(to));
    dtx_error_tensor(err, "'%s'", plan->tensors[tensor].dst_name);
    return DTX_ERR_SOURCE;
}
