#include "plan/target_files.h"

#include <string.h>

#include "plan/target_groups.h"
#include "plan/target_paths.h"
#include "plan/target_view.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

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

/* True where a position holds the ones of a pending product: its value is at
 * another coordinate, and no pending sum asks for zeros. */
static bool
is_neutral_term(const struct dtx_plan *plan, const struct dtx_tensor *t,
                int position)
{
    const struct dtx_rule *rule = &plan->target->rules[t->dst_rule];
    bool ones = false;
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        const struct dtx_placement *p = &rule->placements[i];

        if (p->kind != DTX_PARTIAL ||
            dtx_mesh_coordinate(&plan->target->mesh, position, p->axis) == 0) {
            continue;
        }
        if (p->op == DTX_SUM) {
            return false;
        }
        ones |= p->op == DTX_PRODUCT;
    }
    return ones;
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
        .source_dataset = t->first_dataset,
        .ones_tensor = tensor,
        .ones_position = is_neutral_term(plan, t, position) ? position : -1};
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

/* ---------------------------------------------------------------- files */

/* Moves a grown list into the arena, where it lives as long as the files. */
static void *
keep(struct dtx_target_files *files, void *list, int count, size_t size)
{
    void *copy = dtx_arena_copy(&files->arena, list, (size_t)count, size);

    dtx_free(list);
    return copy;
}

/* positions [position_count] of the file, ascending. */
static enum dtx_status
describe_file(struct dtx_target_files *files, int index, const int *positions,
              int position_count, struct dtx_error *err)
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

/* Lists the processes of a file, each once, the creator first. */
static int
set_processes(struct dtx_target_files *files, struct dtx_target_file *f,
              const int *positions, int count)
{
    const int *hosts = files->plan->dst_process;
    int *list = dtx_arena_alloc(&files->arena, (size_t)count, sizeof *list);
    int i, k;

    if (list == NULL) {
        return -1;
    }
    f->processes = list;
    for (i = 0; i < count; i++) {
        int process = hosts[positions[i]];

        for (k = f->process_count; k > 0; k--) { /* the latest is likely */
            if (list[k - 1] == process) {
                break;
            }
        }
        if (k == 0) {
            list[f->process_count++] = process;
        }
    }
    f->is_shared = f->process_count > 1;
    return 0;
}

/* Starts a file's description where the process has to do with it: 1, else
 * 0; -1 when out of memory. */
static int
begin_file(struct dtx_target_files *files, const char *path,
           const int *positions, int count)
{
    const struct dtx_plan *plan = files->plan;
    struct dtx_target_file *f = &files->files[files->file_count];
    int creator = plan->dst_process[positions[0]];
    bool concerns = false;
    int i;

    for (i = 0; i < count; i++) {
        concerns |= plan->dst_process[positions[i]] == files->process;
    }
    if (!concerns) {
        return 0;
    }
    *f = (struct dtx_target_file){
        .path = dtx_arena_string(&files->arena, path),
        .temporary =
            dtx_arena_format(&files->arena, "%s" DTX_TEMPORARY_ENDING, path),
        .create = creator == files->process,
        .creator = creator,
        .chunk_count = plan->target->chunk_count,
        .chunks = plan->target->chunks,
        .gzip = plan->target->gzip};
    for (i = 0; i < count; i++) {
        files->position_file[positions[i]] = files->file_count;
    }
    files->file_count++;
    return f->path == NULL || f->temporary == NULL ||
                   set_processes(files, f, positions, count) != 0
               ? -1
               : 1;
}

static enum dtx_status
describe_all(struct dtx_target_files *files,
             const struct dtx_target_paths *paths, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < paths->paths.count && status == DTX_OK; i++) {
        const int *positions = paths->positions + paths->first[i];
        int count = paths->first[i + 1] - paths->first[i];
        int begun =
            begin_file(files, paths->paths.strings[i], positions, count);

        if (begun < 0) {
            status = dtx_error_memory(err);
        } else if (begun > 0) {
            status = describe_file(files, files->file_count - 1, positions,
                                   count, err);
        }
    }
    return status;
}

/* The file that shows whole tensors comes last, and so into its place. */
static enum dtx_status
describe_view(struct dtx_target_files *files, struct dtx_error *err)
{
    if (dtx_target_view_creator(files->plan) != files->process) {
        return DTX_OK;
    }
    return dtx_target_view_describe(files,
                                    &files->files[files->file_count++]) != 0
               ? dtx_error_memory(err)
               : DTX_OK;
}

static enum dtx_status
create(struct dtx_target_files *files, const struct dtx_target_paths *paths,
       struct dtx_error *err)
{
    size_t positions = (size_t)files->plan->target->mesh.position_count;
    bool has_view = files->plan->target->global != NULL;
    size_t total = (size_t)paths->paths.count + has_view, i;
    enum dtx_status status;

    files->total_count = (int)total;
    files->position_file =
        dtx_arena_alloc(&files->arena, positions, sizeof(int));
    files->files = dtx_arena_alloc(&files->arena, total, sizeof *files->files);
    files->datasets = dtx_alloc(total, sizeof *files->datasets);
    if (files->position_file == NULL || files->files == NULL ||
        files->datasets == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < positions; i++) {
        files->position_file[i] = -1;
    }
    status = describe_all(files, paths, err);
    if (status == DTX_OK && has_view) {
        status = describe_view(files, err);
    }
    return status;
}

enum dtx_status
dtx_target_files_create(const struct dtx_plan *plan, int process,
                        struct dtx_target_files **files_out,
                        struct dtx_error *err)
{
    struct dtx_target_files *files = dtx_alloc(1, sizeof *files);
    struct dtx_target_paths paths = {{{0}, NULL, 0, NULL, 0, 0}, NULL, NULL};
    enum dtx_status status;

    if (files == NULL) {
        return dtx_error_memory(err);
    }
    files->plan = plan;
    files->process = process;
    status = dtx_target_paths_init(&paths, plan->target) != 0
                 ? dtx_error_memory(err)
                 : create(files, &paths, err);
    dtx_target_paths_finish(&paths);
    if (status != DTX_OK) {
        dtx_target_files_destroy(files);
        return status;
    }
    *files_out = files;
    return DTX_OK;
}

void
dtx_target_files_destroy(struct dtx_target_files *files)
{
    int i;

    if (files == NULL) {
        return;
    }
    for (i = 0; i < files->file_count && files->datasets != NULL; i++) {
        dtx_names_finish(&files->datasets[i]);
    }
    dtx_free(files->datasets);
    dtx_arena_finish(&files->arena);
    dtx_free(files);
}

int
dtx_target_files_find(const struct dtx_target_files *files, int tensor,
                      int position, struct dtx_arena *scratch, int *file_out,
                      int *dataset_out)
{
    const char *path;

    dtx_arena_reset(scratch);
    path = dtx_target_dataset_path(files->plan->target,
                                   files->plan->tensors[tensor].dst_name,
                                   position, scratch);
    if (path == NULL) {
        return -1;
    }
    *file_out = files->position_file[position];
    *dataset_out = dtx_names_find(&files->datasets[*file_out], path);
    return 0;
}
