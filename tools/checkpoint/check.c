#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "element.h"
#include "layout/listing.h"
#include "storage/hdf5/hdf5_storage.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"
#include "walk.h"

/* A file that is being checked. */
struct checking {
    const struct checkpoint *checkpoint;
    int file;
    struct dtx_storage *storage;
    struct dtx_catalog *catalog; /* of this file; the others stand empty */
    struct dtx_arena arena;      /* of the file */
    struct dtx_arena scratch;    /* of one dataset */
    struct items items;
    char *found;    /* [BLOCK_BYTES] */
    char *expected; /* [BLOCK_BYTES] */
    struct tally *tally;
};

/* The elements of one dataset that differ. */
struct difference {
    int64_t count;
    int64_t total;
    int64_t index[DTX_NDIM_MAX]; /* of the first, local */
    char expected[ELEMENT_TEXT];
    char found[ELEMENT_TEXT];
};

/* Prints that something is wrong with a tensor on a rank. One write, so that
 * lines of several processes don't mix. */
static void say(struct checking *k, const struct item *item, const char *format,
                ...) DTX_PRINTF(3, 4);

static void
say(struct checking *k, const struct item *item, const char *format, ...)
{
    char where[256];
    char what[1024];
    va_list args;

    dtx_layout_describe_position(&k->checkpoint->layout, item->position, where,
                                 sizeof(where));
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    printf("%s, %s: %s (%s:%s)\n", item->tensor->name, where, what,
           k->checkpoint->files[k->file], item->path);
    fflush(stdout);
    k->tally->different++;
}

static void
add_shape(struct dtx_text *text, int ndim, const int64_t *shape)
{
    dtx_text_add(text, "[");
    for (int d = 0; d < ndim; d++) {
        dtx_text_format(text, "%s%lld", d == 0 ? "" : ", ",
                        (long long)shape[d]);
    }
    dtx_text_add(text, "]");
}

/* Type and shape. */
static bool
head_is_right(struct checking *k, const struct item *item,
              const struct shard *shard, const struct dtx_dataset *dataset)
{
    const struct tensor *t = item->tensor;
    struct dtx_text text = {0};
    bool is_right = dataset->ndim == t->ndim;

    if (!dtx_type_equal(dataset->type, t->type)) {
        say(k, item, "expected %s, found %s", dtx_dtype_name(t->type.dtype),
            dtx_dtype_name(dataset->type.dtype));
        return false;
    }
    for (int d = 0; d < t->ndim && is_right; d++) {
        is_right = dataset->shape[d] == shard->shape[d];
    }
    if (!is_right) {
        dtx_text_add(&text, "expected shape ");
        add_shape(&text, t->ndim, shard->shape);
        dtx_text_add(&text, ", found ");
        add_shape(&text, dataset->ndim, dataset->shape);
        say(k, item, "%s", text.failed ? "wrong shape" : text.data);
    }
    dtx_text_finish(&text);
    return is_right;
}

/* Notes the elements of a block that differ. */
static void
compare_block(const struct checking *k, const struct tensor *tensor,
              const struct walk *walk, struct difference *difference)
{
    size_t size = tensor->type.size_bytes;

    for (int64_t i = 0; i < walk->count; i++) {
        const char *expected = k->expected + (size_t)i * size;
        const char *found = k->found + (size_t)i * size;
        int64_t rest = i;

        if (memcmp(expected, found, size) == 0 || difference->count++ > 0) {
            continue;
        }
        for (int d = tensor->ndim - 1; d >= 0; d--) {
            difference->index[d] = walk->lo[d] + rest % walk->len[d];
            rest /= walk->len[d];
        }
        element_describe(tensor->type.dtype, expected, difference->expected);
        element_describe(tensor->type.dtype, found, difference->found);
    }
}

static void
report(struct checking *k, const struct item *item, const struct shard *shard,
       const struct difference *difference)
{
    int ndim = item->tensor->ndim;
    int64_t global[DTX_NDIM_MAX];
    struct dtx_text text = {0};
    bool is_padding = false;

    for (int d = 0; d < ndim; d++) {
        global[d] = shard_global(shard, d, difference->index[d]);
        is_padding = is_padding || global[d] < 0;
    }
    dtx_text_add(&text, "index ");
    add_shape(&text, ndim, difference->index);
    if (is_padding) {
        dtx_text_add(&text, " (padding)");
    } else {
        dtx_text_add(&text, " (global ");
        add_shape(&text, ndim, global);
        dtx_text_add(&text, ")");
    }
    dtx_text_format(&text, ": expected %s, found %s; %lld of %lld differ",
                    difference->expected, difference->found,
                    (long long)difference->count, (long long)difference->total);
    say(k, item, "%s", text.failed ? "elements differ" : text.data);
    dtx_text_finish(&text);
}

/* Reads a dataset block by block and compares. */
static enum dtx_status
check_elements(struct checking *k, const struct item *item,
               const struct shard *shard, int dataset, struct dtx_error *err)
{
    const struct tensor *t = item->tensor;
    size_t size = t->type.size_bytes;
    enum padding padding =
        k->checkpoint->options->any_padding ? PADDING_KEEP : PADDING_ZERO;
    struct difference difference = {.total = shard_count(shard)};
    struct walk walk;

    walk_begin(&walk, t->ndim, shard->shape, (int64_t)(BLOCK_BYTES / size));
    while (walk_next(&walk)) {
        size_t bytes = (size_t)walk.count * size;
        enum dtx_status status = k->storage->ops->read(
            k->storage, dataset, walk.lo, walk.len, k->found, err);

        if (status != DTX_OK) {
            return status;
        }
        if (padding == PADDING_KEEP) {
            memcpy(k->expected, k->found, bytes);
        }
        shard_fill(shard, walk.lo, walk.len, padding, k->expected);
        if (memcmp(k->expected, k->found, bytes) != 0) {
            compare_block(k, t, &walk, &difference);
        }
        k->tally->bytes += (int64_t)bytes;
    }
    if (difference.count > 0) {
        report(k, item, shard, &difference);
    }
    return DTX_OK;
}

static enum dtx_status
check_item(struct checking *k, const struct item *item, bool *is_expected,
           struct dtx_error *err)
{
    int dataset = dtx_catalog_find(k->catalog, k->file, item->path);
    struct shard shard;
    enum dtx_status status =
        checkpoint_shard(k->checkpoint, item, &k->scratch, &shard, err);

    if (status != DTX_OK) {
        return status;
    }
    k->tally->datasets++;
    if (dataset < 0) {
        say(k, item, "missing");
    } else {
        is_expected[dataset] = true;
        if (head_is_right(k, item, &shard, &k->catalog->datasets[dataset]) &&
            shard_count(&shard) > 0) {
            status = check_elements(k, item, &shard, dataset, err);
        }
    }
    dtx_arena_reset(&k->scratch);
    return status;
}

static enum dtx_status
check_items(struct checking *k, struct dtx_error *err)
{
    const struct dtx_catalog *catalog = k->catalog;
    bool *is_expected = dtx_arena_alloc(
        &k->arena, (size_t)catalog->dataset_count, sizeof(*is_expected));
    enum dtx_status status;

    if (is_expected == NULL) {
        return dtx_error_memory(err);
    }
    status =
        checkpoint_items(k->checkpoint, k->file, &k->arena, &k->items, err);
    for (int i = 0; i < k->items.count && status == DTX_OK; i++) {
        status = check_item(k, &k->items.items[i], is_expected, err);
    }
    for (int i = 0; i < catalog->dataset_count && status == DTX_OK; i++) {
        if (!is_expected[i]) {
            printf("%s: not in the layout (%s)\n", catalog->datasets[i].path,
                   k->checkpoint->files[k->file]);
            k->tally->different++;
        }
    }
    return status;
}

/* Builds a catalog in which only this file has anything. */
static enum dtx_status
build_catalog(struct checking *k, const struct dtx_text *listing,
              const struct dtx_text *nothing, struct dtx_error *err)
{
    size_t count = (size_t)k->checkpoint->file_count;
    const char **texts = dtx_arena_alloc(&k->arena, count, sizeof(*texts));
    size_t *lengths = dtx_arena_alloc(&k->arena, count, sizeof(*lengths));

    if (texts == NULL || lengths == NULL || nothing->failed ||
        listing->failed) {
        return dtx_error_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] = nothing->data;
        lengths[i] = nothing->length;
    }
    texts[k->file] = listing->data;
    lengths[k->file] = listing->length;
    return dtx_catalog_build(&k->checkpoint->layout, (int)count, texts, lengths,
                             &k->catalog, err);
}

static enum dtx_status
scan_file(struct checking *k, struct dtx_error *err)
{
    struct dtx_text nothing = {0};
    struct dtx_text listing = {0};
    enum dtx_status status = k->storage->ops->scan(
        k->storage, k->checkpoint->files[k->file], &listing, err);

    dtx_listing_begin(&nothing, 0, 0);
    if (status == DTX_OK) {
        status = build_catalog(k, &listing, &nothing, err);
    }
    dtx_text_finish(&nothing);
    dtx_text_finish(&listing);
    return status;
}

enum dtx_status
check_file(const void *checkpoint, int file, struct tally *tally,
           struct dtx_error *err)
{
    struct checking k = {
        .checkpoint = checkpoint, .file = file, .tally = tally};
    enum dtx_status status = dtx_hdf5_storage_create(&k.storage, err);

    if (status != DTX_OK) {
        return status;
    }
    k.found = dtx_alloc(BLOCK_BYTES, 1);
    k.expected = dtx_alloc(BLOCK_BYTES, 1);
    status = k.found == NULL || k.expected == NULL ? dtx_error_memory(err)
                                                   : scan_file(&k, err);
    if (status == DTX_OK) {
        k.storage->ops->use_catalog(k.storage, k.catalog);
        status = check_items(&k, err);
    }
    k.storage->ops->destroy(k.storage);
    dtx_catalog_destroy(k.catalog);
    dtx_arena_finish(&k.scratch);
    dtx_arena_finish(&k.arena);
    dtx_free(k.expected);
    dtx_free(k.found);
    return status;
}
