#include "spec/yaml_tree.h"

#include <limits.h>
#include <string.h>
#include <yaml.h>

#include "spec/codes.h"
#include "spec/yaml_hint.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* A place in the text. libyaml's marks lack the offset, and its encoding
 * errors the line. */
struct cursor {
    size_t index;  /* code points before it */
    size_t offset; /* bytes before it */
    int line;
    int column;
};

struct builder {
    yaml_parser_t parser;
    const char *text;
    struct dtx_arena *arena;
    struct spec_report *report;
    struct cursor cursor;
    struct yaml_node *stack; /* finished nodes of open collections */
    size_t count;
    size_t capacity;
    bool stopped; /* no use to go on */
};

static const struct cursor text_begin = {0, 0, 1, 1};

/* What YAML 1.1 takes for the end of a line. */
static bool
is_break(uint32_t code, char next)
{
    return code == '\n' || (code == '\r' && next != '\n') || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

/* Moves the cursor to a code point (or byte, whichever is nearer). Places
 * mostly ascend, so that this is linear over a whole text. */
static void
seek(struct builder *b, size_t index, size_t offset)
{
    struct cursor *c = &b->cursor;

    if (index < c->index || offset < c->offset) {
        *c = text_begin;
    }
    while (c->index < index && c->offset < offset &&
           b->text[c->offset] != '\0') {
        uint32_t code;

        c->offset += dtx_utf8_decode(b->text + c->offset, &code);
        c->index++;
        c->column++;
        if (is_break(code, b->text[c->offset])) {
            c->line++;
            c->column = 1;
        }
    }
}

/* How many of `count` code points are on the line, at least 1. */
static int
length_on_line(const char *at, size_t count)
{
    int length = 0;

    while (count > 0 && length < INT_MAX && strchr("\r\n", *at) == NULL) {
        uint32_t code;

        at += dtx_utf8_decode(at, &code);
        length++;
        count--;
    }
    return length > 0 ? length : 1;
}

/* The mark of code points begin to end, as far as they are on one line. */
static struct dtx_mark
mark_of(struct builder *b, size_t begin, size_t end, size_t *offset_out)
{
    struct dtx_mark mark;

    seek(b, begin, SIZE_MAX);
    *offset_out = b->cursor.offset;
    mark.line = b->cursor.line;
    mark.column = b->cursor.column;
    mark.length = length_on_line(b->text + b->cursor.offset,
                                 end > begin ? end - begin : 1);
    return mark;
}

static void
push(struct builder *b, const struct yaml_node *node)
{
    if (dtx_grow(&b->stack, b->count, &b->capacity, sizeof *b->stack) != 0) {
        b->report->failed = true;
        b->stopped = true;
        return;
    }
    b->stack[b->count++] = *node;
}

static void
report_syntax(struct builder *b)
{
    const yaml_parser_t *p = &b->parser;
    struct dtx_diagnostic *d;
    size_t offset;
    struct dtx_mark mark = mark_of(b, p->problem_mark.index, 0, &offset);
    const char *help = yaml_syntax_hint(b->text, offset, p->problem);

    d = spec_error(b->report, SPEC_SYNTAX, mark, "this is not YAML: %s",
                   p->problem);
    d->help = help;
    if (p->context != NULL && p->context_mark.index != p->problem_mark.index) {
        d->second_mark = mark_of(b, p->context_mark.index, 0, &offset);
        d->second_label = spec_format(b->report, "%s", p->context);
    }
}

static void
report_failure(struct builder *b)
{
    struct dtx_mark mark = {.length = 1};

    b->stopped = true;
    switch (b->parser.error) {
    case YAML_MEMORY_ERROR:
        b->report->failed = true;
        break;
    case YAML_READER_ERROR:
        seek(b, SIZE_MAX, b->parser.problem_offset);
        mark.line = b->cursor.line;
        mark.column = b->cursor.column;
        spec_error(b->report, SPEC_NO_TEXT, mark,
                   "this is not UTF-8 text: %s (0x%02X)", b->parser.problem,
                   (unsigned)b->parser.problem_value);
        break;
    case YAML_NO_ERROR:
    case YAML_SCANNER_ERROR:
    case YAML_PARSER_ERROR:
    case YAML_COMPOSER_ERROR:
    case YAML_WRITER_ERROR:
    case YAML_EMITTER_ERROR:
        report_syntax(b);
        break;
    }
}

/* The next event; false after a failure. */
static bool
next_event(struct builder *b, yaml_event_t *event)
{
    if (b->stopped) {
        return false;
    }
    if (!yaml_parser_parse(&b->parser, event)) {
        report_failure(b);
        return false;
    }
    return true;
}

static void
refuse_properties(struct builder *b, struct dtx_mark mark, const char *anchor,
                  const char *tag)
{
    struct dtx_diagnostic *d;

    if (anchor != NULL) {
        d = spec_error(b->report, SPEC_ALIAS, mark,
                       "anchors such as '&%s' are not used here", anchor);
        d->help = "write the value out, or put a text that begins with '&' "
                  "in quotes";
    }
    if (tag != NULL) {
        d = spec_error(b->report, SPEC_TAG, mark,
                       "tags such as '!!map' are not used here");
        d->help = "leave it out, or put a text that begins with '!' in quotes";
    }
}

static void
read_scalar(struct builder *b, const yaml_event_t *event)
{
    struct yaml_node node = {.kind = YAML_SCALAR};
    const char *value = (const char *)event->data.scalar.value;

    node.mark = mark_of(b, event->start_mark.index, event->end_mark.index,
                        &node.offset);
    refuse_properties(b, node.mark, (const char *)event->data.scalar.anchor,
                      (const char *)event->data.scalar.tag);
    node.is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node.text = dtx_arena_string(b->arena, value);
    if (node.text == NULL) {
        b->report->failed = true;
        b->stopped = true;
        return;
    }
    if (strlen(value) != event->data.scalar.length) {
        spec_error(b->report, SPEC_NO_TEXT, node.mark,
                   "this text holds a NUL character");
        node.kind = YAML_INVALID;
    }
    push(b, &node);
}

static void
read_alias(struct builder *b, const yaml_event_t *event)
{
    struct yaml_node node = {.kind = YAML_INVALID};
    const char *name = (const char *)event->data.alias.anchor;
    struct dtx_diagnostic *d;

    node.mark = mark_of(b, event->start_mark.index, event->end_mark.index,
                        &node.offset);
    d = spec_error(b->report, SPEC_ALIAS, node.mark,
                   "a bare '*%s' is a YAML alias", name);
    d->help = spec_format(b->report, "put it in quotes: \"*%s\"", name);
    push(b, &node);
}

/* Two keys alike: the second is taken out of the reading. */
static void
check_key(struct builder *b, struct yaml_node *pairs, int pair)
{
    struct yaml_node *key = &pairs[2 * pair];

    if (key->kind == YAML_LIST || key->kind == YAML_MAP) {
        spec_error(b->report, SPEC_KEY, key->mark, "a key must be a word")
            ->label =
            key->kind == YAML_LIST ? "this is a list" : "this is a map";
        key->kind = YAML_INVALID;
    }
    for (int i = 0; key->kind == YAML_SCALAR && i < pair; i++) {
        const struct yaml_node *other = &pairs[2 * i];
        struct dtx_diagnostic *d;

        if (other->kind != YAML_SCALAR || strcmp(other->text, key->text) != 0) {
            continue;
        }
        d = spec_error(b->report, SPEC_DUPLICATE, key->mark,
                       "the key '%s' stands twice", key->text);
        d->label = "again here";
        d->second_mark = other->mark;
        d->second_label = "first here";
        key->kind = YAML_INVALID;
    }
}

static void
check_keys(struct builder *b, struct yaml_node *pairs, int count,
           struct dtx_mark mark)
{
    if (count > YAML_KEYS_MAX) {
        spec_error(b->report, SPEC_NESTED, mark,
                   "a map of %d keys, more than the %d that any map here has",
                   count, YAML_KEYS_MAX);
        b->stopped = true;
        return;
    }
    for (int i = 0; i < count; i++) {
        check_key(b, pairs, i);
    }
}

/* Makes the nodes from `first` on the stack the children of one. */
static void
close_collection(struct builder *b, struct yaml_node *node, size_t first)
{
    size_t count = b->count - first;
    bool is_map = node->kind == YAML_MAP;

    if (count / (is_map ? 2 : 1) > INT32_MAX) {
        b->report->failed = true;
        b->stopped = true;
        return;
    }
    node->count = (int)(is_map ? count / 2 : count);
    if (is_map && count > 0) { /* the stack may not be there yet */
        check_keys(b, b->stack + first, node->count, node->mark);
    }
    if (count > 0) {
        node->items =
            dtx_arena_copy(b->arena, b->stack + first, count, sizeof *b->stack);
        if (node->items == NULL) {
            b->report->failed = true;
            b->stopped = true;
            return;
        }
    }
    b->count = first;
    push(b, node);
}

static void read_value(struct builder *b, const yaml_event_t *event, int depth);

/* Reads values up to the end of the collection; returns the index in code
 * points where it ends. */
static size_t
read_items(struct builder *b, int depth)
{
    yaml_event_t event;
    size_t end = 0;

    while (end == 0 && next_event(b, &event)) {
        if (event.type == YAML_SEQUENCE_END_EVENT ||
            event.type == YAML_MAPPING_END_EVENT) {
            end = event.end_mark.index;
        } else {
            read_value(b, &event, depth);
        }
        yaml_event_delete(&event);
    }
    return end;
}

static void
read_collection(struct builder *b, const yaml_event_t *event, int depth)
{
    bool is_map = event->type == YAML_MAPPING_START_EVENT;
    bool is_flow =
        is_map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
               : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    struct yaml_node node = {.kind = is_map ? YAML_MAP : YAML_LIST};
    size_t begin = event->start_mark.index;
    size_t first = b->count;
    size_t end;

    node.mark = mark_of(b, begin, begin + 1, &node.offset);
    refuse_properties(b, node.mark,
                      (const char *)(is_map
                                         ? event->data.mapping_start.anchor
                                         : event->data.sequence_start.anchor),
                      (const char *)(is_map ? event->data.mapping_start.tag
                                            : event->data.sequence_start.tag));
    if (depth == YAML_DEPTH_MAX) {
        spec_error(b->report, SPEC_NESTED, node.mark,
                   "lists and maps nested more than %d deep", YAML_DEPTH_MAX);
        b->stopped = true;
        return;
    }
    end = read_items(b, depth + 1);
    if (b->stopped) {
        return;
    }
    if (is_flow) {
        node.mark.length = length_on_line(b->text + node.offset, end - begin);
    } else if (b->count > first) {
        node.mark = b->stack[first].mark;
    }
    close_collection(b, &node, first);
}

static void
read_value(struct builder *b, const yaml_event_t *event, int depth)
{
    if (event->type == YAML_SCALAR_EVENT) {
        read_scalar(b, event);
    } else if (event->type == YAML_ALIAS_EVENT) {
        read_alias(b, event);
    } else {
        read_collection(b, event, depth);
    }
}

/* After the first document: there must be nothing else. */
static void
read_end(struct builder *b)
{
    yaml_event_t event;
    bool done = false;

    while (!done && next_event(b, &event)) {
        if (event.type == YAML_DOCUMENT_START_EVENT) {
            size_t offset;
            struct dtx_mark mark = mark_of(b, event.start_mark.index,
                                           event.end_mark.index, &offset);

            spec_error(b->report, SPEC_DOCUMENTS, mark,
                       "a second document begins here")
                ->help = "a layout is one document";
        }
        done = event.type == YAML_DOCUMENT_START_EVENT ||
               event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

static void
read_document(struct builder *b)
{
    yaml_event_t event;
    bool done = false;

    while (!done && next_event(b, &event)) {
        if (event.type == YAML_STREAM_END_EVENT) {
            struct dtx_mark mark = {1, 1, 1};

            spec_error(b->report, SPEC_EMPTY, mark, "there is nothing here");
            done = true;
        } else if (event.type != YAML_STREAM_START_EVENT &&
                   event.type != YAML_DOCUMENT_START_EVENT) {
            read_value(b, &event, 0);
            done = true;
        }
        yaml_event_delete(&event);
    }
    if (b->count == 1) {
        read_end(b);
    }
}

const struct yaml_node *
yaml_tree_read(const char *text, struct dtx_arena *arena,
               struct spec_report *report)
{
    struct builder b = {.text = text, .arena = arena, .report = report};
    struct yaml_node *root = NULL;

    b.cursor = text_begin;
    if (!yaml_parser_initialize(&b.parser)) {
        report->failed = true;
        return NULL;
    }
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text,
                                 strlen(text));
    read_document(&b);
    if (!b.stopped && b.count == 1) {
        root = dtx_arena_copy(arena, b.stack, 1, sizeof *b.stack);
        report->failed = report->failed || root == NULL;
    }
    yaml_parser_delete(&b.parser);
    dtx_free(b.stack);
    return root;
}
