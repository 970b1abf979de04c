#include "channel/schema.h"

#include <limits.h>

#include "layout/catalog.h"
#include "layout/layout.h"
#include "util/error.h"
#include "util/wire.h"

/* ---------------------------------------------------------------- writing */

static void
add_entry(struct dtx_text *bytes, const struct dtx_table_entry *entry)
{
    int dim;

    dtx_wire_add_string(bytes, entry->name);
    dtx_wire_add_number(bytes, (uint64_t)entry->type.dtype);
    dtx_wire_add_number(bytes, (uint64_t)entry->ndim);
    for (dim = 0; dim < entry->ndim; dim++) {
        dtx_wire_add_number(bytes, (uint64_t)entry->shape[dim]);
    }
}

void
schema_write(struct dtx_text *bytes, const struct dtx_layout *layout,
             const int *map, const struct dtx_catalog *catalog)
{
    int positions = map != NULL ? layout->mesh.position_count : 0;
    int i;

    dtx_wire_add_string(bytes, layout->text);
    dtx_wire_add_string(bytes, layout->file);
    dtx_wire_add_number(bytes, (uint64_t)positions);
    for (i = 0; i < positions; i++) {
        dtx_wire_add_number(bytes, (uint64_t)map[i]);
    }
    dtx_wire_add_number(bytes, catalog != NULL);
    if (catalog != NULL) {
        dtx_wire_add_number(bytes, (uint64_t)catalog->entry_count);
    }
    for (i = 0; catalog != NULL && i < catalog->entry_count; i++) {
        add_entry(bytes, &catalog->entries[i]);
    }
}

/* ---------------------------------------------------------------- reading */

/* What came, and where what is kept of it goes. */
struct reader {
    struct dtx_wire wire;
    struct dtx_arena *arena;
    bool is_short_of_memory;
};

/* A number that must be from 0 to most. */
static int
read_index(struct reader *r, int most)
{
    uint64_t number = dtx_wire_number(&r->wire);

    if (number > (uint64_t)most) {
        r->wire.is_damaged = true;
        return 0;
    }
    return (int)number;
}

/* How many things come that take so many bytes each, at least. */
static int
read_count(struct reader *r, size_t bytes)
{
    size_t count = dtx_wire_count(&r->wire, bytes);

    if (count > INT_MAX) {
        r->wire.is_damaged = true;
        return 0;
    }
    return (int)count;
}

static const char *
read_string(struct reader *r)
{
    const char *string = dtx_arena_string(r->arena, dtx_wire_string(&r->wire));

    r->is_short_of_memory |= string == NULL;
    return string;
}

static void
read_spec(struct reader *r, struct dtx_tensor_spec *spec)
{
    int64_t *shape;
    int dim;

    spec->name = read_string(r);
    spec->dtype = (enum dtx_dtype)read_index(r, DTX_DTYPE_COUNT - 1);
    spec->ndim = read_index(r, DTX_NDIM_MAX);
    shape = dtx_arena_alloc(r->arena, (size_t)spec->ndim, sizeof *shape);
    r->is_short_of_memory |= shape == NULL;
    for (dim = 0; dim < spec->ndim && shape != NULL; dim++) {
        shape[dim] = (int64_t)dtx_wire_number(&r->wire);
    }
    spec->shape = shape;
}

static void
read_map(struct reader *r, struct schema *schema)
{
    int *map;
    int i;

    schema->map_count = read_count(r, sizeof(int64_t));
    map = dtx_arena_alloc(r->arena, (size_t)schema->map_count, sizeof *map);
    r->is_short_of_memory |= map == NULL;
    for (i = 0; i < schema->map_count && map != NULL; i++) {
        map[i] = read_index(r, INT_MAX);
    }
    schema->map = schema->map_count > 0 ? map : NULL;
}

static void
read_specs(struct reader *r, struct schema *schema)
{
    int i;

    schema->has_specs = read_index(r, 1) == 1;
    if (!schema->has_specs) {
        return;
    }
    schema->spec_count = read_count(r, 3 * sizeof(int64_t));
    schema->specs = dtx_arena_alloc(r->arena, (size_t)schema->spec_count,
                                    sizeof *schema->specs);
    r->is_short_of_memory |= schema->specs == NULL;
    for (i = 0; i < schema->spec_count && !r->is_short_of_memory &&
                !r->wire.is_damaged;
         i++) {
        read_spec(r, &schema->specs[i]);
    }
}

enum dtx_status
schema_read(const char *bytes, size_t count, struct dtx_arena *arena,
            struct schema *schema_out, struct dtx_error *err)
{
    struct reader r = {.wire = {.at = bytes, .left = count}, .arena = arena};
    struct schema schema = {0};

    schema.text = read_string(&r);
    schema.file = read_string(&r);
    read_map(&r, &schema);
    read_specs(&r, &schema);
    if (r.is_short_of_memory) {
        return dtx_error_memory(err);
    }
    if (r.wire.is_damaged || r.wire.left > 0) {
        return dtx_error_set(err, DTX_ERR_COMM,
                             "what the other end says of itself is damaged");
    }
    *schema_out = schema;
    return DTX_OK;
}
