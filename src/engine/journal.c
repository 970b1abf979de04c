#include "engine/journal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/journal_lines.h"
#include "util/alloc.h"
#include "util/error.h"

void
journal_add_safe(struct dtx_text *text, int first, int end,
                 const uint64_t *sums)
{
    int i, kind;

    for (i = first; i < end; i++) {
        dtx_text_format(text, "sums %d", i);
        for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
            dtx_text_format(text, " %016" PRIx64, *sums++);
        }
        dtx_text_add(text, "\n");
    }
    dtx_text_format(text, "safe %d\n", end);
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

/* Reads a line of sums into the room for tensor_count of them. */
static bool
read_sums(const char *numbers, int tensor_count, uint64_t *sums)
{
    char *end;
    long tensor = strtol(numbers, &end, 10);
    int kind;

    if (end == numbers || tensor < 0 || tensor >= tensor_count) {
        return false;
    }
    for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
        if (*end != ' ') {
            return false;
        }
        sums[tensor * DIGEST_KIND_COUNT + kind] = strtoull(end + 1, &end, 16);
    }
    return *end == '\n';
}

static bool
read_safe(const char *number, int tensor_count, int *safe)
{
    char *end;
    long value = strtol(number, &end, 10);

    if (end == number || *end != '\n' || value < *safe ||
        value > tensor_count) {
        return false;
    }
    *safe = (int)value;
    return true;
}

static bool
read_line(const char *line, int tensor_count, struct journal_state *state)
{
    const char *rest;

    if (journal_is_line(line, "forced")) {
        state->is_forced = true;
        return true;
    }
    if (journal_is_line(line, "committing")) {
        state->is_committing = true;
        return state->safe == tensor_count;
    }
    rest = journal_after_word(line, "sums");
    if (rest != NULL) {
        return read_sums(rest, tensor_count, state->sums);
    }
    rest = journal_after_word(line, "safe");
    return rest != NULL && read_safe(rest, tensor_count, &state->safe);
}

bool
journal_has_begun(const char *content)
{
    return find_begin(content) != NULL;
}

enum dtx_status
journal_read(const char *path, const char *content, int tensor_count,
             struct journal_state *state_out, struct dtx_error *err)
{
    const char *line = find_begin(content);

    *state_out = (struct journal_state){0};
    state_out->sums = dtx_alloc((size_t)tensor_count * DIGEST_KIND_COUNT,
                                sizeof *state_out->sums);
    if (state_out->sums == NULL) {
        return dtx_error_memory(err);
    }
    while (line != NULL && (line = journal_next_line(line)) != NULL) {
        if (!read_line(line, tensor_count, state_out)) {
            dtx_error_set(err, DTX_ERR_TARGET, "the journal '%s' is damaged",
                          path);
            dtx_error_hint(err, "without --resume the run starts over");
            return DTX_ERR_TARGET;
        }
    }
    return DTX_OK;
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
