#include "plan/bind/target_files.h"

#include <string.h>

#include "planned.h"

/* The files that all processes describe. */
struct described {
    const struct planned *p;
    struct dtx_target_files **files; /* [process_count] */
    struct dtx_names seen;           /* paths of datasets' files */
};

/* A process's description of a file, or NULL. */
static const struct dtx_target_file *
find_file(const struct described *d, int process, const char *path)
{
    const struct dtx_target_files *files = d->files[process];

    for (int i = 0; i < files->file_count; i++) {
        if (strcmp(files->files[i].path, path) == 0) {
            return &files->files[i];
        }
    }
    return NULL;
}

static int
plan_tensor(const struct described *d, int tensor)
{
    const char *name = scene_name(&d->p->scene, SCENE_TARGET, tensor);
    int found = -1;

    for (int i = 0; i < d->p->plan->tensor_count; i++) {
        if (strcmp(d->p->plan->tensors[i].dst_name, name) == 0) {
            found = i;
        }
    }
    so(found >= 0);
    return found;
}

/* The process of its lowest position finds the dataset and describes it. */
static void
check_dataset(const struct scene_dataset *expected, void *context)
{
    struct described *d = context;
    int process = d->p->plan->dst_process[expected->position];
    const struct dtx_target_files *files = d->files[process];
    const struct dtx_target_dataset *dataset;
    struct dtx_arena scratch = {0};
    int file, index;

    so(dtx_target_files_find(files, plan_tensor(d, expected->tensor),
                             expected->position, &scratch, &file, &index) == 0);
    so(strcmp(files->files[file].path, expected->file) == 0);
    dataset = &files->files[file].datasets[index];
    so(strcmp(dataset->path, expected->path) == 0);
    so(dataset->ndim == expected->ndim);
    so(expected->ndim == 0 ||
       memcmp(dataset->shape, expected->shape,
              (size_t)expected->ndim * sizeof(int64_t)) == 0);
    so(dataset->type.dtype == d->p->text->tensors[expected->tensor].dst_dtype);
    (void)dtx_names_add(&d->seen, expected->file);
    dtx_arena_finish(&scratch);
}

/* All who describe a file do so alike; one of them creates it. */
static void
check_file(const struct described *d, const char *path)
{
    const struct dtx_target_file *first = NULL;
    int creators = 0, writers = 0;

    for (int i = 0; i < d->p->options.process_count; i++) {
        const struct dtx_target_file *file = find_file(d, i, path);

        if (file == NULL) {
            continue;
        }
        first = first == NULL ? file : first;
        creators += file->create;
        writers++;
        so(file->create == (file->creator == i));
        so(file->creator == first->creator);
        so(file->dataset_count == first->dataset_count);
        so(strcmp(file->temporary, first->temporary) == 0);
        for (int k = 0; k < file->dataset_count; k++) {
            so(strcmp(file->datasets[k].path, first->datasets[k].path) == 0);
            so(file->datasets[k].ndim == first->datasets[k].ndim);
        }
    }
    so(creators == 1);
    for (int i = 0; i < d->p->options.process_count; i++) {
        const struct dtx_target_file *file = find_file(d, i, path);

        so(file == NULL || file->is_shared == (writers > 1));
    }
}

static void
check(struct planned *p, struct random *random)
{
    struct described d = {.p = p};
    int datasets = 0, described = 0;
    struct dtx_error err;

    (void)random;
    d.files = calloc((size_t)p->options.process_count, sizeof *d.files);
    for (int i = 0; i < p->options.process_count; i++) {
        so(dtx_target_files_create(p->plan, i, &d.files[i], &err) == DTX_OK);
    }
    scene_each_dataset(&p->scene, SCENE_TARGET, check_dataset, &d);
    for (int i = 0; i < d.seen.count; i++) {
        check_file(&d, d.seen.strings[i]);
    }
    for (int i = 0; i < p->options.process_count; i++) {
        for (int k = 0; k < d.files[i]->file_count; k++) {
            datasets += d.files[i]->files[k].dataset_count *
                        d.files[i]->files[k].create;
        }
        described += d.files[i]->file_count;
        so(d.files[i]->total_count >= d.seen.count);
        dtx_target_files_destroy(d.files[i]);
    }
    so(datasets >= p->text->tensor_count && described >= d.seen.count);
    free(d.files);
    dtx_names_finish(&d.seen);
}

Test(target_files, are_described_alike_by_all_who_write_them, .timeout = 300)
{
    each_random_plan(200, 12, 8, check);
}
