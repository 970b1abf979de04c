#include "spec/scalar.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

static bool
is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

/* True for [-+]?[0-9]+ and 0x…, 0o…, with underscores as YAML 1.1 has them. */
static bool
is_integer(const char *text)
{
    text += *text == '-' || *text == '+';
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'o')) {
        return text[2] != '\0' &&
               strspn(text + 2, "0123456789abcdefABCDEF_") == strlen(text + 2);
    }
    return strspn(text, digits) > 0 &&
           strspn(text, "0123456789_") == strlen(text);
}

/* True for [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool
is_float(const char *text)
{
    static const char *const words[] = {".inf", ".Inf", ".INF", ".nan",
                                        ".NaN", ".NAN", NULL};
    size_t before;
    size_t after = 0;

    text += *text == '-' || *text == '+';
    if (is_one_of(text, words)) {
        return true;
    }
    before = strspn(text, digits);
    text += before;
    if (*text == '.') {
        after = strspn(++text, digits);
        text += after;
    }
    if (before + after == 0) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        after = strspn(text, digits);
        text += after;
        return after > 0 && *text == '\0';
    }
    return *text == '\0';
}

enum scalar_type
scalar_type(const char *text, bool is_plain)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const bools[] = {"true",  "True",  "TRUE", "false",
                                        "False", "FALSE", NULL};

    if (!is_plain) {
        return SCALAR_TEXT;
    }
    if (is_one_of(text, nulls)) {
        return SCALAR_NULL;
    }
    if (is_one_of(text, bools)) {
        return SCALAR_BOOL;
    }
    if (is_integer(text)) {
        return SCALAR_INTEGER;
    }
    return is_float(text) ? SCALAR_FLOAT : SCALAR_TEXT;
}

enum scalar_number
scalar_integer(const char *text, int64_t *value_out)
{
    const char *at = text + (*text == '-');
    long long value;

    if (*at == '\0' || strspn(at, digits) != strlen(at) ||
        (at[0] == '0' && at[1] != '\0')) {
        return SCALAR_NO_NUMBER;
    }
    errno = 0;
    value = strtoll(text, NULL, 10);
    if (errno == ERANGE) {
        return SCALAR_TOO_LARGE;
    }
    *value_out = value;
    return SCALAR_NUMBER;
}
