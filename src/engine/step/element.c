#include "engine/step/element.h"

#include <inttypes.h>

#include "layout/convert.h"
#include "util/error.h"
#include "util/text.h"

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

/* Sets the indices in the tensor of an element of a box; false where no slice
 * has it. */
static bool
find_global(const struct element_box *box, int64_t at, int64_t *global)
{
    int64_t index[DTX_NDIM_MAX];
    int i, dim;

    for (dim = box->ndim - 1; dim >= 0; dim--) {
        index[dim] = box->lo[dim] + at % box->len[dim];
        at /= box->len[dim];
    }
    for (i = 0; i < box->slice_count; i++) {
        const struct dtx_slice *slice = &box->slices[i];

        for (dim = 0; dim < box->ndim; dim++) {
            int64_t in = index[dim] - slice->lo[dim];

            if (in < 0 || in >= slice->len[dim]) {
                break;
            }
            global[dim] = slice->global[dim] + in;
        }
        if (dim == box->ndim) {
            return true;
        }
    }
    return false;
}

void
element_describe(struct dtx_error *err, const char *tensor,
                 const struct element_box *box, int64_t at)
{
    int64_t global[DTX_NDIM_MAX];
    struct dtx_text text = {0};
    int dim;

    if (box == NULL || !find_global(box, at, global)) {
        dtx_error_tensor(err, "'%s'", tensor);
        return;
    }
    for (dim = 0; dim < box->ndim; dim++) {
        dtx_text_format(&text, "%s%" PRId64, dim == 0 ? "" : ", ", global[dim]);
    }
    dtx_error_tensor(err, "'%s', element [%s]", tensor,
                     text.data == NULL ? "" : text.data);
    dtx_text_finish(&text);
}

enum dtx_status
element_refuse(const void *element, enum dtx_dtype from, enum dtx_dtype to,
               struct dtx_error *err)
{
    char value[VALUE_BYTES];

    dtx_convert_describe(from, element, value);
    return dtx_error_set(err, DTX_ERR_SOURCE,
                         "the value %s of %s has no equal in %s", value,
                         dtx_dtype_name(from), dtx_dtype_name(to));
}
