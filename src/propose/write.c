#include "propose/write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "util/alloc.h"
#include "util/glob.h"

enum { COMMENT_COLUMNS = 76 };

void
write_mesh(struct dtx_text *text, const struct dtx_mesh *mesh)
{
    int axis;

    dtx_text_add(text, "mesh: {");
    for (axis = 0; axis < mesh->axis_count; axis++) {
        dtx_text_format(text, "%s%s: %d", axis > 0 ? ", " : "",
                        mesh->names[axis], mesh->sizes[axis]);
    }
    dtx_text_add(text, "}\n");
}

void
write_ranks(struct dtx_text *text, const struct dtx_mesh *mesh)
{
    int i;

    if (mesh->ranks == NULL) {
        return;
    }
    dtx_text_add(text, "ranks: [");
    for (i = 0; i < mesh->position_count; i++) {
        dtx_text_format(text, "%s%" PRId64, i > 0 ? ", " : "", mesh->ranks[i]);
    }
    dtx_text_add(text, "]\n");
}

void
write_comment(struct dtx_text *text, int indent, const char *comment)
{
    while (*comment != '\0') {
        int room = COMMENT_COLUMNS - indent - 2;
        int length = (int)strcspn(comment, "\n");
        int end = length;

        if (length > room) {
            for (end = room; end > 0 && comment[end] != ' '; end--) {
            }
            end = end == 0 ? length : end;
        }
        dtx_text_format(text, "%*s# %.*s\n", indent, "", end, comment);
        comment += end;
        comment += strspn(comment, " \n");
    }
}

/* ------------------------------------------------------------------ rules */

/* A rule, or what is to become one. */
struct draft {
    const char *pattern;
    const char *body; /* NULL: its tensors differ */
    const char *note;
    int count;
};

struct rules {
    struct dtx_names patterns;
    struct draft *drafts; /* [patterns.count] */
    int *draft_of;        /* [tensors] */
    struct dtx_text scratch;
    const char *rest; /* the body of "**" */
};

static int
draft_patterns(struct rules *r, const struct proposed_tensor *tensors,
               int count)
{
    int i;

    for (i = 0; i < count; i++) {
        struct draft *draft;
        int number;

        r->scratch.length = 0;
        dtx_glob_pattern(&r->scratch, tensors[i].name, -1);
        number = r->scratch.failed || r->scratch.data == NULL
                     ? -1
                     : dtx_names_add(&r->patterns, r->scratch.data);
        if (number < 0) {
            return -1;
        }
        r->draft_of[i] = number;
        draft = &r->drafts[number];
        if (draft->count++ == 0) {
            *draft = (struct draft){
                .body = tensors[i].body, .note = tensors[i].note, .count = 1};
        } else if (draft->body != tensors[i].body) {
            draft->body = NULL;
        }
    }
    for (i = 0; i < r->patterns.count; i++) {
        r->drafts[i].pattern = r->patterns.strings[i];
    }
    return 0;
}

/* What "**" says: what most rules say, or what is to be last. */
static void
choose_rest(struct rules *r, const char *last)
{
    int best = 0, i, j;

    for (i = 0; i < r->patterns.count; i++) {
        int alike = 0;

        for (j = 0; j < r->patterns.count; j++) {
            alike += r->drafts[i].body != NULL && r->drafts[i].note == NULL &&
                     r->drafts[j].body == r->drafts[i].body;
        }
        if (alike > 0 && r->drafts[i].body == last) {
            alike = r->patterns.count + 1;
        }
        if (alike > best) {
            best = alike;
            r->rest = r->drafts[i].body;
        }
    }
}

static void
add_rule(struct dtx_text *text, const char *pattern, const char *body,
         const char *note)
{
    if (note != NULL) {
        write_comment(text, 2, note);
    }
    dtx_text_add(text, "  - name: ");
    dtx_text_quote(text, pattern);
    dtx_text_add(text, body);
}

static bool
is_written(const struct rules *r, const struct draft *d)
{
    return d->body != NULL && (d->body != r->rest || d->note != NULL);
}

/* True where the rules for patterns give a tensor another body than its own,
 * or leave out what is noted of it. */
static bool
goes_astray(const struct rules *r, const struct proposed_tensor *t, int draft)
{
    const char *body = r->rest;
    int i;

    if (r->drafts[draft].body == NULL && t->note != NULL) {
        return true;
    }
    for (i = 0; i < r->patterns.count; i++) {
        const struct draft *d = &r->drafts[i];

        if (is_written(r, d) && dtx_glob_match(d->pattern, t->name)) {
            body = d->body;
            break;
        }
    }
    return body != t->body;
}

static void
add_single_rules(struct dtx_text *text, struct rules *r,
                 const struct proposed_tensor *tensors, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        if (goes_astray(r, &tensors[i], r->draft_of[i])) {
            r->scratch.length = 0;
            dtx_glob_quote(&r->scratch, tensors[i].name);
            add_rule(text, r->scratch.data, tensors[i].body, tensors[i].note);
        }
    }
}

static void
add_pattern_rules(struct dtx_text *text, const struct rules *r)
{
    const char *last = NULL;
    int i;

    for (i = 0; i < r->patterns.count; i++) {
        const struct draft *d = &r->drafts[i];

        if (!is_written(r, d)) {
            continue;
        }
        add_rule(text, d->pattern, d->body, d->note == last ? NULL : d->note);
        last = d->note;
    }
    dtx_text_add(text, "  - name: \"**\"");
    dtx_text_add(text, r->rest);
}

int
write_rules(struct dtx_text *text, const struct proposed_tensor *tensors,
            int count, const char *plain, bool is_plain_last)
{
    struct rules r = {.rest = plain};
    int failed;

    r.drafts = dtx_alloc((size_t)count + 1, sizeof *r.drafts);
    r.draft_of = dtx_alloc((size_t)count + 1, sizeof *r.draft_of);
    failed = r.drafts == NULL || r.draft_of == NULL ||
             draft_patterns(&r, tensors, count) != 0;
    if (!failed) {
        choose_rest(&r, is_plain_last ? plain : NULL);
        dtx_text_add(text, "tensors:\n");
        add_single_rules(text, &r, tensors, count);
        add_pattern_rules(text, &r);
    }
    failed |= r.scratch.failed || text->failed;
    dtx_free(r.drafts);
    dtx_free(r.draft_of);
    dtx_names_finish(&r.patterns);
    dtx_text_finish(&r.scratch);
    return failed ? -1 : 0;
}
