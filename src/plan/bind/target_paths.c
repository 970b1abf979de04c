#include "plan/bind/target_paths.h"

#include "util/alloc.h"

/* Numbers the files of all positions; number_out [positions]. */
static int
number_files(struct dtx_names *paths, const struct dtx_layout *layout,
             int *number_out)
{
    struct dtx_text text = {0};
    int position, failed = 0;

    for (position = 0; position < layout->mesh.position_count && !failed;
         position++) {
        text.length = 0;
        dtx_layout_file(layout, position, &text);
        number_out[position] =
            text.failed ? -1 : dtx_names_add(paths, text.data);
        failed = number_out[position] < 0;
    }
    dtx_text_finish(&text);
    return failed ? -1 : 0;
}

/* Sorts the positions by file, ascending within each. */
static int
sort_positions(struct dtx_target_paths *paths, const int *numbers, int count)
{
    int i, files = paths->paths.count;

    paths->first = dtx_alloc((size_t)files + 2, sizeof(int));
    paths->positions = dtx_alloc((size_t)count, sizeof(int));
    if (paths->first == NULL || paths->positions == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        paths->first[numbers[i] + 2]++;
    }
    for (i = 0; i < files; i++) {
        paths->first[i + 2] += paths->first[i + 1];
    }
    for (i = 0; i < count; i++) {
        paths->positions[paths->first[numbers[i] + 1]++] = i;
    }
    return 0;
}

int
dtx_target_paths_init(struct dtx_target_paths *paths,
                      const struct dtx_layout *layout)
{
    int count = layout->mesh.position_count;
    int *numbers = dtx_alloc((size_t)count, sizeof *numbers);
    int failed = numbers == NULL ||
                 number_files(&paths->paths, layout, numbers) != 0 ||
                 sort_positions(paths, numbers, count) != 0;

    dtx_free(numbers);
    return failed ? -1 : 0;
}

void
dtx_target_paths_finish(struct dtx_target_paths *paths)
{
    dtx_names_finish(&paths->paths);
    dtx_free(paths->first);
    dtx_free(paths->positions);
}

const char *
dtx_target_dataset_path(const struct dtx_layout *layout, const char *name,
                        int position, struct dtx_arena *arena)
{
    const char *stored = dtx_layout_stored_name(layout, name, position, arena);
    struct dtx_text text = {0};
    const char *path = NULL;

    if (stored != NULL) {
        dtx_template_render(&layout->dataset, &layout->mesh, position, stored,
                            &text);
        if (!text.failed) {
            path = dtx_arena_string(arena, text.data);
        }
    }
    dtx_text_finish(&text);
    return path;
}
