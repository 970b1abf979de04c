/*
 * A pattern is a small automaton whose states are its own byte positions, and
 * all states that a name can have reached are followed at once: the time is
 * at most length of pattern × length of name, whatever the stars and braces.
 * Every step without a character goes forward in the pattern, so one sweep
 * in ascending order finds them all.
 */
#define _GNU_SOURCE /* memmem */

#include "util/glob.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

enum { WORD_BITS = 64, WORD_COUNT = DTX_GLOB_LENGTH_MAX / WORD_BITS + 1 };

struct state_set {
    uint64_t words[WORD_COUNT];
};

struct glob {
    const char *pattern;
    size_t word_count; /* of the state sets; the last state is the end */
    bool has_braces;
    /* For '{' and ',' of braces the ',' or '}' that ends the alternative, for
     * their '}' itself, for all other bytes 0. Unset without braces. */
    uint16_t end[DTX_GLOB_LENGTH_MAX + 1];
};

static void
add_state(struct state_set *set, size_t state)
{
    set->words[state / WORD_BITS] |= (uint64_t)1 << state % WORD_BITS;
}

static bool
has_state(const struct state_set *set, size_t state)
{
    return (set->words[state / WORD_BITS] >> state % WORD_BITS & 1) != 0;
}

/* The ']' that closes the '[' at `open`, or NULL. A ']' that comes first is a
 * member. */
static const char *
bracket_end(const char *open)
{
    const char *first = open + 1;

    if (*first == '!' || *first == '^') {
        first++;
    }
    return *first == '\0' ? NULL : strchr(first + 1, ']');
}

/* One member or range of a bracket; returns what follows it. */
static const char *
read_range(const char *at, const char *end, uint32_t *first, uint32_t *last)
{
    at += dtx_utf8_decode(at, first);
    *last = *first;
    if (at + 1 < end && *at == '-') {
        at++;
        at += dtx_utf8_decode(at, last);
    }
    return at;
}

static bool
bracket_matches(const char *open, const char *end, uint32_t code)
{
    const char *at = open + 1;
    bool negated = *at == '!' || *at == '^';
    bool found = false;

    at += negated;
    while (at < end) {
        uint32_t first;
        uint32_t last;

        at = read_range(at, end, &first, &last);
        found = found || (first <= code && code <= last);
    }
    return found != negated;
}

static bool
has_backward_range(const char *open, const char *end)
{
    const char *at = open + 1;

    at += *at == '!' || *at == '^';
    while (at < end) {
        uint32_t first;
        uint32_t last;

        at = read_range(at, end, &first, &last);
        if (first > last) {
            return true;
        }
    }
    return false;
}

const char *
dtx_glob_check(const char *pattern)
{
    int depth = 0;

    if (strlen(pattern) > DTX_GLOB_LENGTH_MAX) {
        return "the pattern is too long";
    }
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at == '[') {
            const char *end = bracket_end(at);

            if (end == NULL) {
                return "a '[' is never closed";
            }
            if (has_backward_range(at, end)) {
                return "a range in brackets runs backwards";
            }
            at = end;
        } else if (*at == '{') {
            depth++;
        } else if (*at == '}' && depth > 0) {
            depth--;
        }
    }
    return depth > 0 ? "a '{' is never closed" : NULL;
}

/* Fills glob->end. While a pair of braces is open, the end of its latest
 * alternative holds the way back to the pair around it. */
static void
link_braces(struct glob *glob, size_t length)
{
    size_t open = SIZE_MAX; /* begin of the latest alternative */

    memset(glob->end, 0, (length + 1) * sizeof glob->end[0]);
    for (size_t i = 0; i < length; i++) {
        const char *at = glob->pattern + i;

        if (*at == '[') {
            i += (size_t)(bracket_end(at) - at);
        } else if (*at == '{') {
            glob->end[i] = (uint16_t)(open + 1);
            open = i;
        } else if (*at == ',' && open != SIZE_MAX) {
            glob->end[i] = glob->end[open];
            glob->end[open] = (uint16_t)i;
            open = i;
        } else if (*at == '}' && open != SIZE_MAX) {
            size_t outer = (size_t)glob->end[open] - 1;

            glob->end[open] = (uint16_t)i;
            glob->end[i] = (uint16_t)i;
            open = outer;
        }
    }
}

static bool
is_brace(const struct glob *glob, size_t state)
{
    return glob->has_braces && glob->end[state] != 0;
}

/* The steps from a brace or comma, which need no character. */
static void
step_brace(const struct glob *glob, struct state_set *set, size_t state)
{
    size_t end = glob->end[state];

    switch (glob->pattern[state]) {
    case '{':
        add_state(set, state + 1);
        for (; glob->pattern[end] == ','; end = glob->end[end]) {
            add_state(set, end + 1);
        }
        break;
    case ',':
        add_state(set, end);
        break;
    default:
        add_state(set, state + 1);
        break;
    }
}

/* The steps from one state: those without a character stay in `now`, those
 * that take `code` go to `after`. */
static void
step_state(const struct glob *glob, size_t state, uint32_t code,
           struct state_set *now, struct state_set *after)
{
    const char *at = glob->pattern + state;
    bool within = code != '.' && code != '/' && code != '\0';

    if (is_brace(glob, state)) {
        step_brace(glob, now, state);
    } else if (at[0] == '*') {
        size_t stars = at[1] == '*' ? 2 : 1;

        add_state(now, state + stars);
        if (within || (stars == 2 && code != '\0')) {
            add_state(after, state);
        }
    } else if (at[0] == '?') {
        if (within) {
            add_state(after, state + 1);
        }
    } else if (at[0] == '[') {
        const char *end = bracket_end(at);

        if (code != '\0' && bracket_matches(at, end, code)) {
            add_state(after, (size_t)(end + 1 - glob->pattern));
        }
    } else if (at[0] != '\0') {
        uint32_t wanted;
        size_t length = dtx_utf8_decode(at, &wanted);

        if (wanted == code) {
            add_state(after, state + length);
        }
    }
}

/* All steps with `code`, or with NUL only those without a character. False
 * when no state is left. */
static bool
step_all(const struct glob *glob, uint32_t code, struct state_set *now,
         struct state_set *after)
{
    bool any = false;

    memset(after->words, 0, glob->word_count * sizeof after->words[0]);
    for (size_t word = 0; word < glob->word_count; word++) {
        uint64_t done = 0;
        uint64_t left;

        while ((left = now->words[word] & ~done) != 0) {
            int bit = __builtin_ctzll(left);

            done |= (uint64_t)1 << bit;
            step_state(glob, word * WORD_BITS + (size_t)bit, code, now, after);
        }
        any = any || done != 0;
    }
    return any;
}

/* ---------------------------------------------------------------- plain */

static bool
is_special(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '{';
}

/* True for a pattern of literals and `**` alone, as most are. */
static bool
is_plain(const char *pattern)
{
    for (; *pattern != '\0'; pattern++) {
        if (!is_special(*pattern)) {
            continue;
        }
        if (*pattern++ != '*' || *pattern != '*') {
            return false;
        }
    }
    return true;
}

/* Matches a plain pattern that is empty or begins with `**`: each literal is
 * taken where it first stands, the last at the end. */
static bool
match_plain(const char *pattern, const char *name)
{
    while (*pattern == '*') {
        size_t length, left = strlen(name);

        while (*pattern == '*') {
            pattern++;
        }
        length = strcspn(pattern, "*");
        if (pattern[length] == '\0') {
            return length <= left &&
                   memcmp(name + left - length, pattern, length) == 0;
        }
        name = memmem(name, left, pattern, length);
        if (name == NULL) {
            return false;
        }
        name += length;
        pattern += length;
    }
    return *name == '\0';
}

/* ---------------------------------------------------------------- matching */

bool
dtx_glob_match(const char *pattern, const char *name)
{
    struct glob glob;
    struct state_set sets[2];
    size_t prefix = 0;
    size_t length;
    int now = 0;

    /* Most names differ from most patterns in their first letters. */
    while (pattern[prefix] != '\0' && !is_special(pattern[prefix])) {
        if (pattern[prefix] != name[prefix]) {
            return false;
        }
        prefix++;
    }
    glob.pattern = pattern + prefix;
    name += prefix;
    if (is_plain(glob.pattern)) {
        return match_plain(glob.pattern, name);
    }
    length = strlen(glob.pattern);
    if (length > DTX_GLOB_LENGTH_MAX) {
        return false;
    }
    glob.word_count = length / WORD_BITS + 1;
    glob.has_braces = strchr(glob.pattern, '{') != NULL;
    if (glob.has_braces) {
        link_braces(&glob, length);
    }
    memset(sets[0].words, 0, glob.word_count * sizeof sets[0].words[0]);
    add_state(&sets[0], 0);
    while (*name != '\0') {
        uint32_t code;

        name += dtx_utf8_decode(name, &code);
        if (!step_all(&glob, code, &sets[now], &sets[1 - now])) {
            return false;
        }
        now = 1 - now;
    }
    step_all(&glob, '\0', &sets[now], &sets[1 - now]);
    return has_state(&sets[now], length);
}

void
dtx_glob_quote(struct dtx_text *text, const char *name)
{
    for (; *name != '\0'; name++) {
        if (is_special(*name)) {
            dtx_text_format(text, "[%c]", *name);
        } else {
            dtx_text_add_bytes(text, name, 1);
        }
    }
}

bool
dtx_glob_is_literal(const char *pattern)
{
    return strpbrk(pattern, "*?[{") == NULL;
}

static bool
is_number(const char *component, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++) {
        if (!isdigit((unsigned char)component[i])) {
            return false;
        }
    }
    return length > 0;
}

/* Adds a component, quoted. */
static void
add_component(struct dtx_text *text, const char *component, size_t length)
{
    char *copy = dtx_alloc(length + 1, 1);

    if (copy == NULL) {
        text->failed = true;
        return;
    }
    memcpy(copy, component, length);
    dtx_glob_quote(text, copy);
    dtx_free(copy);
}

void
dtx_glob_pattern(struct dtx_text *text, const char *name, int numbered)
{
    int index = 0;

    while (*name != '\0') {
        size_t length = strcspn(name, "./");

        if (is_number(name, length)) {
            dtx_text_add(text, index++ == numbered ? "{n}" : "*");
        } else {
            add_component(text, name, length);
        }
        name += length;
        if (*name != '\0') {
            dtx_text_add_bytes(text, name++, 1);
        }
    }
}
