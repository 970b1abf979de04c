#include "written.h"

#include <string.h>

#include "storage/memory/memory_files.h"

static const struct dtx_memory_file *
find_manifest(const struct job *job)
{
    for (size_t i = 0; i < job->files->count; i++) {
        if (strstr(job->files->files[i].path, "manifest.yaml") != NULL) {
            return &job->files->files[i];
        }
    }
    return NULL;
}

void
write_target(struct random *random, struct written *w)
{
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count =
                                           1 + (int)random_below(random, 3),
                                       .memory_bytes = 1 << 20,
                                       .map = DTX_MAP_BLOCK};
    const struct dtx_memory_file *file;
    char folder[256];
    struct dtx_error err;

    layout_case_make(random, 8, &w->text);
    job_begin(&w->job, &w->text, &options);
    job_run(&w->job);
    file = find_manifest(&w->job);
    w->is_there = w->job.members[0].status == DTX_OK;
    w->manifest = NULL;
    w->list = dtx_diagnostics_create();
    claim(w->is_there == (file != NULL));
    if (!w->is_there) {
        return;
    }
    snprintf(folder, sizeof folder, "%s", file->path);
    if (strrchr(folder, '/') == NULL) {
        snprintf(folder, sizeof folder, ".");
    } else {
        *strrchr(folder, '/') = '\0';
    }
    claim(dtx_layout_parse(file->text, file->path, folder, DTX_SOURCE, w->list,
                           &w->manifest, &err) == DTX_OK,
          "%s\n%s", err.message, file->text);
}

void
forget_target(struct written *w)
{
    dtx_layout_destroy(w->manifest);
    dtx_diagnostics_destroy(w->list);
    job_finish(&w->job);
    layout_case_finish(&w->text);
}

/* Picks one of the elements that stand for something. */
static void
consider(const struct scene_dataset *dataset, void *context)
{
    struct damage *d = context;
    const struct scene *scene = &d->written->job.scene;
    bool is_global = scene->layouts[SCENE_TARGET]->view == DTX_VIEW_GLOBAL;
    size_t size =
        dtx_dtype_size(d->written->text.tensors[dataset->tensor].dst_dtype);
    struct shard shard;
    int64_t count = 1, local, element;

    for (int dim = 0; dim < dataset->ndim; dim++) {
        count *= dataset->shape[dim];
    }
    if (count == 0) {
        return;
    }
    scene_shard(scene, SCENE_TARGET, dataset->tensor, dataset->position,
                &shard);
    local = (int64_t)random_below(d->random, (uint64_t)count);
    element = is_global ? local
                        : scene_element(scene, dataset->tensor, &shard, local);
    if (element == REFERENCE_PADDING ||
        random_below(d->random, ++d->seen) != 0) {
        return;
    }
    snprintf(d->file, sizeof d->file, "%s", dataset->file);
    snprintf(d->path, sizeof d->path, "%s", dataset->path);
    d->tensor = dataset->tensor;
    d->position = dataset->position;
    d->element = element;
    d->at = (size_t)local * size;
}

bool
damage(struct random *random, struct written *w, struct damage *d)
{
    struct dtx_memory_blob *blob;
    size_t size;

    *d = (struct damage){.written = w, .random = random};
    scene_each_dataset(&w->job.scene, SCENE_TARGET, consider, d);
    if (d->seen == 0) {
        return false;
    }
    size = dtx_dtype_size(w->text.tensors[d->tensor].dst_dtype);
    blob = dtx_memory_find_blob(dtx_memory_find_file(w->job.files, d->file),
                                d->path);
    blob->data[d->at + random_below(random, size)] ^=
        (char)(1 << random_below(random, 8));
    return true;
}
