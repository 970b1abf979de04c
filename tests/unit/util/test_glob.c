#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "support/random.h"
#include "util/glob.h"

/*
 * The reference: alternatives and stars are tried one after the other, in
 * exponential time. `rest` is what stands behind the pattern: the patterns
 * around an alternative, innermost first.
 */
struct rest {
    const char *pattern;
    const struct rest *next;
};

static bool reference_match(const char *pattern, const struct rest *rest,
                            const char *name);

/* The end of the alternative that begins at `at`: its ',' or '}'. */
static const char *
alternative_end(const char *at)
{
    int depth = 0;

    for (;; at++) {
        if (*at == '[') {
            at = strchr(at + 2, ']');
        } else if (depth == 0 && (*at == ',' || *at == '}')) {
            return at;
        } else if (*at == '{') {
            depth++;
        } else if (*at == '}') {
            depth--;
        }
    }
}

static bool
reference_braces(const char *pattern, const struct rest *rest, const char *name)
{
    const char *close = alternative_end(pattern);
    bool found = false;

    while (*close == ',') {
        close = alternative_end(close + 1);
    }
    struct rest behind = {close + 1, rest};
    for (const char *at = pattern; at <= close; at = alternative_end(at) + 1) {
        char one[256] = "";

        memcpy(one, at, (size_t)(alternative_end(at) - at));
        found = found || reference_match(one, &behind, name);
    }
    return found;
}

static bool
reference_bracket(const char *pattern, const char *end, char c)
{
    bool negated = *pattern == '!';
    bool found = false;

    for (pattern += negated; pattern < end; pattern++) {
        if (pattern[1] == '-' && pattern + 2 < end) {
            found = found || (pattern[0] <= c && c <= pattern[2]);
            pattern += 2;
        } else {
            found = found || *pattern == c;
        }
    }
    return found != negated;
}

static bool
reference_star(const char *pattern, const struct rest *rest, const char *name)
{
    bool any = pattern[1] == '*';
    const char *after = pattern + 1 + any;

    for (;; name++) {
        if (reference_match(after, rest, name)) {
            return true;
        }
        if (*name == '\0' || (!any && strchr("./", *name) != NULL)) {
            return false;
        }
    }
}

static bool
reference_match(const char *pattern, const struct rest *rest, const char *name)
{
    switch (*pattern) {
    case '\0':
        return rest == NULL ? *name == '\0'
                            : reference_match(rest->pattern, rest->next, name);
    case '*':
        return reference_star(pattern, rest, name);
    case '?':
        return *name != '\0' && strchr("./", *name) == NULL &&
               reference_match(pattern + 1, rest, name + 1);
    case '[': {
        const char *end = strchr(pattern + 2, ']');

        return *name != '\0' && reference_bracket(pattern + 1, end, *name) &&
               reference_match(end + 1, rest, name + 1);
    }
    case '{':
        return reference_braces(pattern + 1, rest, name);
    default:
        return *pattern == *name &&
               reference_match(pattern + 1, rest, name + 1);
    }
}

/* Adds a random pattern: few letters, so that matches are common. */
static void
add_random_pattern(struct random *random, char *pattern, int depth)
{
    static const char *const pieces[] = {"a",   "b",    ".",     "/",  "*",
                                         "**",  "?",    "[ab]",  "a",  "[!a]",
                                         "***", "[,a]", "[a-b]", "*?", "[}.]"};

    for (uint64_t count = random_below(random, 5); count > 0; count--) {
        if (depth < 3 && random_below(random, 5) == 0) {
            strcat(pattern, "{");
            add_random_pattern(random, pattern, depth + 1);
            while (random_below(random, 2) == 0) {
                strcat(pattern, ",");
                add_random_pattern(random, pattern, depth + 1);
            }
            strcat(pattern, "}");
        } else {
            strcat(
                pattern,
                pieces[random_below(random, sizeof pieces / sizeof *pieces)]);
        }
        if (strlen(pattern) > 60) {
            return;
        }
    }
}

Test(glob, it_agrees_with_trying_everything)
{
    struct random random = random_begin();
    int matches = 0;

    for (int round = 0; round < 40000; round++) {
        char pattern[256] = "";
        char name[16] = "";

        add_random_pattern(&random, pattern, 0);
        for (size_t i = random_below(&random, 8); i > 0; i--) {
            name[i - 1] = "aab./,"[random_below(&random, 6)];
        }
        cr_assert_null(dtx_glob_check(pattern), "'%s'", pattern);
        bool expected = reference_match(pattern, NULL, name);
        matches += expected;
        cr_assert_eq(dtx_glob_match(pattern, name), expected, "'%s' on '%s'",
                     pattern, name);
    }
    cr_assert_gt(matches, 1000);
}

Test(glob, stars_stay_within_a_component)
{
    cr_assert(dtx_glob_match("layers.*.weight", "layers.0.weight"));
    cr_assert_not(dtx_glob_match("layers.*.weight", "layers.0.wq.weight"));
    cr_assert_not(dtx_glob_match("*", "a/b"));
    cr_assert_not(dtx_glob_match("a?b", "a.b"));
    cr_assert(dtx_glob_match("*", ""));
}

Test(glob, two_stars_match_anything)
{
    cr_assert(dtx_glob_match("**", ""));
    cr_assert(dtx_glob_match("**", "a.b/c"));
    cr_assert(dtx_glob_match("**.bias", "h.0.attn.bias"));
    cr_assert_not(dtx_glob_match("**.bias", "bias"));
}

Test(glob, brackets_match_one_character)
{
    cr_assert(dtx_glob_match("w[qkv].weight", "wk.weight"));
    cr_assert_not(dtx_glob_match("w[qkv].weight", "wo.weight"));
    cr_assert(dtx_glob_match("[!a-c]", "d"));
    cr_assert_not(dtx_glob_match("[^a-c]", "b"));
    cr_assert(dtx_glob_match("[]x]", "]"));
    cr_assert(dtx_glob_match("[a-]", "-"));
    cr_assert(dtx_glob_match("[*]", "*"));
    cr_assert_not(dtx_glob_match("[*]", "a"));
}

Test(glob, braces_give_alternatives)
{
    cr_assert(dtx_glob_match("{wq,wk{,_b}}.w", "wk_b.w"));
    cr_assert(dtx_glob_match("{wq,wk{,_b}}.w", "wk.w"));
    cr_assert_not(dtx_glob_match("{wq,wk{,_b}}.w", "wq_b.w"));
    cr_assert(dtx_glob_match("a,b}", "a,b}"));
}

Test(glob, a_character_is_a_code_point)
{
    cr_assert(dtx_glob_match("?", "é"));
    cr_assert(dtx_glob_match("[α-ω]x", "λx"));
    cr_assert_not(dtx_glob_match("[α-ω]x", "Λx"));
    cr_assert_not(dtx_glob_match("??", "é"));
    cr_assert(dtx_glob_match("?", "\xFF"));
}

Test(glob, malformed_patterns_are_named)
{
    char *deep = calloc(1, 10000);

    cr_assert_null(dtx_glob_check(""));
    cr_assert_not_null(dtx_glob_check("a[b"));
    cr_assert_not_null(dtx_glob_check("["));
    cr_assert_not_null(dtx_glob_check("[!]"));
    cr_assert_not_null(dtx_glob_check("{a,{b}"));
    cr_assert_not_null(dtx_glob_check("{[}]"));
    cr_assert_not_null(dtx_glob_check("[z-a]"));
    memset(deep, 'a', DTX_GLOB_LENGTH_MAX);
    cr_assert_null(dtx_glob_check(deep));
    memset(deep, 'a', 9999);
    cr_assert_not_null(dtx_glob_check(deep));
    free(deep);
}

Test(glob, patterns_made_to_be_slow_are_not)
{
    char stars[1024] = "";
    char nested[4000] = "";
    char name[256] = "";
    clock_t begin = clock();

    memset(name, 'a', sizeof name - 1);
    for (int i = 0; i < 100; i++) {
        strcat(stars, i % 2 == 0 ? "**a" : "*a");
    }
    strcat(stars, "b");
    memset(nested, '{', 1900);
    strcat(nested, "a*,**");
    memset(nested + strlen(nested), '}', 1900);
    cr_assert_not(dtx_glob_match(stars, name));
    cr_assert_null(dtx_glob_check(nested));
    cr_assert(dtx_glob_match(nested, name));
    cr_assert_lt((double)(clock() - begin) / CLOCKS_PER_SEC, 1.0);
}

Test(glob, a_quoted_name_matches_itself_alone)
{
    static const char *const names[] = {"a.b",   "a*b", "[x]",
                                        "{a,b}", "?!}", "λ*"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct dtx_text text = {0};

        dtx_glob_quote(&text, names[i]);
        cr_assert_null(dtx_glob_check(text.data));
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++) {
            cr_assert_eq(dtx_glob_match(text.data, names[j]), i == j);
        }
        dtx_text_finish(&text);
    }
    cr_assert(dtx_glob_is_literal("a.b,c}"));
    cr_assert_not(dtx_glob_is_literal("a.*"));
}
