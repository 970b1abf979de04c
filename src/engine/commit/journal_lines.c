#include "engine/commit/journal_lines.h"

#include <string.h>

const char *
journal_next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end == NULL || end[1] == '\0' ? NULL : end + 1;
}

size_t
journal_line_length(const char *line)
{
    return strcspn(line, "\n");
}

bool
journal_is_line(const char *line, const char *words)
{
    return journal_line_length(line) == strlen(words) &&
           memcmp(line, words, strlen(words)) == 0;
}

const char *
journal_after_word(const char *line, const char *word)
{
    size_t length = strlen(word);

    return strncmp(line, word, length) == 0 && line[length] == ' '
               ? line + length + 1
               : NULL;
}

void
journal_add_path(struct dtx_text *text, const char *path)
{
    for (; *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;

        if (c <= ' ' || c == '%' || c == 0x7f) {
            dtx_text_format(text, "%%%02X", c);
        } else {
            dtx_text_add_bytes(text, path, 1);
        }
    }
}

static int
digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

void
journal_read_path(const char *word, size_t length, struct dtx_text *path)
{
    size_t i;

    path->length = 0;
    dtx_text_add(path, "");
    for (i = 0; i < length; i++) {
        char c = word[i];

        if (c == '%' && i + 2 < length && digit(word[i + 1]) >= 0 &&
            digit(word[i + 2]) >= 0) {
            c = (char)(digit(word[i + 1]) * 16 + digit(word[i + 2]));
            i += 2;
        }
        dtx_text_add_bytes(path, &c, 1);
    }
}
