/*
 * What is in one file of a target: its datasets, its objects, its groups.
 */
#include "plan/bind/target_file.h"

#include "plan/bind/target_groups.h"
#include "plan/bind/target_paths.h"
#include "util/alloc.h"
#include "util/error.h"

/* One file while it is described. */
struct describing {
    struct dtx_target_files *files;
    struct dtx_target_file *file;
    struct dtx_names *names;
    int *owners; /* [names] tensor, or -1 - object */
    size_t owner_capacity;
    size_t dataset_capacity;
    size_t object_capacity;
    struct dtx_arena scratch;
};

/* ---------------------------------------------------------------- paths */

/*
 * True where a position is the lowest of those whose paths render alike, on
 * the axes that no field tells apart.
 */
static bool
is_lowest(const struct dtx_layout *layout, const struct dtx_presence *presence,
          int position)
{
    int axis;

    for (axis = 0; axis < layout->mesh.axis_count; axis++) {
        const int *held = presence->coordinates[axis];

        if (!dtx_template_tells(&layout->path, axis) &&
            !dtx_template_tells(&layout->dataset, axis) &&
            dtx_mesh_coordinate(&layout->mesh, position, axis) !=
                (held != NULL ? held[0] : 0)) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------- names */

static enum dtx_status
refuse_clash(const struct describing *d, const char *path, int owner,
             const char *name, struct dtx_error *err)
{
    const struct dtx_plan *plan = d->files->plan;
    const char *other = owner >= 0 ? plan->tensors[owner].dst_name
                                   : plan->objects[-1 - owner].dst_name;

    dtx_error_set(err, DTX_ERR_INVALID,
                  "'%s' and '%s' would both be dataset '%s' of '%s'", other,
                  name, path, d->file->path);
    dtx_error_hint(err,
                   "tell them apart with fields in 'path' or 'dataset' "
                   "of %s",
                   plan->target->file);
    return DTX_ERR_INVALID;
}

/* Two positions that fields are to tell apart, as in "{a}{b}.h5": 1 and 10, 11
 * and 0. */
static enum dtx_status
refuse_doubled(const struct describing *d, const char *path, const char *name,
               struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_INVALID,
                  "two ranks' shards of '%s' would both be dataset '%s' of "
                  "'%s'",
                  name, path, d->file->path);
    dtx_error_hint(err,
                   "put something between the fields in 'path' or 'dataset' "
                   "of %s",
                   d->files->plan->target->file);
    return DTX_ERR_INVALID;
}

/* Registers the path of a dataset that is to be added. */
static enum dtx_status
take_path(struct describing *d, const char *path, int owner, const char *name,
          struct dtx_error *err)
{
    int before = d->names->count;
    int number;

    if (dtx_grow(&d->owners, (size_t)before, &d->owner_capacity,
                 sizeof *d->owners) != 0) {
        return dtx_error_memory(err);
    }
    number = dtx_names_add(d->names, path);
    if (number < 0) {
        return dtx_error_memory(err);
    }
    if (number < before) {
        return d->owners[number] == owner
                   ? refuse_doubled(d, path, name, err)
                   : refuse_clash(d, path, d->owners[number], name, err);
    }
    d->owners[number] = owner;
    return DTX_OK;
}

/* ---------------------------------------------------------------- datasets */

static const int64_t *
dataset_shape(const struct describing *d, const struct dtx_tensor *t,
              const struct dtx_side *dst, int position)
{
    const struct dtx_layout *layout = d->files->plan->target;
    int64_t *shape;

    if (layout->view == DTX_VIEW_GLOBAL) {
        return t->shape;
    }
    shape = dtx_arena_alloc(&d->files->arena, (size_t)t->ndim, sizeof *shape);
    if (shape != NULL) {
        dtx_tiling_local_shape(dst->tiling, &layout->mesh, position, shape);
    }
    return shape;
}

static enum dtx_status
add_dataset(struct describing *d, int tensor, int position,
            struct dtx_error *err)
{
    const struct dtx_plan *plan = d->files->plan;
    const struct dtx_tensor *t = &plan->tensors[tensor];
    struct dtx_target_dataset *dataset;
    enum dtx_status status;
    const char *path;

    dtx_arena_reset(&d->scratch);
    path = dtx_target_dataset_path(plan->target, t->dst_name, position,
                                   &d->scratch);
    if (path == NULL) {
        return dtx_error_memory(err);
    }
    status = take_path(d, path, tensor, t->dst_name, err);
    if (status != DTX_OK) {
        return status;
    }
    if (dtx_grow(&d->file->datasets, (size_t)d->file->dataset_count,
                 &d->dataset_capacity, sizeof *d->file->datasets) != 0) {
        return dtx_error_memory(err);
    }
    dataset = &d->file->datasets[d->file->dataset_count++];
    *dataset = (struct dtx_target_dataset){
        .path = d->names->strings[d->names->count - 1],
        .type = t->dst_type,
        .ndim = t->ndim,
        .shape =
            dataset_shape(d, t, plan->classes[t->class_index]->final, position),
        .source_dataset = t->first_dataset};
    return dataset->shape != NULL ? DTX_OK : dtx_error_memory(err);
}

static enum dtx_status
add_object(struct describing *d, int object, int position,
           struct dtx_error *err)
{
    const struct dtx_plan *plan = d->files->plan;
    const struct dtx_object *o = &plan->objects[object];
    enum dtx_status status;
    const char *path;

    dtx_arena_reset(&d->scratch);
    path = dtx_target_dataset_path(plan->target, o->dst_name, position,
                                   &d->scratch);
    if (path == NULL) {
        return dtx_error_memory(err);
    }
    status = take_path(d, path, -1 - object, o->dst_name, err);
    if (status != DTX_OK) {
        return status;
    }
    if (dtx_grow(&d->file->objects, (size_t)d->file->object_count,
                 &d->object_capacity, sizeof *d->file->objects) != 0) {
        return dtx_error_memory(err);
    }
    d->file->objects[d->file->object_count++] = (struct dtx_target_object){
        d->names->strings[d->names->count - 1], o->dataset};
    return DTX_OK;
}

/* Who holds a tensor by its rule alone: a pending sum's other coordinates
 * hold zeros. */
static enum dtx_status
rule_presence(struct describing *d, int rule, const char *name,
              struct dtx_presence *presence_out, struct dtx_error *err)
{
    const struct dtx_layout *layout = d->files->plan->target;

    return dtx_layout_presence(layout, &layout->rules[rule], name,
                               &d->files->arena, presence_out, err);
}

static enum dtx_status
describe_tensor(struct describing *d, int tensor, const int *positions,
                int position_count, struct dtx_error *err)
{
    const struct dtx_plan *plan = d->files->plan;
    const struct dtx_tensor *t = &plan->tensors[tensor];
    struct dtx_presence presence;
    enum dtx_status status =
        rule_presence(d, t->dst_rule, t->dst_name, &presence, err);
    int i;

    for (i = 0; i < position_count && status == DTX_OK; i++) {
        if (dtx_presence_holds(&presence, &plan->target->mesh, positions[i]) &&
            is_lowest(plan->target, &presence, positions[i])) {
            status = add_dataset(d, tensor, positions[i], err);
        }
    }
    return status;
}

static enum dtx_status
describe_object(struct describing *d, int object, const int *positions,
                int position_count, struct dtx_error *err)
{
    const struct dtx_plan *plan = d->files->plan;
    const struct dtx_object *o = &plan->objects[object];
    struct dtx_presence presence;
    enum dtx_status status =
        rule_presence(d, o->dst_rule, o->dst_name, &presence, err);
    int i;

    for (i = 0; i < position_count && status == DTX_OK; i++) {
        if (dtx_presence_holds(&presence, &plan->target->mesh, positions[i]) &&
            is_lowest(plan->target, &presence, positions[i])) {
            status = add_object(d, object, positions[i], err);
        }
    }
    return status;
}

/* ---------------------------------------------------------------- file */

/* Moves a grown list into the arena, where it lives as long as the files. */
static void *
keep(struct dtx_target_files *files, void *list, int count, size_t size)
{
    void *copy = dtx_arena_copy(&files->arena, list, (size_t)count, size);

    dtx_free(list);
    return copy;
}

enum dtx_status
dtx_target_file_describe(struct dtx_target_files *files, int index,
                         const int *positions, int position_count,
                         struct dtx_error *err)
{
    const struct dtx_plan *plan = files->plan;
    struct describing d = {.files = files,
                           .file = &files->files[index],
                           .names = &files->datasets[index]};
    struct dtx_target_file *f = d.file;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < plan->tensor_count && status == DTX_OK; i++) {
        status = describe_tensor(&d, i, positions, position_count, err);
    }
    for (i = 0; i < plan->object_count && status == DTX_OK; i++) {
        status = describe_object(&d, i, positions, position_count, err);
    }
    f->datasets =
        keep(files, f->datasets, f->dataset_count, sizeof *f->datasets);
    f->objects = keep(files, f->objects, f->object_count, sizeof *f->objects);
    if (status == DTX_OK && (f->datasets == NULL || f->objects == NULL)) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK && f->create &&
        dtx_target_groups_add(plan, f, positions, position_count,
                              &files->arena) != 0) {
        status = dtx_error_memory(err);
    }
    dtx_free(d.owners);
    dtx_arena_finish(&d.scratch);
    return status;
}
