/*
 * The groups of a checkpoint: what all ranks' files have at one path is one.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/bind/holding.h"
#include "plan/bind/target_groups.h"
#include "util/alloc.h"
#include "util/names.h"
#include "util/text.h"

/* One group while its attributes are gathered. */
struct gathered {
    struct dtx_attribute *attributes;
    size_t count, capacity;
};

struct gathering {
    struct dtx_names paths;
    struct gathered *groups; /* [paths.count] */
    size_t capacity;
};

static bool
has_attribute(const struct gathered *group, const char *name)
{
    size_t i;

    for (i = 0; i < group->count; i++) {
        if (strcmp(group->attributes[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds what a rank has of a group, beyond what lower ranks have. */
static int
add_group(struct gathering *g, const char *path, const struct dtx_group *group)
{
    int before = g->paths.count, number, i;
    struct gathered *into;

    if (dtx_grow(&g->groups, (size_t)before, &g->capacity, sizeof *g->groups) !=
        0) {
        return -1;
    }
    number = dtx_names_add(&g->paths, path);
    if (number < 0) {
        return -1;
    }
    into = &g->groups[number];
    if (number == before) {
        *into = (struct gathered){0};
    }
    for (i = 0; i < group->attribute_count; i++) {
        if (has_attribute(into, group->attributes[i].name)) {
            continue;
        }
        if (dtx_grow(&into->attributes, into->count, &into->capacity,
                     sizeof *into->attributes) != 0) {
            return -1;
        }
        into->attributes[into->count++] = group->attributes[i];
    }
    return 0;
}

static int
add_position(struct gathering *g, const struct dtx_holding *h, int position)
{
    const struct dtx_catalog *catalog = h->catalog;
    struct dtx_text base = {0};
    int i, failed = dtx_group_base(h->layout, position, &base);

    for (i = 0; i < catalog->group_count && !failed; i++) {
        const struct dtx_group *group = &catalog->groups[i];

        if (group->file != catalog->position_file[position]) {
            continue;
        }
        if (group->path[0] == '\0') {
            failed = add_group(g, "", group);
        } else if (strncmp(group->path, base.data, base.length) == 0) {
            failed = add_group(g, group->path + base.length, group);
        }
    }
    dtx_text_finish(&base);
    return failed;
}

static int
compare_paths(const void *left, const void *right)
{
    const struct dtx_held_group *a = left;
    const struct dtx_held_group *b = right;

    return strcmp(a->path, b->path);
}

/* Moves what was gathered into the holding's arena. */
static int
keep(struct dtx_holding *h, const struct gathering *g)
{
    int i;

    h->groups =
        dtx_arena_alloc(&h->arena, (size_t)g->paths.count, sizeof *h->groups);
    if (h->groups == NULL) {
        return -1;
    }
    for (i = 0; i < g->paths.count; i++) {
        const struct gathered *from = &g->groups[i];
        struct dtx_held_group *group = &h->groups[i];

        *group = (struct dtx_held_group){
            .path = dtx_arena_string(&h->arena, g->paths.strings[i]),
            .attribute_count = (int)from->count,
            .attributes =
                dtx_arena_copy(&h->arena, from->attributes, from->count,
                               sizeof *from->attributes)};
        if (group->path == NULL || group->attributes == NULL) {
            return -1;
        }
    }
    h->group_count = g->paths.count;
    if (h->group_count > 1) {
        qsort(h->groups, (size_t)h->group_count, sizeof *h->groups,
              compare_paths);
    }
    return 0;
}

int
dtx_holding_add_groups(struct dtx_holding *holding)
{
    struct gathering g = {0};
    int position, i, failed = 0;

    for (position = 0; position < holding->layout->mesh.position_count &&
                       holding->catalog->group_count > 0 && !failed;
         position++) {
        failed = add_position(&g, holding, position);
    }
    failed = failed != 0 || keep(holding, &g) != 0 ? -1 : 0;
    for (i = 0; i < g.paths.count && g.groups != NULL; i++) {
        dtx_free(g.groups[i].attributes);
    }
    dtx_free(g.groups);
    dtx_names_finish(&g.paths);
    return failed;
}
