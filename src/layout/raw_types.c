#include "layout/raw_types.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

int
dtx_raw_uses_add(struct dtx_raw_uses *uses, const struct dtx_raw_type *type)
{
    int number = (int)uses->count;

    if (uses->count >= INT_MAX ||
        dtx_grow(&uses->uses, uses->count, &uses->capacity,
                 sizeof(*uses->uses)) != 0) {
        return -1;
    }
    uses->uses[uses->count++] = (struct dtx_raw_use){*type, number};
    return number;
}

static int
compare_types(const struct dtx_raw_type *a, const struct dtx_raw_type *b)
{
    if (a->byte_count != b->byte_count) {
        return a->byte_count < b->byte_count ? -1 : 1;
    }
    if (a->size_bytes != b->size_bytes) {
        return a->size_bytes < b->size_bytes ? -1 : 1;
    }
    return memcmp(a->bytes, b->bytes, a->byte_count);
}

/* The number makes the order complete, whatever the sort does with equals. */
static int
compare_uses(const void *a, const void *b)
{
    const struct dtx_raw_use *first = a;
    const struct dtx_raw_use *second = b;
    int order = compare_types(&first->type, &second->type);

    return order != 0 ? order : first->number - second->number;
}

/* Adds a type to the catalog, which then has its bytes. */
static bool
add_type(struct dtx_catalog *c, const struct dtx_raw_type *type)
{
    struct dtx_raw_type *copy = &c->raw_types[c->raw_type_count++];

    *copy = *type;
    copy->bytes = dtx_arena_copy(&c->arena, type->bytes, type->byte_count, 1);
    return copy->bytes != NULL;
}

bool
dtx_raw_uses_number(struct dtx_raw_uses *uses, struct dtx_catalog *catalog,
                    int *index_out)
{
    size_t i;

    catalog->raw_types = dtx_arena_alloc(&catalog->arena, uses->count,
                                         sizeof(*catalog->raw_types));
    if (catalog->raw_types == NULL) {
        return false;
    }
    if (uses->count > 0) {
        qsort(uses->uses, uses->count, sizeof(*uses->uses), compare_uses);
    }
    for (i = 0; i < uses->count; i++) {
        const struct dtx_raw_use *use = &uses->uses[i];
        bool is_new = i == 0 || compare_types(&use[-1].type, &use->type) != 0;

        if (is_new && !add_type(catalog, &use->type)) {
            return false;
        }
        index_out[use->number] = catalog->raw_type_count - 1;
    }
    return true;
}

void
dtx_raw_uses_finish(struct dtx_raw_uses *uses)
{
    dtx_free(uses->uses);
    *uses = (struct dtx_raw_uses){0};
}
