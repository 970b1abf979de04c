#include "plan/bind/target_files.h"

#include "plan/bind/target_file.h"
#include "plan/bind/target_paths.h"
#include "plan/bind/target_view.h"
#include "util/alloc.h"
#include "util/error.h"

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
            status = dtx_target_file_describe(files, files->file_count - 1,
                                              positions, count, err);
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
