#include <string.h>

#include "layout/layout.h"

enum { GROUP_COUNT = 10 }; /* the whole match and \1 … \9 */

/* Adds `to` with the groups of a match in `name`. */
static void
add_replacement(struct dtx_text *text, const char *to, const char *name,
                const regmatch_t *groups)
{
    for (; *to != '\0'; to++) {
        if (*to == '\\' && to[1] >= '1' && to[1] <= '9') {
            const regmatch_t *group = &groups[*++to - '0'];

            if (group->rm_so >= 0) {
                dtx_text_add_bytes(text, name + group->rm_so,
                                   (size_t)(group->rm_eo - group->rm_so));
            }
            continue;
        }
        to += *to == '\\' && to[1] == '\\';
        dtx_text_add_bytes(text, to, 1);
    }
}

/*
 * Replaces every match from left to right; an empty match inserts the text and
 * passes the next byte. False where there is no match.
 */
static bool
replace_all(const struct dtx_rename *rename, const char *name,
            struct dtx_text *text)
{
    regmatch_t groups[GROUP_COUNT];
    const char *at = name;
    bool is_found = false;

    while (regexec(&rename->regex, at, GROUP_COUNT, groups,
                   at == name ? 0 : REG_NOTBOL) == 0) {
        is_found = true;
        dtx_text_add_bytes(text, at, (size_t)groups[0].rm_so);
        add_replacement(text, rename->to, at, groups);
        at += groups[0].rm_eo;
        if (groups[0].rm_so == groups[0].rm_eo) {
            if (*at == '\0') {
                break;
            }
            dtx_text_add_bytes(text, at++, 1);
        }
    }
    dtx_text_add(text, at);
    return is_found;
}

const char *
dtx_layout_rename(const struct dtx_layout *layout, const char *name,
                  struct dtx_arena *arena)
{
    const char *result = name;
    bool is_found = false;
    int i;

    for (i = 0; i < layout->rename_count && !is_found; i++) {
        struct dtx_text text = {0};

        is_found = replace_all(&layout->renames[i], name, &text);
        if (is_found) {
            result = text.failed ? NULL : dtx_arena_string(arena, text.data);
        }
        dtx_text_finish(&text);
    }
    return result;
}
