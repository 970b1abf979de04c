#include "plan/bind/target_view.h"

#include <string.h>

#include "plan/bind/bind.h"
#include "plan/bind/refuse.h"
#include "plan/bind/target_groups.h"
#include "plan/bind/target_paths.h"
#include "util/error.h"
#include "util/path.h"

/* ---------------------------------------------------------------- checking */

static enum dtx_status
check_pending(const struct dtx_plan *plan, const struct dtx_tensor *t,
              struct dtx_diagnostics *list, struct dtx_error *err)
{
    const struct dtx_rule *rule = &plan->target->rules[t->dst_rule];
    int i;

    for (i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            return dtx_refuse(plan->target, rule->placements[i].mark, "E214",
                              list, err,
                              "'global' can't show '%s', whose value is "
                              "pending",
                              t->dst_name);
        }
    }
    return DTX_OK;
}

/* The folder of a path, "" where it names none. */
static void
cut_name(struct dtx_text *path)
{
    char *slash = path->data == NULL ? NULL : strrchr(path->data, '/');

    if (slash != NULL) {
        slash[slash == path->data ? 1 : 0] = '\0';
    } else if (path->data != NULL) {
        path->data[0] = '\0';
    }
}

static enum dtx_status
check_path(const struct dtx_layout *target, int position,
           struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_text own = {0}, file = {0}, way = {0};
    enum dtx_status status = DTX_OK;

    dtx_layout_global_file(target, &own);
    dtx_layout_file(target, position, &file);
    if (own.failed || file.failed) {
        status = dtx_error_memory(err);
    } else if (dtx_path_equal(own.data, file.data)) {
        status = dtx_refuse(target, target->global_mark, "E216", list, err,
                            "'global' is to be a file beside those of 'path'");
    } else {
        cut_name(&own);
        if (!dtx_path_relative(own.data, file.data, &way)) {
            status = dtx_refuse(target, target->global_mark, "E216", list, err,
                                "'global' can't name '%s' relative to itself",
                                file.data);
        }
    }
    dtx_text_finish(&own);
    dtx_text_finish(&file);
    dtx_text_finish(&way);
    return status;
}

enum dtx_status
dtx_target_view_check(const struct dtx_plan *plan, struct dtx_diagnostics *list,
                      struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    if (plan->target->global == NULL) {
        return DTX_OK;
    }
    for (i = 0; i < plan->tensor_count && status == DTX_OK; i++) {
        status = check_pending(plan, &plan->tensors[i], list, err);
    }
    for (i = 0; i < plan->target->mesh.position_count && status == DTX_OK;
         i++) {
        status = check_path(plan->target, i, list, err);
    }
    return status;
}

/* ---------------------------------------------------------------- parts */

struct shown {
    struct dtx_target_view view; /* the first member */
    const struct dtx_plan *plan;
    const char *folder; /* of the file */
};

/* What one shard has of a tensor, while its boxes are visited. */
struct walk {
    const struct dtx_side *side;
    int pieces[DTX_NDIM_MAX];
    int at[DTX_NDIM_MAX]; /* into the tiles of each piece */
    int64_t lo[DTX_NDIM_MAX], len[DTX_NDIM_MAX], local[DTX_NDIM_MAX];
};

static int
tile_count(const struct walk *w, int dim)
{
    const int *first = w->side->tiling->dims[dim].piece_first;

    return first[w->pieces[dim] + 1] - first[w->pieces[dim]];
}

static void
set_box(struct walk *w, int ndim)
{
    int dim;

    for (dim = 0; dim < ndim; dim++) {
        const struct dtx_tiling_dim *d = &w->side->tiling->dims[dim];
        const struct dtx_tile *tile =
            &d->tiles[d->piece_tiles[d->piece_first[w->pieces[dim]] +
                                     w->at[dim]]];

        w->lo[dim] = tile->lo;
        w->len[dim] = tile->hi - tile->lo;
        w->local[dim] = tile->local;
    }
}

/* The next box in row-major order; false at the end. */
static bool
advance(struct walk *w, int ndim)
{
    int dim;

    for (dim = ndim - 1; dim >= 0; dim--) {
        if (++w->at[dim] < tile_count(w, dim)) {
            return true;
        }
        w->at[dim] = 0;
    }
    return false;
}

static int
visit_boxes(const struct dtx_side *side, int shard, int ndim,
            struct dtx_target_part *part, dtx_target_part_visit *visit,
            void *context)
{
    struct walk w = {.side = side};
    int dim, answer = 0;

    dtx_side_pieces(side, shard, w.pieces);
    for (dim = 0; dim < ndim; dim++) {
        if (tile_count(&w, dim) == 0) {
            return 0; /* an empty shard, or padding */
        }
    }
    part->lo = w.lo;
    part->len = w.len;
    part->local = w.local;
    do {
        set_box(&w, ndim);
        answer = visit(part, context);
    } while (answer == 0 && advance(&w, ndim));
    return answer;
}

/* The whole of a dataset that holds all of a tensor. */
static int
visit_whole(const struct dtx_tensor *t, struct dtx_target_part *part,
            dtx_target_part_visit *visit, void *context)
{
    static const int64_t origin[DTX_NDIM_MAX];
    int dim;

    for (dim = 0; dim < t->ndim; dim++) {
        if (t->shape[dim] == 0) {
            return 0;
        }
    }
    part->shape = t->shape;
    part->lo = part->local = origin;
    part->len = t->shape;
    return visit(part, context);
}

static int
visit_position(const struct shown *s, const struct dtx_tensor *t, int shard,
               int position, dtx_target_part_visit *visit, void *context)
{
    const struct dtx_layout *target = s->plan->target;
    const struct dtx_side *side = s->plan->classes[t->class_index]->final;
    struct dtx_arena scratch = {0};
    struct dtx_text file = {0}, way = {0};
    int64_t shape[DTX_NDIM_MAX];
    struct dtx_target_part part = {.shape = shape};
    int answer = -1;

    part.path =
        dtx_target_dataset_path(target, t->dst_name, position, &scratch);
    dtx_layout_file(target, position, &file);
    if (part.path != NULL && !file.failed &&
        dtx_path_relative(s->folder, file.data, &way) && !way.failed) {
        part.file = way.data;
        if (target->view == DTX_VIEW_GLOBAL) {
            answer = visit_whole(t, &part, visit, context);
        } else {
            dtx_tiling_local_shape(side->tiling, &target->mesh, position,
                                   shape);
            answer = visit_boxes(side, shard, t->ndim, &part, visit, context);
        }
    }
    dtx_text_finish(&file);
    dtx_text_finish(&way);
    dtx_arena_finish(&scratch);
    return answer;
}

static int
each_part(const struct dtx_target_view *view, int dataset,
          dtx_target_part_visit *visit, void *context)
{
    const struct shown *s = (const struct shown *)view;
    const struct dtx_tensor *t = &s->plan->tensors[dataset];
    const struct dtx_side *side = s->plan->classes[t->class_index]->final;
    int shard, answer = 0;

    for (shard = 0; shard < side->shard_count && answer == 0; shard++) {
        int first = side->shard_first[shard];

        if (first < side->shard_first[shard + 1]) {
            answer = visit_position(s, t, shard, side->positions[first], visit,
                                    context);
            if (s->plan->target->view == DTX_VIEW_GLOBAL) {
                break; /* one dataset holds all shards */
            }
        }
    }
    return answer;
}

/* ---------------------------------------------------------------- describing
 */

int
dtx_target_view_creator(const struct dtx_plan *plan)
{
    return plan->dst_process[0];
}

static int
add_datasets(struct dtx_target_files *files, struct dtx_target_file *file)
{
    const struct dtx_plan *plan = files->plan;
    int i;

    file->datasets = dtx_arena_alloc(&files->arena, (size_t)plan->tensor_count,
                                     sizeof *file->datasets);
    file->objects = dtx_arena_alloc(&files->arena, (size_t)plan->object_count,
                                    sizeof *file->objects);
    if (file->datasets == NULL || file->objects == NULL) {
        return -1;
    }
    file->dataset_count = plan->tensor_count;
    for (i = 0; i < plan->tensor_count; i++) {
        const struct dtx_tensor *t = &plan->tensors[i];

        file->datasets[i] =
            (struct dtx_target_dataset){.path = t->dst_name,
                                        .type = t->dst_type,
                                        .ndim = t->ndim,
                                        .shape = t->shape,
                                        .source_dataset = t->first_dataset};
    }
    file->object_count = plan->object_count;
    for (i = 0; i < plan->object_count; i++) {
        file->objects[i] = (struct dtx_target_object){plan->objects[i].dst_name,
                                                      plan->objects[i].dataset};
    }
    return dtx_target_groups_add(plan, file, NULL, 0, &files->arena);
}

/* The view of the file, and its paths. */
static int
set_view(struct dtx_target_files *files, struct dtx_target_file *file)
{
    struct shown *s = dtx_arena_alloc(&files->arena, 1, sizeof *s);
    struct dtx_text path = {0};
    int failed = 1;

    dtx_layout_global_file(files->plan->target, &path);
    if (s != NULL && !path.failed) {
        file->path = dtx_arena_string(&files->arena, path.data);
        file->temporary = dtx_arena_format(
            &files->arena, "%s" DTX_TEMPORARY_ENDING, path.data);
        cut_name(&path);
        *s = (struct shown){{each_part},
                            files->plan,
                            dtx_arena_string(&files->arena, path.data)};
        file->view = &s->view;
        failed =
            file->path == NULL || file->temporary == NULL || s->folder == NULL;
    }
    dtx_text_finish(&path);
    return failed ? -1 : 0;
}

int
dtx_target_view_describe(struct dtx_target_files *files,
                         struct dtx_target_file *file)
{
    int *creator = dtx_arena_alloc(&files->arena, 1, sizeof *creator);

    if (creator == NULL) {
        return -1;
    }
    *creator = dtx_target_view_creator(files->plan);
    *file = (struct dtx_target_file){.create = true,
                                     .creator = *creator,
                                     .process_count = 1,
                                     .processes = creator};
    return set_view(files, file) != 0 || add_datasets(files, file) != 0 ? -1
                                                                        : 0;
}
