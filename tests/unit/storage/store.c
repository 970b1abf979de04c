#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/shape.h"
#include "util/alloc.h"

bool
store_begin(struct store *s)
{
    memset(s, 0, sizeof *s);
    strcpy(s->folder, "/tmp/dtx-storage-XXXXXX");
    return mkdtemp(s->folder) != NULL &&
           dtx_hdf5_storage_create(&s->storage, &s->err) == DTX_OK;
}

void
store_finish(struct store *s)
{
    char command[128];

    s->storage->ops->destroy(s->storage);
    dtx_catalog_destroy(s->catalog);
    dtx_arena_finish(&s->layout.arena);
    dtx_arena_finish(&s->arena);
    snprintf(command, sizeof command, "rm -rf '%s'", s->folder);
    if (system(command) != 0) {
        fprintf(stderr, "cannot remove %s\n", s->folder);
    }
}

const char *
store_path(struct store *s, const char *name)
{
    return dtx_arena_format(&s->arena, "%s/%s", s->folder, name);
}

/* A mesh of one position whose file has that path. */
static void
set_layout(struct store *s, const char *path)
{
    struct dtx_template_part *part =
        dtx_arena_alloc(&s->layout.arena, 1, sizeof *part);

    part->field = DTX_FIELD_LITERAL;
    part->literal = dtx_arena_string(&s->layout.arena, path);
    s->layout.path = (struct dtx_template){
        .source = part->literal, .part_count = 1, .parts = part};
    s->layout.folder = ".";
    s->layout.mesh = (struct dtx_mesh){0};
    dtx_mesh_finish(&s->layout.mesh);
}

enum dtx_status
store_scan(struct store *s, const char *path)
{
    struct dtx_text listing = {0};
    const char *const *listings = (const char *const *)&listing.data;
    enum dtx_status status;

    dtx_catalog_destroy(s->catalog);
    s->catalog = NULL;
    set_layout(s, path);
    status = s->storage->ops->scan(s->storage, path, &listing, &s->err);
    if (status == DTX_OK) {
        status = dtx_catalog_build(&s->layout, 1, listings, &listing.length,
                                   &s->catalog, &s->err);
    }
    dtx_text_finish(&listing);
    if (status == DTX_OK) {
        s->storage->ops->use_catalog(s->storage, s->catalog);
    }
    return status;
}

const struct dtx_dataset *
store_find(struct store *s, const char *path)
{
    int index = dtx_catalog_find(s->catalog, 0, path);

    return index < 0 ? NULL : &s->catalog->datasets[index];
}

enum dtx_status
store_read(struct store *s, const char *path, const int64_t *lo,
           const int64_t *len, void *buffer)
{
    static const int64_t zeros[DTX_NDIM_MAX];
    int index = dtx_catalog_find(s->catalog, 0, path);

    if (lo == NULL) {
        lo = zeros;
        len = s->catalog->datasets[index].shape;
    }
    return s->storage->ops->read(s->storage, index, lo, len, buffer, &s->err);
}

struct dtx_target_file *
store_target(struct store *s, const char *name, int dataset_count)
{
    struct dtx_target_file *file = dtx_arena_alloc(&s->arena, 1, sizeof *file);

    file->path = name[0] == '/' ? name : store_path(s, name);
    file->temporary = dtx_arena_format(&s->arena, "%s.tmp", file->path);
    file->create = true;
    file->dataset_count = dataset_count;
    file->datasets = dtx_arena_alloc(&s->arena, (size_t)dataset_count,
                                     sizeof *file->datasets);
    return file;
}

void
store_set(struct dtx_target_file *file, int index, const char *path,
          struct dtx_type type, int ndim, const int64_t *shape)
{
    file->datasets[index] = (struct dtx_target_dataset){.path = path,
                                                        .type = type,
                                                        .ndim = ndim,
                                                        .shape = shape,
                                                        .source_dataset = -1};
}

struct dtx_target_file *
store_copy_target(struct store *s, const char *name)
{
    struct dtx_target_file *file =
        store_target(s, name, s->catalog->dataset_count);
    int i;

    file->dataset_count = 0;
    file->objects = dtx_arena_alloc(
        &s->arena, (size_t)s->catalog->dataset_count, sizeof *file->objects);
    file->groups = dtx_arena_alloc(&s->arena, (size_t)s->catalog->group_count,
                                   sizeof *file->groups);
    for (i = 0; i < s->catalog->dataset_count; i++) {
        const struct dtx_dataset *d = &s->catalog->datasets[i];

        if (d->form == DTX_FORM_OBJECT) {
            file->objects[file->object_count++] =
                (struct dtx_target_object){d->path, i};
        } else {
            store_set(file, file->dataset_count, d->path, d->type, d->ndim,
                      d->shape);
            file->datasets[file->dataset_count++].source_dataset = i;
        }
    }
    for (i = 0; i < s->catalog->group_count; i++) {
        file->groups[file->group_count++] =
            (struct dtx_target_group){s->catalog->groups[i].path, i};
    }
    return file;
}

/* One index of the first dim at a time, so that boxes are real boxes. */
static enum dtx_status
copy_dataset(struct store *s, struct dtx_target_file *file, int index)
{
    struct dtx_target_dataset *d = &file->datasets[index];
    enum dtx_status status = DTX_OK;
    int64_t lo[DTX_NDIM_MAX] = {0};
    int64_t len[DTX_NDIM_MAX];
    int64_t rows = d->ndim == 0 ? 1 : d->shape[0];
    int64_t count = dtx_shape_count(d->ndim, d->shape);
    void *buffer = dtx_alloc((size_t)count + 1, d->type.size_bytes);

    if (d->ndim > 0) {
        memcpy(len, d->shape, (size_t)d->ndim * sizeof len[0]);
        len[0] = 1;
    }
    for (lo[0] = 0; lo[0] < rows && status == DTX_OK; lo[0]++) {
        status = s->storage->ops->read(s->storage, d->source_dataset, lo, len,
                                       buffer, &s->err);
        if (status == DTX_OK) {
            status = s->storage->ops->write(s->storage, file, index, lo, len,
                                            buffer, &s->err);
        }
    }
    dtx_free(buffer);
    return status;
}

enum dtx_status
store_copy(struct store *s, struct dtx_target_file *file)
{
    enum dtx_status status = s->storage->ops->create(s->storage, file, &s->err);
    int i;

    for (i = 0; i < file->dataset_count && status == DTX_OK; i++) {
        status = copy_dataset(s, file, i);
    }
    if (status == DTX_OK) {
        status = s->storage->ops->close(s->storage, file, &s->err);
    }
    if (status == DTX_OK) {
        status = s->storage->ops->commit(s->storage, file->temporary,
                                         file->path, &s->err);
    }
    return status;
}
