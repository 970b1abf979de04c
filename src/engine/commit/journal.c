#include "engine/commit/journal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commit/journal_lines.h"
#include "layout/crc64.h"
#include "util/alloc.h"
#include "util/error.h"

void
journal_add_safe(struct dtx_text *text, int first, int end,
                 const uint64_t *sums, const char *marks)
{
    size_t begin = text->length;
    int i, kind;

    for (i = first; i < end; i++) {
        dtx_text_format(text, "sums %d", i);
        for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
            dtx_text_format(text, " %016" PRIx64, *sums++);
        }
        dtx_text_add(text, "\n");
    }
    dtx_text_add(text, marks == NULL ? "" : marks);
    dtx_text_format(text, "safe %d", end);
    if (!text->failed) {
        dtx_text_format(
            text, " %016" PRIx64 "\n",
            dtx_crc64_raw(text->data + begin, text->length - begin));
    }
    dtx_text_add(text, marks == NULL ? "" : "committing\n");
}

void
journal_add_mark(struct dtx_text *text, int64_t bytes, int64_t modified_ns,
                 const char *file)
{
    dtx_text_format(text, "mark %" PRId64 " %" PRId64 " ", bytes, modified_ns);
    journal_add_path(text, file);
    dtx_text_add(text, "\n");
}

const char *
journal_mark_file(const char *line)
{
    int spaces;

    for (spaces = 0; spaces < 3; spaces++) {
        line += strcspn(line, " \n");
        line += *line == ' ';
    }
    return line;
}

static const char *
find_begin(const char *content)
{
    const char *line = content[0] == '\0' ? NULL : content;

    while (line != NULL && !journal_is_line(line, "begin")) {
        line = journal_next_line(line);
    }
    return line;
}

/* The lines behind a head, as far as they are read. */
struct reading {
    const char *block; /* the first line of sums since the last "safe" */
    int tensor_count;
    int next; /* the tensor whose sums come next */
    struct journal_state *state;
};

/* Reads the sums of the next tensor. */
static bool
read_sums(struct reading *r, const char *numbers)
{
    uint64_t *sums = r->state->sums + (size_t)r->next * DIGEST_KIND_COUNT;
    char *end;
    long tensor = strtol(numbers, &end, 10);
    int kind;

    if (end == numbers || tensor != r->next || r->next >= r->tensor_count) {
        return false;
    }
    for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
        if (*end != ' ') {
            return false;
        }
        sums[kind] = strtoull(end + 1, &end, 16);
    }
    r->next++;
    return *end == '\n';
}

/* Reads the end of a block: its number is that of the tensors before it, and
 * its check that of all its bytes. */
static bool
read_safe(struct reading *r, const char *number)
{
    char *end, *line_end;
    long value = strtol(number, &end, 10);
    uint64_t check = dtx_crc64_raw(r->block, (size_t)(end - r->block));

    if (end == number || *end != ' ' || value != r->next ||
        strtoull(end + 1, &line_end, 16) != check || line_end - end != 17 ||
        *line_end != '\n') {
        return false;
    }
    r->state->safe = r->next;
    r->block = line_end + 1;
    return true;
}

static bool
read_line(struct reading *r, const char *line)
{
    const char *rest;

    if (r->state->is_committing) {
        return false; /* it was the last line */
    }
    if (journal_is_line(line, "forced") && r->block == line) {
        r->state->is_forced = true;
        r->block = line + strlen("forced\n");
        return true;
    }
    if (journal_is_line(line, "committing")) {
        r->state->is_committing = true;
        return r->state->safe == r->tensor_count && r->block == line;
    }
    if (journal_after_word(line, "mark") != NULL) {
        return r->next == r->tensor_count;
    }
    rest = journal_after_word(line, "sums");
    if (rest != NULL) {
        return read_sums(r, rest);
    }
    rest = journal_after_word(line, "safe");
    return rest != NULL && read_safe(r, rest);
}

static enum dtx_status
refuse_damage(const char *path, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_TARGET, "the journal '%s' is damaged", path);
    dtx_error_hint(err, "without --resume the run starts over");
    return DTX_ERR_TARGET;
}

bool
journal_has_begun(const char *content)
{
    return find_begin(content) != NULL;
}

size_t
journal_head_bytes(const char *content)
{
    const char *begin = find_begin(content);

    return begin == NULL
               ? 0
               : (size_t)(begin - content) + journal_line_length(begin) + 1;
}

bool
journal_is_committing(const char *content)
{
    static const char last[] = "\ncommitting\n";
    size_t length = strlen(content);

    return length >= sizeof last - 1 &&
           strcmp(content + length - (sizeof last - 1), last) == 0;
}

enum dtx_status
journal_read(const char *path, const struct dtx_text *content, int tensor_count,
             struct journal_state *state_out, struct dtx_error *err)
{
    const char *text = content->data == NULL ? "" : content->data;
    const char *line = find_begin(text);
    struct reading reading = {.tensor_count = tensor_count, .state = state_out};

    *state_out = (struct journal_state){0};
    state_out->sums = dtx_alloc((size_t)tensor_count * DIGEST_KIND_COUNT,
                                sizeof *state_out->sums);
    if (state_out->sums == NULL) {
        return dtx_error_memory(err);
    }
    line = line == NULL ? NULL : journal_next_line(line);
    for (reading.block = line; line != NULL; line = journal_next_line(line)) {
        if (!read_line(&reading, line)) {
            return refuse_damage(path, err);
        }
    }
    state_out->bytes = state_out->is_committing || reading.block == NULL
                           ? content->length
                           : (size_t)(reading.block - text);
    return strlen(text) == content->length ? DTX_OK : refuse_damage(path, err);
}

enum dtx_status
journal_each_file(const char *content, journal_visit *visit, void *context,
                  struct dtx_error *err)
{
    const char *line = content[0] == '\0' ? NULL : content;
    struct dtx_text path = {0};
    bool failed = false;

    for (; line != NULL && !failed; line = journal_next_line(line)) {
        const char *word = journal_after_word(line, "write");

        if (word != NULL) {
            journal_read_path(word, journal_line_length(word), &path);
            failed = path.failed;
            if (!failed) {
                visit(path.data, context);
            }
        }
    }
    dtx_text_finish(&path);
    return failed ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
journal_read_marks(const char *content, struct dtx_names *marks,
                   struct dtx_error *err)
{
    const char *line = content[0] == '\0' ? NULL : content;
    struct dtx_text one = {0};
    bool failed = false;

    for (; line != NULL && !failed; line = journal_next_line(line)) {
        if (journal_after_word(line, "mark") != NULL) {
            one.length = 0;
            dtx_text_add_bytes(&one, line, journal_line_length(line));
            failed = one.failed || dtx_names_add(marks, one.data) < 0;
        }
    }
    dtx_text_finish(&one);
    return failed ? dtx_error_memory(err) : DTX_OK;
}
