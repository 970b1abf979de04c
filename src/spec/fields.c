#include "spec/fields.h"

#include <inttypes.h>
#include <string.h>

#include "layout/limits.h"
#include "spec/codes.h"
#include "spec/scalar.h"
#include "util/math.h"
#include "util/suggest.h"
#include "util/utf8.h"

bool
spec_is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR &&
           scalar_type(node->text, node->is_plain) == SCALAR_NULL;
}

/* What a node is, for people. */
static const char *
describe(const struct yaml_node *node)
{
    switch (node->kind) {
    case YAML_LIST:
        return "a list";
    case YAML_MAP:
        return "a map";
    case YAML_SCALAR:
    case YAML_INVALID:
        break;
    }
    switch (scalar_type(node->text, node->is_plain)) {
    case SCALAR_NULL:
        return "nothing";
    case SCALAR_BOOL:
        return "a boolean";
    case SCALAR_INTEGER:
        return "an integer";
    case SCALAR_FLOAT:
        return "a number";
    case SCALAR_TEXT:
        break;
    }
    return node->is_plain ? "a text" : "a text in quotes";
}

static struct dtx_diagnostic *
refuse_type(struct spec_report *report, const struct yaml_node *node,
            const char *what, const char *wanted)
{
    struct dtx_diagnostic *d = spec_error(report, SPEC_TYPE, node->mark,
                                          "%s must be %s", what, wanted);

    d->label = spec_format(report, "this is %s", describe(node));
    return d;
}

bool
spec_is(struct spec_report *report, const struct yaml_node *node,
        enum yaml_kind kind, const char *what)
{
    if (node->kind == kind) {
        return true;
    }
    if (node->kind != YAML_INVALID) {
        refuse_type(report, node, what, kind == YAML_LIST ? "a list" : "a map");
    }
    return false;
}

const struct yaml_node *
spec_find_key(const struct yaml_node *map, const char *name)
{
    for (int i = 0; i < map->count; i++) {
        const struct yaml_node *key = yaml_key(map, i);

        if (key->kind == YAML_SCALAR && strcmp(key->text, name) == 0) {
            return key;
        }
    }
    return NULL;
}

const struct yaml_node *
spec_find(const struct yaml_node *map, const char *name)
{
    const struct yaml_node *key = spec_find_key(map, name);

    return key == NULL ? NULL : key + 1;
}

static bool
is_one_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* True where a missing key stands there after all, but misspelled. */
static bool
is_misspelled(const struct yaml_node *map, const char *missing,
              const char *const *names, int name_count)
{
    for (int i = 0; i < map->count; i++) {
        const struct yaml_node *key = yaml_key(map, i);
        const char *close = key->kind == YAML_SCALAR
                                ? dtx_suggest(key->text, names, name_count)
                                : NULL;

        if (close != NULL && strcmp(close, missing) == 0) {
            return true;
        }
    }
    return false;
}

bool
spec_map(struct spec_report *report, const struct yaml_node *node,
         const char *what, const struct spec_key *keys, int key_count)
{
    const char *names[YAML_KEYS_MAX];

    if (!spec_is(report, node, YAML_MAP, what)) {
        return false;
    }
    for (int k = 0; k < key_count; k++) {
        names[k] = keys[k].name;
    }
    for (int i = 0; i < node->count; i++) {
        const struct yaml_node *key = yaml_key(node, i);

        if (key->kind == YAML_SCALAR &&
            !is_one_of(key->text, names, key_count)) {
            spec_error(report, SPEC_UNKNOWN_KEY, key->mark,
                       "%s has no key '%s'", what, key->text)
                ->help = spec_did_you_mean(report, key->text, names, key_count);
        }
    }
    for (int k = 0; k < key_count; k++) {
        if (keys[k].required && spec_find_key(node, names[k]) == NULL &&
            !is_misspelled(node, names[k], names, key_count)) {
            spec_error(report, SPEC_MISSING_KEY, node->mark, "%s needs '%s'",
                       what, names[k]);
        }
    }
    return true;
}

/* A bare {name} or [ab] where a text should be. */
static void
refuse_brackets(struct spec_report *report, const struct yaml_node *node,
                const char *what)
{
    const struct yaml_node *first = node->count > 0 ? node->items : NULL;
    struct dtx_diagnostic *d =
        spec_error(report, SPEC_BRACES, node->mark, "%s must be a text", what);

    d->label = node->kind == YAML_MAP ? "YAML reads a bare '{' as a map"
                                      : "YAML reads a bare '[' as a list";
    d->help = "put it in quotes";
    if (first != NULL && first->kind == YAML_SCALAR && node->count == 1) {
        d->help =
            spec_format(report,
                        node->kind == YAML_MAP ? "put it in quotes: \"{%s}\""
                                               : "put it in quotes: \"[%s]\"",
                        first->text);
    }
}

bool
spec_text(struct spec_report *report, const struct yaml_node *node,
          const char *what, struct dtx_arena *arena, const char **text_out)
{
    enum scalar_type type;

    if (node->kind != YAML_SCALAR) {
        if (node->kind != YAML_INVALID) {
            refuse_brackets(report, node, what);
        }
        return false;
    }
    type = scalar_type(node->text, node->is_plain);
    if (type != SCALAR_TEXT) {
        struct dtx_diagnostic *d = refuse_type(report, node, what, "a text");

        if (type != SCALAR_NULL) {
            d->help =
                spec_format(report, "put it in quotes: \"%s\"", node->text);
        }
        return false;
    }
    if (node->text[0] == '\0') {
        spec_error(report, SPEC_EMPTY_TEXT, node->mark, "%s is empty", what);
        return false;
    }
    *text_out = dtx_arena_string(arena, node->text);
    if (*text_out == NULL) {
        report->failed = true;
        return false;
    }
    return true;
}

static void
refuse_number(struct spec_report *report, const struct yaml_node *node,
              const struct spec_number *number, int64_t value)
{
    bool is_small = value < number->lo;
    struct dtx_diagnostic *d = spec_error(
        report, number->code, node->mark, "%s is at %s %" PRId64, number->what,
        is_small ? "least" : "most", is_small ? number->lo : number->hi);

    d->label = spec_format(report, "this is %s", node->text);
}

static void
refuse_no_number(struct spec_report *report, const struct yaml_node *node,
                 const char *what)
{
    struct dtx_diagnostic *d;

    if (node->kind == YAML_SCALAR &&
        scalar_type(node->text, node->is_plain) == SCALAR_INTEGER) {
        spec_error(report, SPEC_TYPE, node->mark,
                   "%s must be in decimal digits, as in 16", what);
        return;
    }
    d = refuse_type(report, node, what, "an integer");
    if (node->kind == YAML_SCALAR && !node->is_plain) {
        d->help = "write it without quotes";
    }
}

bool
spec_integer(struct spec_report *report, const struct yaml_node *node,
             const struct spec_number *number, int64_t *value_out)
{
    enum scalar_number read = SCALAR_NO_NUMBER;
    int64_t value = 0;

    if (node->kind == YAML_INVALID) {
        return false;
    }
    if (node->kind == YAML_SCALAR && node->is_plain) {
        read = scalar_integer(node->text, &value);
    }
    if (read == SCALAR_NO_NUMBER) {
        refuse_no_number(report, node, number->what);
        return false;
    }
    if (read == SCALAR_TOO_LARGE) {
        spec_error(report, number->code, node->mark,
                   "%s does not fit in 64 bits", number->what);
        return false;
    }
    if (value < number->lo || value > number->hi) {
        refuse_number(report, node, number, value);
        return false;
    }
    *value_out = value;
    return true;
}

bool
spec_integer_list(struct spec_report *report, const struct yaml_node *node,
                  const char *what, const struct spec_number *number,
                  struct dtx_arena *arena, struct spec_integers *list_out)
{
    int64_t *values;
    int64_t sum = 0;
    bool good = true;

    if (!spec_is(report, node, YAML_LIST, what)) {
        return false;
    }
    values = dtx_arena_alloc(arena, (size_t)node->count, sizeof *values);
    if (values == NULL) {
        report->failed = true;
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        if (!spec_integer(report, &node->items[i], number, &values[i])) {
            good = false;
        } else if (good && dtx_add_overflows(sum, values[i], &sum)) {
            spec_error(report, number->code, node->items[i].mark,
                       "the sum does not fit in 64 bits");
            good = false;
        }
    }
    if (good) {
        list_out->count = node->count;
        list_out->values = values;
    }
    return good;
}

bool
spec_dim(struct spec_report *report, const struct yaml_node *node, int *dim_out)
{
    static const struct spec_number number = {"a dimension", -DTX_NDIM_MAX,
                                              DTX_NDIM_MAX - 1, SPEC_DIM};
    int64_t dim;

    if (!spec_integer(report, node, &number, &dim)) {
        return false;
    }
    *dim_out = (int)dim;
    return true;
}

bool
spec_word(struct spec_report *report, const struct yaml_node *node,
          const char *what, const char *const *words, int word_count,
          int *index_out)
{
    struct dtx_diagnostic *d;

    if (node->kind == YAML_INVALID) {
        return false;
    }
    if (node->kind != YAML_SCALAR || spec_is_null(node)) {
        d = refuse_type(report, node, what, "a word");
        d->help = spec_did_you_mean(report, "", words, word_count);
        return false;
    }
    for (int i = 0; i < word_count; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *index_out = i;
            return true;
        }
    }
    d = spec_error(report, SPEC_UNKNOWN_WORD, node->mark, "%s can't be '%s'",
                   what, node->text);
    d->help = spec_did_you_mean(report, node->text, words, word_count);
    return false;
}

bool
spec_split(struct spec_report *report, const struct yaml_node *node,
           enum dtx_split *split_out)
{
    int index;

    if (!spec_word(report, node, "split", dtx_split_names, DTX_SPLIT_COUNT,
                   &index)) {
        return false;
    }
    *split_out = (enum dtx_split)index;
    return true;
}

/* A name that is close, the short ones first; else all long ones. */
static const char *
suggest_dtype(struct spec_report *report, const char *word)
{
    static const char *const short_names[] = {
        "f64", "f32", "f16", "bf16", "f8_e4m3", "f8_e5m2", "i64",
        "i32", "i16", "i8",  "u64",  "u32",     "u16",     "u8"};
    const int short_count = sizeof short_names / sizeof *short_names;
    const char *names[DTX_DTYPE_COUNT];

    if (dtx_suggest(word, short_names, short_count) != NULL) {
        return spec_did_you_mean(report, word, short_names, short_count);
    }
    for (int i = 1; i < DTX_DTYPE_COUNT; i++) {
        names[i - 1] = dtx_dtype_name((enum dtx_dtype)i);
    }
    return spec_did_you_mean(report, word, names, DTX_DTYPE_COUNT - 1);
}

bool
spec_dtype(struct spec_report *report, const struct yaml_node *node,
           enum dtx_dtype *dtype_out)
{
    if (node->kind == YAML_INVALID) {
        return false;
    }
    if (node->kind != YAML_SCALAR || spec_is_null(node)) {
        refuse_type(report, node, "dtype", "a word");
        return false;
    }
    if (dtx_dtype_find(node->text, dtype_out)) {
        return true;
    }
    spec_error(report, SPEC_DTYPE, node->mark, "no dtype is named '%s'",
               node->text)
        ->help = suggest_dtype(report, node->text);
    return false;
}

struct dtx_mark
spec_mark_within(const struct spec_report *report, const struct yaml_node *node,
                 int offset)
{
    struct dtx_mark mark = node->mark;
    const char *raw = report->text + node->offset + !node->is_plain;
    const char *at = node->text;
    const char *end = node->text + offset;
    const char *close;

    if (strncmp(raw, node->text, (size_t)offset) != 0) {
        return mark;
    }
    mark.column += !node->is_plain;
    while (at < end) {
        uint32_t code;

        at += dtx_utf8_decode(at, &code);
        mark.column++;
    }
    close = *at == '{' ? strchr(at, '}') : NULL;
    mark.length = close == NULL ? 1 : (int)(close - at) + 1;
    return mark;
}
