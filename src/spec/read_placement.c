/*
 * Placements: what one axis does to a tensor, in each form that there is.
 */
#include <string.h>

#include "spec/codes.h"
#include "spec/reader.h"
#include "spec/scalar.h"
#include "util/suggest.h"

enum { CALL_ARGS_MAX = 2, CALL_WORD_MAX = 24 };

/* "word(arg, arg)" taken apart. */
struct call {
    char word[CALL_WORD_MAX];
    int arg_count; /* -1 without parentheses */
    char args[CALL_ARGS_MAX][CALL_WORD_MAX];
};

static const char forms[] =
    "a placement is replicate, shard(D), partial(OP) or \"_S(D, F)\"";

/* Copies without blanks around; false where it doesn't fit. */
static bool
copy_trimmed(char *to, const char *from, size_t length)
{
    while (length > 0 && *from == ' ') {
        from++;
        length--;
    }
    while (length > 0 && from[length - 1] == ' ') {
        length--;
    }
    if (length >= CALL_WORD_MAX) {
        return false;
    }
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool
parse_call(const char *text, struct call *call)
{
    size_t word_length = strcspn(text, "(");
    const char *at = text + word_length;

    *call = (struct call){.arg_count = -1};
    if (!copy_trimmed(call->word, text, word_length)) {
        return false;
    }
    if (*at == '\0') {
        return true;
    }
    for (call->arg_count = 0; *at == '(' || *at == ',';) {
        size_t length = strcspn(++at, ",)");

        if (call->arg_count == CALL_ARGS_MAX ||
            !copy_trimmed(call->args[call->arg_count++], at, length)) {
            return false;
        }
        at += length;
    }
    return *at == ')' && at[1] == '\0';
}

static struct dtx_diagnostic *
refuse(struct spec_reader *reader, const struct yaml_node *node)
{
    struct dtx_diagnostic *d =
        spec_error(&reader->report, SPEC_PLACEMENT, node->mark,
                   "'%s' is no placement", node->text);

    d->help = forms;
    return d;
}

static void
refuse_word(struct spec_reader *reader, const struct yaml_node *node,
            const char *word)
{
    static const char *const words[] = {"replicate", "shard", "partial"};
    static const char *const helps[] = {"did you mean 'replicate'?",
                                        "did you mean 'shard(D)'?",
                                        "did you mean 'partial(OP)'?"};
    const char *close = dtx_suggest(word, words, 3);
    struct dtx_diagnostic *d = refuse(reader, node);

    for (int i = 0; close != NULL && i < 3; i++) {
        if (strcmp(close, words[i]) == 0) {
            d->help = helps[i];
        }
    }
}

static bool
set_op(struct spec_reader *reader, struct dtx_mark mark, const char *name,
       struct dtx_placement *placement)
{
    for (int i = 0; i < DTX_OP_COUNT; i++) {
        if (strcmp(name, dtx_op_names[i]) == 0) {
            placement->kind = DTX_PARTIAL;
            placement->op = (enum dtx_op)i;
            return true;
        }
    }
    spec_error(&reader->report, SPEC_OP, mark, "unknown operation '%s'", name)
        ->help =
        spec_did_you_mean(&reader->report, name, dtx_op_names, DTX_OP_COUNT);
    return false;
}

/* A key that changes nothing isn't kept. */
static void
set_number(struct dtx_placement *placement, enum dtx_shard_key key,
           int64_t number)
{
    placement->keys[key].number = number > 1 ? number : 0;
}

/* Sets a dimension and, for _S, the split factor. */
static bool
set_shard(struct spec_reader *reader, const struct yaml_node *node,
          const struct call *call, struct dtx_placement *placement)
{
    int64_t numbers[CALL_ARGS_MAX] = {0, 1};

    for (int i = 0; i < call->arg_count; i++) {
        enum scalar_number got = scalar_integer(call->args[i], &numbers[i]);

        if (got == SCALAR_NO_NUMBER) {
            refuse(reader, node)->label = spec_format(
                &reader->report, "'%s' is no integer", call->args[i]);
            return false;
        }
        if (got == SCALAR_TOO_LARGE) {
            numbers[i] = i == 0 ? DTX_NDIM_MAX : 0;
        }
    }
    if (numbers[0] < -DTX_NDIM_MAX || numbers[0] >= DTX_NDIM_MAX) {
        spec_error(&reader->report, SPEC_DIM, node->mark,
                   "a dimension is from %d to %d", -DTX_NDIM_MAX,
                   DTX_NDIM_MAX - 1);
        return false;
    }
    if (numbers[1] < 1) {
        spec_error(&reader->report, SPEC_SHARD_VALUE, node->mark,
                   "a split factor is at least 1, and fits in 64 bits");
        return false;
    }
    placement->kind = DTX_SHARD;
    placement->dim = (int)numbers[0];
    set_number(placement, DTX_SHARD_FACTOR, numbers[1]);
    return true;
}

static bool
read_call(struct spec_reader *reader, const struct yaml_node *node,
          struct dtx_placement *placement)
{
    static const struct {
        const char *word;
        int arg_count;
        const char *label; /* where the arguments are others */
    } calls[] = {
        {"replicate", -1, "it takes no argument"},
        {"R", -1, "it takes no argument"},
        {"shard", 1, "it takes a dimension, as in shard(0)"},
        {"S", 1, "it takes a dimension, as in S(0)"},
        {"_S", 2, "it takes a dimension and a factor, as in \"_S(0, 2)\""},
        {"partial", 1, "it takes an operation, as in partial(sum)"},
        {"P", 1, "it takes an operation, as in P(sum)"},
    };
    struct call call;

    if (!parse_call(node->text, &call)) {
        refuse(reader, node);
        return false;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(call.word, calls[i].word) != 0) {
            continue;
        }
        if (call.arg_count != calls[i].arg_count) {
            refuse(reader, node)->label = calls[i].label;
            return false;
        }
        if (call.arg_count < 0) {
            placement->kind = DTX_REPLICATE;
            return true;
        }
        return calls[i].word[0] == 'p' || calls[i].word[0] == 'P'
                   ? set_op(reader, node->mark, call.args[0], placement)
                   : set_shard(reader, node, &call, placement);
    }
    refuse_word(reader, node, call.word);
    return false;
}

static bool
read_list(struct spec_reader *reader, const struct yaml_node *node,
          enum dtx_shard_key key, struct dtx_placement *placement)
{
    const struct dtx_shard_key_form *form = &dtx_shard_key_forms[key];
    struct spec_number number = {form->one, 0, INT64_MAX, SPEC_SHARD_VALUE};
    const struct dtx_mesh *mesh = &reader->layout->mesh;
    int coordinates = mesh->sizes[placement->axis];
    struct spec_integers list;

    if (!spec_integer_list(&reader->report, node, form->name, &number,
                           &reader->layout->arena, &list)) {
        return false;
    }
    if (form->is_per_coordinate && reader->sizes_known &&
        list.count != coordinates) {
        spec_error(&reader->report, SPEC_SIZES_COUNT, node->mark,
                   "%d %s for the %d coordinates of axis '%s'", list.count,
                   form->name, coordinates, mesh->names[placement->axis]);
        return false;
    }
    if (!form->is_per_coordinate && list.count == 0) {
        spec_error(&reader->report, SPEC_SHARD_VALUE, node->mark, "%s is empty",
                   form->name)
            ->help = "list the lengths of the parts, or leave it out";
        return false;
    }
    placement->keys[key] = (struct dtx_shard_value){list.count, list.values};
    return true;
}

static bool
read_number(struct spec_reader *reader, const struct yaml_node *node,
            enum dtx_shard_key key, struct dtx_placement *placement)
{
    struct spec_number number = {dtx_shard_key_forms[key].one, 1, INT64_MAX,
                                 SPEC_SHARD_VALUE};
    int64_t value;

    if (!spec_integer(&reader->report, node, &number, &value)) {
        return false;
    }
    set_number(placement, key, value);
    return true;
}

static bool
read_key(struct spec_reader *reader, const struct yaml_node *node,
         enum dtx_shard_key key, struct dtx_placement *placement)
{
    return dtx_shard_key_forms[key].is_list
               ? read_list(reader, node, key, placement)
               : read_number(reader, node, key, placement);
}

static bool
check_pair(struct spec_reader *reader, const struct yaml_node *node,
           const char *alone, const char *other)
{
    const struct yaml_node *first = spec_find_key(node, alone);
    const struct yaml_node *second = spec_find_key(node, other);

    if (first == NULL || second == NULL) {
        return true;
    }
    spec_error(&reader->report, SPEC_SHARD_KEYS, second->mark,
               "'%s' and '%s' exclude each other", alone, other)
        ->second_mark = first->mark;
    return false;
}

/* The keys of a shard map that can't stand together. */
static bool
check_shard_keys(struct spec_reader *reader, const struct yaml_node *node)
{
    const struct dtx_shard_key_form *known = dtx_shard_key_forms;
    bool good = true;

    for (int b = 1; b < DTX_SHARD_KEY_COUNT; b++) {
        for (int a = 0; a < b; a++) {
            int alone = known[a].is_alone ? a : b;
            int other = a + b - alone;

            if (known[alone].is_alone) {
                good = check_pair(reader, node, known[alone].name,
                                  known[other].name) &&
                       good;
            }
        }
    }
    return good;
}

static bool
read_shard_map(struct spec_reader *reader, const struct yaml_node *node,
               struct dtx_placement *placement)
{
    struct spec_key keys[1 + DTX_SHARD_KEY_COUNT] = {{"shard", true}};
    struct spec_report *report = &reader->report;
    bool good;

    for (int i = 0; i < DTX_SHARD_KEY_COUNT; i++) {
        keys[1 + i].name = dtx_shard_key_forms[i].name;
    }
    placement->kind = DTX_SHARD;
    good = spec_map(report, node, "a shard", keys, 1 + DTX_SHARD_KEY_COUNT) &&
           check_shard_keys(reader, node);
    good = spec_dim(report, spec_find(node, "shard"), &placement->dim) && good;
    for (int i = 0; i < DTX_SHARD_KEY_COUNT; i++) {
        const struct yaml_node *value =
            spec_find(node, dtx_shard_key_forms[i].name);

        if (value != NULL) {
            good = read_key(reader, value, (enum dtx_shard_key)i, placement) &&
                   good;
        }
    }
    return good;
}

static bool
read_partial_map(struct spec_reader *reader, const struct yaml_node *node,
                 struct dtx_placement *placement)
{
    static const struct spec_key keys[] = {{"partial", true}};
    const struct yaml_node *op = spec_find(node, "partial");

    if (!spec_map(&reader->report, node, "a partial", keys, 1)) {
        return false;
    }
    if (op->kind != YAML_SCALAR) {
        if (op->kind != YAML_INVALID) {
            spec_error(&reader->report, SPEC_TYPE, op->mark,
                       "an operation must be a word");
        }
        return false;
    }
    return set_op(reader, op->mark, op->text, placement);
}

bool
spec_read_placement(struct spec_reader *reader, const struct yaml_node *node,
                    struct dtx_placement *placement)
{
    *placement =
        (struct dtx_placement){.axis = placement->axis, .mark = node->mark};
    switch (node->kind) {
    case YAML_SCALAR:
        if (spec_is_null(node)) {
            spec_error(&reader->report, SPEC_TYPE, node->mark,
                       "a placement is missing")
                ->help = forms;
            return false;
        }
        return read_call(reader, node, placement);
    case YAML_MAP:
        if (spec_find_key(node, "shard") != NULL) {
            return read_shard_map(reader, node, placement);
        }
        if (spec_find_key(node, "partial") != NULL) {
            return read_partial_map(reader, node, placement);
        }
        spec_error(&reader->report, SPEC_MISSING_KEY, node->mark,
                   "a placement needs 'shard' or 'partial'");
        return false;
    case YAML_LIST:
        spec_error(&reader->report, SPEC_TYPE, node->mark,
                   "a placement can't be a list")
            ->help = forms;
        return false;
    case YAML_INVALID:
        break;
    }
    return false;
}
