#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "layout/listing.h"
#include "support/random.h"
#include "util/alloc.h"

static const struct dtx_attribute attributes[] = {{"unit", 7}, {"", 9}};
static const unsigned char encodings[2][3] = {{3, 0, 1}, {3, 0, 2}};

/* A layout of two ranks, with a file each or one for both. */
static void
begin_layout(struct dtx_layout *layout, const char *path)
{
    int offset;

    *layout = (struct dtx_layout){
        .folder = ".",
        .mesh = {.axis_count = 1, .names = {"tp"}, .sizes = {2}}};
    (void)dtx_mesh_finish(&layout->mesh);
    cr_assert_null(dtx_template_parse(&layout->arena, path, &layout->mesh,
                                      false, &layout->path, &offset));
}

static void
add_dataset(struct dtx_text *listing, const char *path, enum dtx_dtype dtype,
            const unsigned char *encoding)
{
    static const int64_t shape[] = {4, 0, 3};
    struct dtx_raw_type raw = {3, encoding, 12, "compound of 12 bytes"};
    struct dtx_dataset d = {.path = path,
                            .type = dtx_type_of(dtype),
                            .is_big_endian = true,
                            .form = DTX_FORM_STORED,
                            .ndim = 3,
                            .shape = shape,
                            .offset = 2048,
                            .attribute_count = 2,
                            .attributes = attributes};

    if (encoding != NULL) {
        d.type.size_bytes = 12;
    }
    dtx_listing_dataset(listing, &d, encoding != NULL ? &raw : NULL);
}

/* The listing of one of two files. Their raw types come in different order. */
static void
make_listing(struct dtx_text *listing, int file)
{
    struct dtx_group group = {
        .path = "", .attribute_count = 1, .attributes = attributes};

    dtx_listing_begin(listing, 4096 + (uint64_t)file, file);
    add_dataset(listing, "z", DTX_BFLOAT16, NULL);
    add_dataset(listing, "b", DTX_RAW, encodings[file]);
    add_dataset(listing, "a/c", DTX_RAW, encodings[1 - file]);
    dtx_listing_group(listing, &group);
    dtx_listing_elsewhere(listing, "raw", 70 + (uint64_t)file, -1);
    dtx_listing_elsewhere(listing, file == 0 ? "p0.h5" : "p1.h5", 80, 8);
}

static enum dtx_status
build(struct dtx_layout *layout, int count, const struct dtx_text *listings,
      struct dtx_catalog **catalog, struct dtx_error *err)
{
    const char *data[2] = {listings[0].data, listings[1].data};
    size_t lengths[2] = {listings[0].length, listings[1].length};

    return dtx_catalog_build(layout, count, data, lengths, catalog, err);
}

Test(listing, what_is_listed_is_in_the_catalog)
{
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;
    const struct dtx_dataset *d;

    begin_layout(&layout, "r{rank}.h5");
    make_listing(&listings[0], 0);
    make_listing(&listings[1], 1);
    cr_assert_eq(build(&layout, 2, listings, &c, &err), DTX_OK);
    cr_assert_eq(c->file_count, 2);
    cr_assert_str_eq(c->files[1], "r1.h5");
    cr_assert_eq(c->file_sizes[1], 4097);
    cr_assert_eq(c->file_times[1], 1);
    cr_assert_eq(c->position_file[1], 1);
    cr_assert_eq(c->dataset_count, 6);
    cr_assert_eq(dtx_catalog_find(c, 1, "z"), 5);
    cr_assert_eq(dtx_catalog_find(c, 0, "a/c"), 0);
    cr_assert_eq(dtx_catalog_find(c, 0, "a"), -1);
    cr_assert_eq(dtx_catalog_find(c, 2, "z"), -1);
    d = &c->datasets[5];
    cr_assert_eq(d->type.dtype, DTX_BFLOAT16);
    cr_assert_eq(d->type.raw_index, 0);
    cr_assert(d->is_big_endian);
    cr_assert_eq(d->form, DTX_FORM_STORED);
    cr_assert_eq(d->ndim, 3);
    cr_assert_eq(d->shape[2], 3);
    cr_assert_eq(d->offset, 2048);
    cr_assert_eq(d->attribute_count, 2);
    cr_assert_str_eq(d->attributes[0].name, "unit");
    cr_assert_eq(d->attributes[1].digest, 9);
    cr_assert_eq(c->group_count, 2);
    cr_assert_str_eq(c->groups[1].path, "");
    cr_assert_eq(c->groups[1].file, 1);
    cr_assert_eq(c->watched_count, 5);
    cr_assert_str_eq(c->files[2], "raw");
    cr_assert_eq(c->file_sizes[2], 70);
    cr_assert_eq(c->file_times[2], -1);
    cr_assert_str_eq(c->files[4], "p1.h5");
    dtx_catalog_destroy(c);
    dtx_text_finish(&listings[0]);
    dtx_text_finish(&listings[1]);
    dtx_arena_finish(&layout.arena);
}

Test(listing, raw_types_are_the_same_across_files)
{
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;

    begin_layout(&layout, "r{rank}.h5");
    make_listing(&listings[0], 0);
    make_listing(&listings[1], 1);
    cr_assert_eq(build(&layout, 2, listings, &c, &err), DTX_OK);
    cr_assert_eq(c->raw_type_count, 2);
    for (int file = 0; file < 2; file++) {
        int b = c->datasets[dtx_catalog_find(c, file, "b")].type.raw_index;
        int a = c->datasets[dtx_catalog_find(c, file, "a/c")].type.raw_index;

        cr_assert_eq(memcmp(c->raw_types[b].bytes, encodings[file], 3), 0);
        cr_assert_eq(memcmp(c->raw_types[a].bytes, encodings[1 - file], 3), 0);
        cr_assert_str_eq(c->raw_types[b].description, "compound of 12 bytes");
        cr_assert_eq(c->raw_types[b].size_bytes, 12);
    }
    dtx_catalog_destroy(c);
    dtx_text_finish(&listings[0]);
    dtx_text_finish(&listings[1]);
    dtx_arena_finish(&layout.arena);
}

Test(listing, ranks_with_one_path_share_a_file)
{
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;

    begin_layout(&layout, "model.h5");
    make_listing(&listings[0], 0);
    cr_assert_eq(build(&layout, 1, listings, &c, &err), DTX_OK);
    cr_assert_eq(c->position_file[0], 0);
    cr_assert_eq(c->position_file[1], 0);
    dtx_catalog_destroy(c);
    cr_assert_eq(build(&layout, 2, listings, &c, &err), DTX_ERR_INTERNAL);
    dtx_text_finish(&listings[0]);
    dtx_arena_finish(&layout.arena);
}

Test(listing, one_that_ends_early_is_refused_at_every_byte)
{
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;
    size_t whole;
    int taken = 0;

    begin_layout(&layout, "model.h5");
    make_listing(&listings[0], 0);
    whole = listings[0].length;
    for (size_t length = 0; length < whole; length++) {
        /* A copy of just that length, so that reading beyond it shows. */
        char *copy = malloc(length > 0 ? length : 1);
        const char *data[] = {copy};

        memcpy(copy, listings[0].data, length);
        if (dtx_catalog_build(&layout, 1, data, &length, &c, &err) == DTX_OK) {
            dtx_catalog_destroy(c); /* it ended between two records */
            taken++;
        } else {
            cr_assert_eq(err.status, DTX_ERR_SOURCE);
        }
        free(copy);
    }
    cr_assert_eq(taken, 6);
    dtx_text_finish(&listings[0]);
    dtx_arena_finish(&layout.arena);
}

Test(listing, damage_anywhere_is_survived)
{
    struct random random = random_begin();
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;

    begin_layout(&layout, "model.h5");
    for (int i = 0; i < 20000; i++) {
        make_listing(&listings[0], 0);
        for (uint64_t flips = 1 + random_below(&random, 3); flips > 0;
             flips--) {
            listings[0].data[random_below(&random, listings[0].length)] =
                (char)random_next(&random);
        }
        if (build(&layout, 1, listings, &c, &err) == DTX_OK) {
            for (int d = 0; d < c->dataset_count; d++) {
                cr_assert_eq(dtx_catalog_find(c, 0, c->datasets[d].path), d);
                cr_assert_leq(c->datasets[d].ndim, DTX_NDIM_MAX);
            }
            dtx_catalog_destroy(c);
        }
        dtx_text_finish(&listings[0]);
        listings[0] = (struct dtx_text){0};
    }
    dtx_arena_finish(&layout.arena);
}

Test(listing, a_path_twice_in_a_file_is_damage)
{
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;

    begin_layout(&layout, "model.h5");
    make_listing(&listings[0], 0);
    add_dataset(&listings[0], "z", DTX_INT8, NULL);
    cr_assert_eq(build(&layout, 1, listings, &c, &err), DTX_ERR_SOURCE);
    cr_assert_not_null(strstr(err.message, "'model.h5'"));
    dtx_text_finish(&listings[0]);
    dtx_arena_finish(&layout.arena);
}

Test(listing, datasets_beyond_64_bits_of_bytes_are_refused)
{
    static const int64_t shape[] = {INT64_C(1) << 40, INT64_C(1) << 21};
    struct dtx_dataset d = {
        .path = "w", .type = {DTX_FLOAT64, 0, 8}, .ndim = 2, .shape = shape};
    struct dtx_layout layout;
    struct dtx_text listings[2] = {0};
    struct dtx_catalog *c;
    struct dtx_error err;

    begin_layout(&layout, "model.h5");
    dtx_listing_begin(&listings[0], 1, 0);
    dtx_listing_dataset(&listings[0], &d, NULL);
    cr_assert_eq(build(&layout, 1, listings, &c, &err), DTX_ERR_SOURCE);
    cr_assert_not_null(strstr(err.message, "dataset 'w' of 'model.h5'"));
    dtx_text_finish(&listings[0]);
    dtx_arena_finish(&layout.arena);
}

Test(listing, every_allocation_can_fail)
{
    bool is_done = false;

    for (int64_t k = 0; !is_done; k++) {
        struct dtx_layout layout;
        struct dtx_text listings[2] = {0};
        struct dtx_catalog *c;
        struct dtx_error err;

        begin_layout(&layout, "r{rank}.h5");
        make_listing(&listings[0], 0);
        make_listing(&listings[1], 1);
        dtx_alloc_fail_after(k);
        is_done = build(&layout, 2, listings, &c, &err) == DTX_OK;
        dtx_alloc_fail_after(-1);
        if (is_done) {
            dtx_catalog_destroy(c);
        } else {
            cr_assert_eq(err.status, DTX_ERR_LIMIT);
        }
        dtx_text_finish(&listings[0]);
        dtx_text_finish(&listings[1]);
        dtx_arena_finish(&layout.arena);
        cr_assert_lt(k, 200);
    }
}
