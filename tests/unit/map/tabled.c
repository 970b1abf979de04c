#include "tabled.h"

#include <criterion/criterion.h>

#include "util/text.h"

static struct dtx_layout *
parse(struct tabled *t, const char *text, enum dtx_role role)
{
    struct dtx_text whole = {0};
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};

    dtx_text_format(&whole, "%s\ncheckpoint: {path: 'no/%s-{rank}.h5'}\n", text,
                    role == DTX_SOURCE ? "src" : "dst");
    cr_assert_eq(dtx_layout_parse(whole.data, "layout.yaml", ".", role, t->list,
                                  &layout, &err),
                 DTX_OK, "%s\n%s", err.message, dtx_diagnostics_draw(t->list));
    dtx_text_finish(&whole);
    return layout;
}

void
tabled_begin(struct tabled *t, const char *source, const char *target,
             int tensor_count, int64_t extent)
{
    struct dtx_catalog *catalog = &t->catalog;
    int64_t *shape;

    *t = (struct tabled){.list = dtx_diagnostics_create()};
    t->layouts[0] = parse(t, source, DTX_SOURCE);
    t->layouts[1] = parse(t, target, DTX_TARGET);
    shape = dtx_arena_alloc(&catalog->arena, 2, sizeof *shape);
    shape[0] = shape[1] = extent;
    catalog->entry_count = tensor_count;
    catalog->entries = dtx_arena_alloc(&catalog->arena, (size_t)tensor_count,
                                       sizeof *catalog->entries);
    for (int i = 0; i < tensor_count; i++) {
        catalog->entries[i] = (struct dtx_table_entry){
            .name = dtx_arena_format(&catalog->arena, "t.%d", i),
            .type = dtx_type_of(DTX_FLOAT32),
            .ndim = 2,
            .shape = shape};
    }
}

void
tabled_finish(struct tabled *t)
{
    dtx_plan_destroy(t->plan);
    dtx_arena_finish(&t->catalog.arena);
    dtx_layout_destroy(t->layouts[0]);
    dtx_layout_destroy(t->layouts[1]);
    dtx_diagnostics_destroy(t->list);
}

struct dtx_error
tabled_try(struct tabled *t, const struct dtx_plan_options *options)
{
    struct dtx_plan_options own = *options;
    struct dtx_error err = {0};

    if (own.strategy == DTX_STRATEGY_AUTO) {
        own.strategy = DTX_STRATEGY_OPTIMAL;
    }
    own.memory_bytes = own.memory_bytes > 0 ? own.memory_bytes : 1 << 30;
    dtx_plan_destroy(t->plan);
    t->plan = NULL;
    if (dtx_plan_create(t->layouts[0], t->layouts[1], &t->catalog, &own,
                        t->list, &t->plan, &err) == DTX_OK) {
        return (struct dtx_error){0};
    }
    return err;
}

const struct dtx_plan *
tabled_plan(struct tabled *t, const struct dtx_plan_options *options)
{
    struct dtx_error err = tabled_try(t, options);

    cr_assert_eq(err.status, DTX_OK, "%s", err.message);
    return t->plan;
}
