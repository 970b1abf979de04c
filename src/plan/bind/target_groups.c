#include "plan/bind/target_groups.h"

#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* What is gathered for one file. */
struct gathering {
    const struct dtx_plan *plan;
    struct dtx_target_file *file;
    struct dtx_arena *arena;
    struct dtx_names paths; /* of the target's groups, each once */
    size_t capacity;
};

int
dtx_group_base(const struct dtx_layout *layout, int position,
               struct dtx_text *base)
{
    char *name;

    base->length = 0;
    dtx_template_render(&layout->dataset, &layout->mesh, position, "\1", base);
    if (base->failed) {
        return -1;
    }
    name = strchr(base->data, '\1');
    while (name > base->data && name[-1] != '/') {
        name--;
    }
    *name = '\0';
    base->length = (size_t)(name - base->data);
    return 0;
}

/* True where a group is on the way to a dataset of the file. */
static bool
holds_datasets(const struct dtx_target_file *file, const char *path)
{
    size_t length = strlen(path);
    int i;

    if (length == 0) {
        return true;
    }
    for (i = 0; i < file->dataset_count; i++) {
        if (strncmp(file->datasets[i].path, path, length) == 0 &&
            file->datasets[i].path[length] == '/') {
            return true;
        }
    }
    return false;
}

/* True where a group of the source is on the way to a dataset of its file. */
static bool
holds_source(const struct dtx_catalog *catalog, const struct dtx_group *group)
{
    size_t length = strlen(group->path);
    int i;

    for (i = 0; i < catalog->dataset_count; i++) {
        const struct dtx_dataset *d = &catalog->datasets[i];

        if (d->file == group->file &&
            strncmp(d->path, group->path, length) == 0 &&
            d->path[length] == '/') {
            return true;
        }
    }
    return false;
}

/* Adds a group to the file, unless a lower rank's is there already. */
static int
add_group(struct gathering *g, const char *path, int source_group)
{
    int before = g->paths.count;
    int number;

    /* One whose tensors are elsewhere is there with them; one that has none
     * goes everywhere. */
    if (!holds_datasets(g->file, path) &&
        holds_source(g->plan->catalog,
                     &g->plan->catalog->groups[source_group])) {
        return 0;
    }
    number = dtx_names_add(&g->paths, path);
    if (number < before) {
        return number < 0 ? -1 : 0;
    }
    if (dtx_grow(&g->file->groups, (size_t)g->file->group_count, &g->capacity,
                 sizeof *g->file->groups) != 0) {
        return -1;
    }
    path = dtx_arena_string(g->arena, path);
    g->file->groups[g->file->group_count++] =
        (struct dtx_target_group){path, source_group};
    return path != NULL ? 0 : -1;
}

/* Adds a source's group at its place under each rank's base in the file, or
 * as it is where the file is no rank's. */
static int
place_group(struct gathering *g, const char *source_path,
            const char *source_base, int source_group, const int *positions,
            int count)
{
    size_t length = strlen(source_base);
    struct dtx_text base = {0};
    int i, failed = 0;

    if (source_path[0] == '\0') {
        return add_group(g, "", source_group);
    }
    if (strncmp(source_path, source_base, length) != 0) {
        return 0;
    }
    if (count == 0) {
        return add_group(g, source_path + length, source_group);
    }
    for (i = 0; i < count && !failed; i++) {
        failed = dtx_group_base(g->plan->target, positions[i], &base);
        if (!failed) {
            dtx_text_add(&base, source_path + length);
            failed = base.failed || add_group(g, base.data, source_group) != 0;
        }
    }
    dtx_text_finish(&base);
    return failed ? -1 : 0;
}

static int
gather_position(struct gathering *g, int source_position, const int *positions,
                int count)
{
    const struct dtx_catalog *catalog = g->plan->catalog;
    struct dtx_text base = {0};
    int i, failed = dtx_group_base(g->plan->source, source_position, &base);

    for (i = 0; i < catalog->group_count && !failed; i++) {
        if (catalog->groups[i].file ==
            catalog->position_file[source_position]) {
            failed = place_group(g, catalog->groups[i].path, base.data, i,
                                 positions, count);
        }
    }
    dtx_text_finish(&base);
    return failed ? -1 : 0;
}

int
dtx_target_groups_add(const struct dtx_plan *plan, struct dtx_target_file *file,
                      const int *positions, int count, struct dtx_arena *arena)
{
    struct gathering g = {.plan = plan, .file = file, .arena = arena};
    struct dtx_target_group *groups;
    int position, failed = 0;

    for (position = 0; position < plan->source->mesh.position_count &&
                       plan->catalog->group_count > 0 && !failed;
         position++) {
        failed = gather_position(&g, position, positions, count);
    }
    groups = dtx_arena_copy(arena, file->groups, (size_t)file->group_count,
                            sizeof *groups);
    dtx_free(file->groups);
    file->groups = groups;
    dtx_names_finish(&g.paths);
    return failed || groups == NULL ? -1 : 0;
}
