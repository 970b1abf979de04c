#include "layout/template.h"

#include <inttypes.h>
#include <string.h>

#include "util/suggest.h"

enum { WIDTH_MAX = 32 };

struct parser {
    struct dtx_arena *arena;
    const struct dtx_mesh *mesh;
    const char *at; /* in the source */
    bool allow_name;
    int name_count;
    char *literal; /* where the next literal byte goes; all share one buffer */
    struct dtx_template *out;
};

/* A complaint, or another one where memory ran out for it. */
static const char *
said(const char *complaint)
{
    return complaint != NULL ? complaint : "out of memory";
}

static struct dtx_template_part *
add_part(struct parser *p, int field)
{
    struct dtx_template_part *part = &p->out->parts[p->out->part_count++];

    part->field = field;
    return part;
}

/* Reads up to the next field, "{{" and "}}" as literal braces. */
static const char *
parse_literal(struct parser *p)
{
    const char *start = p->literal;

    while (*p->at != '\0' && (*p->at != '{' || p->at[1] == '{')) {
        if (*p->at == '}' && p->at[1] != '}') {
            return "a '}' without a '{'; a literal one is written '}}'";
        }
        p->at += *p->at == '{' || *p->at == '}';
        *p->literal++ = *p->at++;
    }
    if (p->literal > start) {
        *p->literal++ = '\0';
        add_part(p, DTX_FIELD_LITERAL)->literal = start;
    }
    return NULL;
}

/* The field that a word names; sets what is wrong where it names none. */
static const char *
find_field(struct parser *p, const char *word, int *field_out)
{
    const char *known[DTX_AXIS_MAX + 2];
    const char *close;
    int axis;

    for (axis = 0; axis < p->mesh->axis_count; axis++) {
        known[axis] = p->mesh->names[axis];
    }
    known[axis++] = "rank";
    if (p->allow_name) {
        known[axis++] = "name";
    }
    *field_out = dtx_mesh_find_axis(p->mesh, word);
    if (strcmp(word, "rank") == 0) {
        *field_out = DTX_FIELD_RANK;
    } else if (strcmp(word, "name") == 0 && p->allow_name) {
        *field_out = DTX_FIELD_NAME;
    } else if (*field_out < 0) {
        close = dtx_suggest(word, known, axis);
        return said(
            close != NULL
                ? dtx_arena_format(p->arena,
                                   "'{%s}' is neither an axis nor a "
                                   "field; did you mean '{%s}'?",
                                   word, close)
                : dtx_arena_format(
                      p->arena, "'{%s}' is neither an axis nor a field", word));
    }
    return NULL;
}

/* Reads "05": a width with its leading zero, so that padding is in sight. */
static const char *
parse_width(const char *digits, size_t length, int *width_out)
{
    int width = 0;
    size_t i;

    if (length < 2 || digits[0] != '0') {
        return "a width is written with a leading zero, as in '{rank:05}'";
    }
    for (i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return "a width is a number, as in '{rank:05}'";
        }
        width = width * 10 + (digits[i] - '0');
        if (width > WIDTH_MAX) {
            return "a width over 32";
        }
    }
    if (width == 0) {
        return "a width of 0";
    }
    *width_out = width;
    return NULL;
}

/* Reads a field, from its '{' on. */
static const char *
parse_field(struct parser *p)
{
    size_t length = strcspn(p->at + 1, "{}");
    size_t word_length = strcspn(p->at + 1, ":{}");
    const char *wrong;
    char *word;
    int width = 0;
    int field;

    if (p->at[1 + length] != '}') {
        return "a '{' without a '}'; a literal one is written '{{'";
    }
    word = dtx_arena_alloc(p->arena, word_length + 1, 1);
    if (word == NULL) {
        return said(NULL);
    }
    memcpy(word, p->at + 1, word_length);
    wrong = find_field(p, word, &field);
    if (wrong != NULL) {
        return wrong;
    }
    if (word_length < length) {
        wrong = field == DTX_FIELD_NAME
                    ? "'{name}' has no width"
                    : parse_width(p->at + 1 + word_length + 1,
                                  length - word_length - 1, &width);
    }
    if (field == DTX_FIELD_NAME && ++p->name_count > 1) {
        wrong = "'{name}' can stand only once";
    }
    if (wrong == NULL) {
        add_part(p, field)->width = width;
        p->at += length + 2;
    }
    return wrong;
}

/* An upper bound of the parts of a template: each field and what is around. */
static size_t
count_parts(const char *source)
{
    size_t count = 1;

    for (; *source != '\0'; source++) {
        count += *source == '{' ? 2 : 0;
    }
    return count;
}

const char *
dtx_template_parse(struct dtx_arena *arena, const char *source,
                   const struct dtx_mesh *mesh, bool allow_name,
                   struct dtx_template *template_out, int *offset_out)
{
    struct dtx_template result = {0};
    struct parser p = {.arena = arena, .mesh = mesh, .at = source};
    const char *wrong = NULL;

    p.allow_name = allow_name;
    p.out = &result;
    *offset_out = 0;
    result.source = dtx_arena_string(arena, source);
    result.parts =
        dtx_arena_alloc(arena, count_parts(source), sizeof(*result.parts));
    p.literal = dtx_arena_alloc(arena, strlen(source) + 2, 1);
    if (result.source == NULL || result.parts == NULL || p.literal == NULL) {
        return said(NULL);
    }
    while (allow_name && *p.at == '/') {
        p.at++; /* paths in a file are below its root anyway */
    }
    while (wrong == NULL && *p.at != '\0') {
        wrong = parse_literal(&p);
        if (wrong == NULL && *p.at == '{') {
            wrong = parse_field(&p);
        }
    }
    *offset_out = (int)(p.at - source);
    if (wrong == NULL && allow_name && p.name_count == 0) {
        *offset_out = 0;
        return "there is no '{name}' in it";
    }
    if (wrong == NULL) {
        *template_out = result;
    }
    return wrong;
}

/* Adds one part's text; not for the name. */
static void
render_part(const struct dtx_template_part *part, const struct dtx_mesh *mesh,
            int position, struct dtx_text *text)
{
    if (part->field == DTX_FIELD_LITERAL) {
        dtx_text_add(text, part->literal);
    } else if (part->field == DTX_FIELD_RANK) {
        dtx_text_format(text, "%0*" PRId64, part->width > 0 ? part->width : 1,
                        dtx_mesh_rank(mesh, position));
    } else {
        dtx_text_format(text, "%0*d", part->width > 0 ? part->width : 1,
                        dtx_mesh_coordinate(mesh, position, part->field));
    }
}

void
dtx_template_render(const struct dtx_template *template,
                    const struct dtx_mesh *mesh, int position, const char *name,
                    struct dtx_text *text)
{
    int i;

    for (i = 0; i < template->part_count; i++) {
        if (template->parts[i].field == DTX_FIELD_NAME) {
            dtx_text_add(text, name);
        } else {
            render_part(&template->parts[i], mesh, position, text);
        }
    }
}

/* True where a path is `around` with a name put in at byte `before`. */
static bool
surrounds(const struct dtx_text *around, size_t before, const char *path,
          size_t length)
{
    size_t after = around->length - before;

    return length > around->length &&
           (before == 0 || memcmp(path, around->data, before) == 0) &&
           (after == 0 ||
            memcmp(path + length - after, around->data + before, after) == 0);
}

const char *
dtx_template_name(const struct dtx_template *template,
                  const struct dtx_mesh *mesh, int position, const char *path,
                  struct dtx_arena *arena, bool *is_other_out)
{
    struct dtx_text text = {0}; /* all but the name */
    size_t before = 0;          /* bytes of the text that stand before it */
    size_t length = strlen(path);
    char *name = NULL;
    int i;

    for (i = 0; i < template->part_count; i++) {
        if (template->parts[i].field == DTX_FIELD_NAME) {
            before = text.length;
        } else {
            render_part(&template->parts[i], mesh, position, &text);
        }
    }
    *is_other_out = !text.failed && !surrounds(&text, before, path, length);
    if (!text.failed && !*is_other_out) {
        name = dtx_arena_alloc(arena, length - text.length + 1, 1);
        if (name != NULL) {
            memcpy(name, path + before, length - text.length);
        }
    }
    dtx_text_finish(&text);
    return name;
}

bool
dtx_template_tells(const struct dtx_template *template, int axis)
{
    int i;

    for (i = 0; i < template->part_count; i++) {
        int field = template->parts[i].field;

        if (field == DTX_FIELD_RANK || field == axis) {
            return true;
        }
    }
    return false;
}

int
dtx_template_folder_length(const struct dtx_template *template)
{
    const char *source = template->source;
    int length = 0;
    int i;

    for (i = 0; source[i] != '\0'; i++) {
        if (source[i] == '{' && source[i + 1] != '{') {
            break;
        }
        i += source[i] == '{';
        if (source[i] == '/') {
            length = i + 1;
        }
    }
    return length;
}
