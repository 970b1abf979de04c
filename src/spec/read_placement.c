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
    placement->block = 1;
    placement->factor = numbers[1];
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
read_sizes(struct spec_reader *reader, const struct yaml_node *node,
           struct dtx_placement *placement)
{
    static const struct spec_number number = {"a size", 0, INT64_MAX,
                                              SPEC_SHARD_VALUE};
    const struct dtx_mesh *mesh = &reader->layout->mesh;
    struct spec_integers list;

    if (!spec_integer_list(&reader->report, node, "sizes", &number,
                           &reader->layout->arena, &list)) {
        return false;
    }
    if (reader->sizes_known && list.count != mesh->sizes[placement->axis]) {
        spec_error(&reader->report, SPEC_SIZES_COUNT, node->mark,
                   "%d sizes for the %d coordinates of axis '%s'", list.count,
                   mesh->sizes[placement->axis], mesh->names[placement->axis]);
        return false;
    }
    placement->sizes = list.values;
    return true;
}

static bool
read_segments(struct spec_reader *reader, const struct yaml_node *node,
              struct dtx_placement *placement)
{
    static const struct spec_number number = {"a segment", 0, INT64_MAX,
                                              SPEC_SHARD_VALUE};
    struct spec_integers list;

    if (!spec_integer_list(&reader->report, node, "segments", &number,
                           &reader->layout->arena, &list)) {
        return false;
    }
    if (list.count == 0) {
        spec_error(&reader->report, SPEC_SHARD_VALUE, node->mark,
                   "segments is empty")
            ->help = "list the lengths of the parts, or leave it out";
        return false;
    }
    placement->segment_count = list.count;
    placement->segments = list.values;
    return true;
}

/* The keys of a shard map that can't stand together. */
static bool
check_shard_keys(struct spec_reader *reader, const struct yaml_node *node)
{
    static const char *const pairs[][2] = {{"sizes", "block"},
                                           {"sizes", "segments"},
                                           {"sizes", "split_factor"},
                                           {"split_factor", "block"},
                                           {"split_factor", "segments"}};
    bool good = true;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct yaml_node *first = spec_find_key(node, pairs[i][0]);
        const struct yaml_node *second = spec_find_key(node, pairs[i][1]);
        struct dtx_diagnostic *d;

        if (first == NULL || second == NULL) {
            continue;
        }
        d = spec_error(&reader->report, SPEC_SHARD_KEYS, second->mark,
                       "'%s' and '%s' exclude each other", pairs[i][0],
                       pairs[i][1]);
        d->second_mark = first->mark;
        good = false;
    }
    return good;
}

static bool
read_shard_map(struct spec_reader *reader, const struct yaml_node *node,
               struct dtx_placement *placement)
{
    static const struct spec_key keys[] = {{"shard", true},
                                           {"sizes", false},
                                           {"block", false},
                                           {"segments", false},
                                           {"split_factor", false}};
    static const struct spec_number block_number = {"a block", 1, INT64_MAX,
                                                    SPEC_SHARD_VALUE};
    static const struct spec_number factor_number = {
        "a split factor", 1, INT64_MAX, SPEC_SHARD_VALUE};
    struct spec_report *report = &reader->report;
    const struct yaml_node *sizes = spec_find(node, "sizes");
    const struct yaml_node *segments = spec_find(node, "segments");
    const struct yaml_node *block = spec_find(node, "block");
    const struct yaml_node *factor = spec_find(node, "split_factor");
    bool good;

    placement->kind = DTX_SHARD;
    placement->block = 1;
    placement->factor = 1;
    good = spec_map(report, node, "a shard", keys, 5) &&
           check_shard_keys(reader, node);
    good = spec_dim(report, spec_find(node, "shard"), &placement->dim) && good;
    if (sizes != NULL) {
        good = read_sizes(reader, sizes, placement) && good;
    }
    if (segments != NULL) {
        good = read_segments(reader, segments, placement) && good;
    }
    if (block != NULL) {
        good = spec_integer(report, block, &block_number, &placement->block) &&
               good;
    }
    if (factor != NULL) {
        good =
            spec_integer(report, factor, &factor_number, &placement->factor) &&
            good;
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
