#include "spec/regex_size.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/math.h"

/* What was read of an expression: of each open group the atoms so far, and
 * those of what was read last, which a repetition is about. */
struct reading {
    int64_t atoms[REGEX_LENGTH_MAX + 1];
    int64_t last;
    int depth;
};

/* Passes over a bracket expression, which begins at '['; returns its end. */
static const char *
skip_bracket(const char *at)
{
    at++;
    at += *at == '^';
    at += *at == ']';
    while (*at != '\0' && *at != ']') {
        /* [:alpha:], [.x.], [=x=] */
        if (*at == '[' && at[1] != '\0' && strchr(":.=", at[1]) != NULL) {
            char close[] = {at[1], ']', '\0'};
            const char *end = strstr(at + 2, close);

            at = end == NULL ? at : end + 1;
        }
        at++;
    }
    return at;
}

static void
add_atom(struct reading *r, int64_t atoms)
{
    r->last = atoms;
    r->atoms[r->depth] += atoms;
}

static void
repeat(struct reading *r, int64_t times)
{
    times = dtx_min(times, (int64_t)REGEX_ATOMS_MAX + 1);
    r->atoms[r->depth] += r->last * (times - 1);
    r->last *= times;
}

static void
close_group(struct reading *r)
{
    int64_t atoms = r->atoms[r->depth];

    if (r->depth > 0) {
        r->depth--;
        add_atom(r, dtx_max(atoms, (int64_t)1));
    }
}

/* The times of "{m}", "{m,}" or "{m,n}"; returns its last character. */
static const char *
read_times(const char *at, int64_t *times_out)
{
    char *end;
    int64_t first = strtol(at + 1, &end, 10);
    int64_t second = first;

    if (*end == ',') {
        second = end[1] == '}' ? dtx_min(first, (int64_t)REGEX_ATOMS_MAX) + 1
                               : strtol(end + 1, &end, 10);
    }
    *times_out = dtx_max(dtx_max(first, second), (int64_t)1);
    end = strchr(at, '}');
    return end == NULL ? at : end;
}

/* One piece of the expression; returns its last character. */
static const char *
read_piece(struct reading *r, const char *at)
{
    int64_t times;

    switch (*at) {
    case '\\':
        add_atom(r, 1);
        return at[1] == '\0' ? at : at + 1;
    case '[':
        add_atom(r, 1);
        at = skip_bracket(at);
        return *at == '\0' ? at - 1 : at;
    case '(':
        r->atoms[++r->depth] = 0;
        r->last = 0;
        return at;
    case ')':
        close_group(r);
        return at;
    case '+': /* one, and any number of further ones */
        repeat(r, 2);
        return at;
    case '{':
        at = read_times(at, &times);
        repeat(r, times);
        return at;
    case '*':
    case '?':
        return at;
    default:
        add_atom(r, 1);
        return at;
    }
}

bool
regex_is_too_large(const char *regex)
{
    struct reading r = {.last = 0};

    if (strlen(regex) > REGEX_LENGTH_MAX) {
        return true;
    }
    for (const char *at = regex; *at != '\0'; at++) {
        at = read_piece(&r, at);
        if (r.atoms[r.depth] > REGEX_ATOMS_MAX) {
            return true;
        }
    }
    for (; r.depth > 0; r.depth--) {
        r.atoms[r.depth - 1] += r.atoms[r.depth];
    }
    return r.atoms[0] > REGEX_ATOMS_MAX;
}

const char *
regex_back_reference(const char *regex)
{
    for (const char *at = regex; *at != '\0'; at++) {
        if (*at == '[') {
            at = skip_bracket(at);
            if (*at == '\0') {
                return NULL;
            }
        } else if (*at == '\\' && at[1] != '\0') {
            if (at[1] >= '1' && at[1] <= '9') {
                return at;
            }
            at++;
        }
    }
    return NULL;
}
