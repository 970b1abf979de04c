#include "plan/bind/clash.h"

#include <string.h>

#include "plan/bind/bind.h"
#include "plan/bind/refuse.h"
#include "plan/bind/target_paths.h"
#include "util/error.h"

/* What is checked: a tensor, and one whose name makes a folder of it. */
struct pair {
    const struct dtx_plan *plan;
    const char *above; /* "a" */
    const char *below; /* "a/b" */
    struct dtx_arena arena;
    struct dtx_names groups; /* of all files: the file, a newline, the path */
    struct dtx_text key;     /* scratch: one of these */
};

/* Sets the key to a file and a name's dataset in it; returns where the
 * dataset's path begins, or 0 when out of memory. */
static size_t
set_key(struct pair *p, const char *name, int position)
{
    const char *path =
        dtx_target_dataset_path(p->plan->target, name, position, &p->arena);
    size_t begin;

    p->key.length = 0;
    dtx_layout_file(p->plan->target, position, &p->key);
    dtx_text_add(&p->key, "\n");
    begin = p->key.length;
    if (path == NULL) {
        return 0;
    }
    dtx_text_add(&p->key, path);
    return p->key.failed ? 0 : begin;
}

/* Adds the groups that the lower one's dataset stands in. */
static int
add_groups(struct pair *p, int position)
{
    size_t begin = set_key(p, p->below, position);
    char *slash = begin == 0 ? NULL : p->key.data + begin;
    int failed = begin == 0;

    while (!failed && (slash = strchr(slash, '/')) != NULL) {
        *slash = '\0';
        failed = dtx_names_add(&p->groups, p->key.data) < 0;
        *slash++ = '/';
    }
    return failed ? -1 : 0;
}

/* Whether the upper one's dataset is such a group: 1, else 0; -1 when out of
 * memory. */
static int
is_group(struct pair *p, int position)
{
    return set_key(p, p->above, position) == 0
               ? -1
               : dtx_names_find(&p->groups, p->key.data) >= 0;
}

/* Does something at each position that a name's rule gives it to, until the
 * answer isn't 0. */
static enum dtx_status
at_holders(struct pair *p, const char *name, int (*ask)(struct pair *p, int),
           int *answer_out, struct dtx_error *err)
{
    const struct dtx_layout *target = p->plan->target;
    int rule = dtx_layout_find_rule(target, name);
    struct dtx_presence presence;
    enum dtx_status status = dtx_layout_presence(
        target, &target->rules[rule], name, &p->arena, &presence, err);
    int position;

    *answer_out = 0;
    for (position = 0; position < target->mesh.position_count &&
                       status == DTX_OK && *answer_out == 0;
         position++) {
        if (dtx_presence_holds(&presence, &target->mesh, position)) {
            *answer_out = ask(p, position);
        }
    }
    return status == DTX_OK && *answer_out < 0 ? dtx_error_memory(err) : status;
}

static enum dtx_status
refuse(const struct pair *p, const char *file, struct dtx_diagnostics *list,
       struct dtx_error *err)
{
    const struct dtx_layout *target = p->plan->target;

    return dtx_refuse(
        target, dtx_rename_mark(target), "E218", list, err,
        "'%.100s' can't be both a tensor and the folder of '%.100s' in '%s'",
        p->above, p->below, file);
}

/* Checks whether the two meet in one of the ranks' files. */
static enum dtx_status
check_files(struct pair *p, struct dtx_diagnostics *list, struct dtx_error *err)
{
    int answer;
    enum dtx_status status = at_holders(p, p->below, add_groups, &answer, err);

    if (status == DTX_OK) {
        status = at_holders(p, p->above, is_group, &answer, err);
    }
    if (status == DTX_OK && answer > 0) {
        *strchr(p->key.data, '\n') = '\0';
        status = refuse(p, p->key.data, list, err);
    }
    dtx_arena_finish(&p->arena);
    dtx_names_finish(&p->groups);
    dtx_text_finish(&p->key);
    return status;
}

static enum dtx_status
check_pair(const struct dtx_plan *plan, const char *above, const char *below,
           struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct pair p = {.plan = plan, .above = above, .below = below};

    if (plan->target->global != NULL) {
        return dtx_refuse(plan->target, plan->target->global_mark, "E215", list,
                          err,
                          "'%s' can't be both a tensor and the folder of '%s' "
                          "in one file",
                          above, below);
    }
    return check_files(&p, list, err);
}

/* Checks a name against all that are above it: 'a' is above 'a/b'. */
static enum dtx_status
check_name(const struct dtx_plan *plan, const struct dtx_names *names,
           const char *name, struct dtx_diagnostics *list,
           struct dtx_error *err)
{
    struct dtx_text above = {0};
    enum dtx_status status = DTX_OK;
    const char *slash = name;

    while (status == DTX_OK && (slash = strchr(slash, '/')) != NULL) {
        above.length = 0;
        dtx_text_add_bytes(&above, name, (size_t)(slash - name));
        slash++;
        if (above.failed) {
            status = dtx_error_memory(err);
        } else if (dtx_names_find(names, above.data) >= 0) {
            status = check_pair(plan, above.data, name, list, err);
        }
    }
    dtx_text_finish(&above);
    return status;
}

enum dtx_status
dtx_target_clash_check(const struct dtx_plan *plan,
                       const struct dtx_names *names,
                       struct dtx_diagnostics *list, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < names->count && status == DTX_OK; i++) {
        status = check_name(plan, names, names->strings[i], list, err);
    }
    return status;
}
