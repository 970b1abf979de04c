#include "spec/yaml_hint.h"

#include <stdbool.h>
#include <string.h>

static size_t
line_begin(const char *text, size_t offset)
{
    while (offset > 0 && text[offset - 1] != '\n') {
        offset--;
    }
    return offset;
}

/* True where a value can begin at `at`: after ": ", "- ", ", ", "[" or "{". */
static bool
is_value_begin(const char *line, const char *at)
{
    const char *before = at;

    while (before > line && before[-1] == ' ') {
        before--;
    }
    if (before == line) {
        return false;
    }
    return strchr("[{", before[-1]) != NULL ||
           (before < at && strchr(":-,", before[-1]) != NULL);
}

/* True where text goes on behind the bracket that closes the one at `at`, as
 * in {rank}.h5: then it was not meant as a map or list. */
static bool
goes_on_behind(const char *at, char close)
{
    while (*at != '\0' && *at != '\n' && *at != close) {
        at++;
    }
    return *at == close && strchr(" ,]}\r\n", at[1]) == NULL;
}

static const char *
hint_for(const char *at)
{
    switch (*at) {
    case '*':
        return "a bare '*' begins a YAML alias: put the pattern in quotes, as "
               "in \"**\"";
    case '{':
        return goes_on_behind(at, '}')
                   ? "a bare '{' begins a map: put the text in quotes, as in "
                     "\"{name}\""
                   : NULL;
    case '[':
        return goes_on_behind(at, ']')
                   ? "a bare '[' begins a list: put the text in quotes, as in "
                     "\"[qkv].weight\""
                   : NULL;
    case '&':
    case '!':
    case '%':
    case '@':
    case '`':
    case '|':
    case '>':
        return "put a text that begins with such a character in quotes";
    default:
        return NULL;
    }
}

static const char *
line_hint(const char *line)
{
    const char *hint = NULL;
    char quote = '\0';

    if (line[strspn(line, " ")] == '\t') {
        return "indent with spaces, not with tabs";
    }
    for (const char *at = line; hint == NULL && strchr("\n", *at) == NULL;
         at++) {
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '#' && at > line && at[-1] == ' ') {
            return NULL;
        } else if (is_value_begin(line, at)) {
            hint = hint_for(at);
        }
    }
    return hint;
}

const char *
yaml_syntax_hint(const char *text, size_t offset, const char *problem)
{
    size_t begin = line_begin(text, offset);
    const char *hint = line_hint(text + begin);

    if (hint == NULL && begin > 0) {
        hint = line_hint(text + line_begin(text, begin - 1));
    }
    if (hint == NULL && strstr(problem, "mapping values") != NULL) {
        hint = "a text with ': ' in it needs quotes, and the keys of one map "
               "begin in the same column";
    }
    return hint;
}
