#include "plan/bind/attributes.h"

#include <stdio.h>
#include <string.h>

#include "plan/bind/target_groups.h"
#include "util/alloc.h"
#include "util/diagnostic.h"

enum { MESSAGE_BYTES = 1024 };

/* The attributes of one object as ranks show them, by name. */
struct seen {
    struct dtx_names names;
    uint64_t *digests; /* [names.count] of the lowest rank that has it */
    int64_t *ranks;    /* [names.count] that rank */
    bool *is_warned;
    size_t capacity[3];
};

static void
seen_finish(struct seen *seen)
{
    dtx_names_finish(&seen->names);
    dtx_free(seen->digests);
    dtx_free(seen->ranks);
    dtx_free(seen->is_warned);
}

static int
seen_add(struct seen *seen, const char *name, uint64_t digest, int64_t rank)
{
    size_t count = (size_t)seen->names.count;

    if (dtx_grow(&seen->digests, count, &seen->capacity[0],
                 sizeof *seen->digests) != 0 ||
        dtx_grow(&seen->ranks, count, &seen->capacity[1],
                 sizeof *seen->ranks) != 0 ||
        dtx_grow(&seen->is_warned, count, &seen->capacity[2],
                 sizeof *seen->is_warned) != 0 ||
        dtx_names_add(&seen->names, name) < 0) {
        return -1;
    }
    seen->digests[count] = digest;
    seen->ranks[count] = rank;
    seen->is_warned[count] = false;
    return 0;
}

static void
warn(struct dtx_binding *b, const char *what, const char *attribute,
     int64_t first, int64_t other)
{
    char message[MESSAGE_BYTES];
    struct dtx_diagnostic d = {.severity = DTX_SEVERITY_WARNING,
                               .code = "W203",
                               .file = b->layout->file,
                               .text = b->layout->text,
                               .message = message};

    snprintf(message, sizeof message,
             "ranks %lld and %lld differ in attribute '%s' of %s; rank %lld's "
             "is carried over",
             (long long)first, (long long)other, attribute, what,
             (long long)first);
    dtx_diagnostics_add(b->list, &d);
}

/* Takes one rank's attributes of an object into account. */
static int
take(struct dtx_binding *b, struct seen *seen, const char *what,
     const struct dtx_attribute *attributes, int count, int position)
{
    int64_t rank = dtx_mesh_rank(&b->layout->mesh, position);
    int i;

    for (i = 0; i < count; i++) {
        int number = dtx_names_find(&seen->names, attributes[i].name);

        if (number < 0) {
            if (seen_add(seen, attributes[i].name, attributes[i].digest,
                         rank) != 0) {
                return -1;
            }
        } else if (seen->digests[number] != attributes[i].digest &&
                   !seen->is_warned[number]) {
            warn(b, what, attributes[i].name, seen->ranks[number], rank);
            seen->is_warned[number] = true;
        }
    }
    return 0;
}

int
dtx_attributes_choose(struct dtx_binding *binding, const char *name,
                      const int *datasets, int *dataset_out)
{
    const struct dtx_catalog *catalog = binding->catalog;
    char what[MESSAGE_BYTES / 2];
    struct seen seen;
    int position, last = -1, chosen = -1, failed = 0;

    memset(&seen, 0, sizeof seen);
    snprintf(what, sizeof what, "'%s'", name);
    for (position = 0;
         position < binding->layout->mesh.position_count && !failed;
         position++) {
        int dataset = datasets[position];
        const struct dtx_dataset *d;

        if (dataset < 0 || dataset == last) {
            continue;
        }
        last = dataset;
        d = &catalog->datasets[dataset];
        if (chosen < 0 || (d->attribute_count > 0 &&
                           catalog->datasets[chosen].attribute_count == 0)) {
            chosen = dataset;
        }
        if (d->attribute_count > 0) {
            failed = take(binding, &seen, what, d->attributes,
                          d->attribute_count, position);
        }
    }
    seen_finish(&seen);
    *dataset_out = chosen;
    return failed;
}

/* ---------------------------------------------------------------- groups */

/* The groups of all ranks by their path below the template. */
struct groups {
    struct dtx_binding *b;
    struct dtx_names paths;
    struct seen *seen; /* [paths.count] */
    size_t capacity;
};

static int
take_group(struct groups *g, const char *path, const struct dtx_group *group,
           int position)
{
    char what[MESSAGE_BYTES / 2];
    int before = g->paths.count;
    int number = dtx_names_add(&g->paths, path);

    if (number < 0 || dtx_grow(&g->seen, (size_t)before, &g->capacity,
                               sizeof *g->seen) != 0) {
        return -1;
    }
    if (number == before) {
        memset(&g->seen[number], 0, sizeof *g->seen);
    }
    if (path[0] == '\0') {
        snprintf(what, sizeof what, "the file");
    } else {
        snprintf(what, sizeof what, "group '%s'", path);
    }
    return take(g->b, &g->seen[number], what, group->attributes,
                group->attribute_count, position);
}

static int
take_position(struct groups *g, int position)
{
    const struct dtx_layout *layout = g->b->layout;
    const struct dtx_catalog *catalog = g->b->catalog;
    struct dtx_text base = {0};
    int i, failed = dtx_group_base(layout, position, &base);

    for (i = 0; i < catalog->group_count && !failed; i++) {
        const struct dtx_group *group = &catalog->groups[i];

        if (group->file != catalog->position_file[position]) {
            continue;
        }
        if (group->path[0] == '\0') {
            failed = take_group(g, "", group, position);
        } else if (strncmp(group->path, base.data, base.length) == 0) {
            failed = take_group(g, group->path + base.length, group, position);
        }
    }
    dtx_text_finish(&base);
    return failed;
}

int
dtx_attributes_check_groups(struct dtx_binding *binding)
{
    struct groups g = {.b = binding};
    int i, position, failed = 0;

    for (position = 0; position < binding->layout->mesh.position_count &&
                       binding->catalog->group_count > 0 && !failed;
         position++) {
        failed = take_position(&g, position);
    }
    for (i = 0; i < g.paths.count && g.seen != NULL; i++) {
        seen_finish(&g.seen[i]);
    }
    dtx_free(g.seen);
    dtx_names_finish(&g.paths);
    return failed;
}
