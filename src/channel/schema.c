#include "channel/schema.h"

#include <string.h>

#include "layout/catalog.h"
#include "layout/layout.h"
#include "util/error.h"

/* ---------------------------------------------------------------- writing */

static void
add_number(struct dtx_text *bytes, int64_t number)
{
    dtx_text_add_bytes(bytes, (const char *)&number, sizeof number);
}

static void
add_string(struct dtx_text *bytes, const char *string)
{
    add_number(bytes, (int64_t)strlen(string));
    dtx_text_add_bytes(bytes, string, strlen(string));
}

static void
add_entry(struct dtx_text *bytes, const struct dtx_table_entry *entry)
{
    int dim;

    add_string(bytes, entry->name);
    add_number(bytes, (int64_t)entry->type.dtype);
    add_number(bytes, entry->ndim);
    for (dim = 0; dim < entry->ndim; dim++) {
        add_number(bytes, entry->shape[dim]);
    }
}

void
schema_write(struct dtx_text *bytes, const struct dtx_layout *layout,
             const int *map, const struct dtx_catalog *catalog)
{
    int positions = map != NULL ? layout->mesh.position_count : 0;
    int i;

    add_string(bytes, layout->text);
    add_string(bytes, layout->file);
    add_number(bytes, positions);
    for (i = 0; i < positions; i++) {
        add_number(bytes, map[i]);
    }
    add_number(bytes, catalog != NULL ? catalog->entry_count : -1);
    for (i = 0; catalog != NULL && i < catalog->entry_count; i++) {
        add_entry(bytes, &catalog->entries[i]);
    }
}

/* ---------------------------------------------------------------- reading */

/* Bytes that are read from front to back; once they fail, all is 0. */
struct reader {
    const char *at;
    size_t left;
    struct dtx_arena *arena;
    bool is_damaged, is_short_of_memory;
};

static int64_t
read_number(struct reader *r)
{
    int64_t number = 0;

    if (r->left < sizeof number) {
        r->is_damaged = true;
        return 0;
    }
    memcpy(&number, r->at, sizeof number);
    r->at += sizeof number;
    r->left -= sizeof number;
    return number;
}

/* A count of things that take `bytes` each, at least. */
static int
read_count(struct reader *r, size_t bytes)
{
    int64_t count = read_number(r);

    if (count < 0 || (uint64_t)count > r->left / bytes) {
        r->is_damaged = true;
        return 0;
    }
    return (int)count;
}

static const char *
read_string(struct reader *r)
{
    int length = read_count(r, 1);
    char *string = dtx_arena_alloc(r->arena, (size_t)length + 1, 1);

    if (string == NULL) {
        r->is_short_of_memory = true;
        return "";
    }
    memcpy(string, r->at, (size_t)length);
    r->at += length;
    r->left -= (size_t)length;
    return string;
}

static void
read_spec(struct reader *r, struct dtx_tensor_spec *spec)
{
    int64_t *shape;
    int dim;

    spec->name = read_string(r);
    spec->dtype = (enum dtx_dtype)(read_number(r) % DTX_DTYPE_COUNT);
    spec->ndim = read_count(r, sizeof *shape);
    shape = dtx_arena_alloc(r->arena, (size_t)spec->ndim, sizeof *shape);
    r->is_short_of_memory |= shape == NULL;
    for (dim = 0; dim < spec->ndim && shape != NULL; dim++) {
        shape[dim] = read_number(r);
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
        map[i] = (int)read_number(r);
    }
    schema->map = schema->map_count > 0 ? map : NULL;
}

static void
read_specs(struct reader *r, struct schema *schema)
{
    int64_t none = -1;
    int i;

    if (r->left >= sizeof none && memcmp(r->at, &none, sizeof none) == 0) {
        r->at += sizeof none;
        r->left -= sizeof none;
        return;
    }
    schema->has_specs = true;
    schema->spec_count = read_count(r, 3 * sizeof(int64_t));
    schema->specs = dtx_arena_alloc(r->arena, (size_t)schema->spec_count,
                                    sizeof *schema->specs);
    r->is_short_of_memory |= schema->specs == NULL;
    for (i = 0;
         i < schema->spec_count && !r->is_short_of_memory && !r->is_damaged;
         i++) {
        read_spec(r, &schema->specs[i]);
    }
}

enum dtx_status
schema_read(const char *bytes, size_t count, struct dtx_arena *arena,
            struct schema *schema_out, struct dtx_error *err)
{
    struct reader r = {.at = bytes, .left = count, .arena = arena};
    struct schema schema = {0};

    schema.text = read_string(&r);
    schema.file = read_string(&r);
    read_map(&r, &schema);
    read_specs(&r, &schema);
    if (r.is_short_of_memory) {
        return dtx_error_memory(err);
    }
    if (r.is_damaged || r.left > 0) {
        return dtx_error_set(err, DTX_ERR_COMM,
                             "what the other end says of itself is damaged");
    }
    *schema_out = schema;
    return DTX_OK;
}
