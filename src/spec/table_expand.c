#include <inttypes.h>
#include <string.h>

#include "spec/codes.h"
#include "spec/table.h"
#include "util/names.h"

struct expansion {
    struct table_reader *reader;
    struct dtx_names names;
    struct dtx_text text; /* the name in the making */
};

static void
add_name(struct dtx_text *text, const struct table_line *line,
         const int64_t *numbers)
{
    const char *at = line->name;

    text->length = 0;
    dtx_text_add(text, "");
    while (*at != '\0') {
        size_t length = strcspn(at, "{");

        dtx_text_add_bytes(text, at, length);
        at += length;
        if (*at == '{') {
            length = strcspn(at, "}");
            for (int i = 0; i < line->range_count; i++) {
                if (strlen(line->ranges[i].key) == length - 1 &&
                    strncmp(line->ranges[i].key, at + 1, length - 1) == 0) {
                    dtx_text_format(text, "%" PRId64, numbers[i]);
                }
            }
            at += length + 1;
        }
    }
}

/* Steps to the next numbers, the last range innermost. */
static void
advance(const struct table_line *line, int64_t *numbers)
{
    for (int i = line->range_count - 1; i >= 0; i--) {
        if (numbers[i] < line->ranges[i].last) {
            numbers[i]++;
            return;
        }
        numbers[i] = line->ranges[i].first;
    }
}

static bool
add_entry(struct expansion *e, const struct table_line *line,
          const int64_t *numbers)
{
    struct dtx_catalog *catalog = e->reader->catalog;
    struct dtx_table_entry *entry = &catalog->entries[catalog->entry_count];
    int before = e->names.count;

    add_name(&e->text, line, numbers);
    if (e->text.failed || dtx_names_add(&e->names, e->text.data) < 0) {
        return false;
    }
    if (e->names.count == before) {
        spec_error(&e->reader->report, SPEC_TABLE_NAME, line->mark,
                   "the name '%s' comes twice", e->text.data);
        return true;
    }
    *entry = (struct dtx_table_entry){
        .name = dtx_arena_string(&catalog->arena, e->text.data),
        .type = line->type,
        .ndim = line->ndim,
        .shape = line->shape};
    catalog->entry_count++;
    return entry->name != NULL;
}

static bool
expand_line(struct expansion *e, const struct table_line *line)
{
    int64_t numbers[TABLE_FIELDS_MAX];
    int errors = e->reader->report.error_count;
    bool good = true;

    for (int i = 0; i < line->range_count; i++) {
        numbers[i] = line->ranges[i].first;
    }
    /* One name of a line that comes twice tells enough. */
    for (int64_t n = 0;
         good && n < line->count && e->reader->report.error_count == errors;
         n++) {
        good = add_entry(e, line, numbers);
        advance(line, numbers);
    }
    return good;
}

void
table_expand(struct table_reader *reader, const struct table_line *lines,
             int line_count, int64_t tensor_count)
{
    struct dtx_catalog *catalog = reader->catalog;
    struct expansion e = {.reader = reader};

    catalog->entries = dtx_arena_alloc(&catalog->arena, (size_t)tensor_count,
                                       sizeof *catalog->entries);
    reader->report.failed = reader->report.failed || catalog->entries == NULL;
    for (int i = 0; i < line_count && !reader->report.failed; i++) {
        reader->report.failed = !expand_line(&e, &lines[i]);
    }
    dtx_names_finish(&e.names);
    dtx_text_finish(&e.text);
}
