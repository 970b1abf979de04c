/*
 * Right layouts with random changes: whatever the text, there is a layout or
 * a drawing, and nothing crashes.
 */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "rich.h"
#include "support/random.h"

enum { ROUNDS = 2000 };

static const char *const pieces[] = {
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "- ",
    "\n",
    "\"",
    "'",
    "*",
    "&a",
    "*a",
    "!!int ",
    "#",
    "%",
    "@",
    "|",
    ">",
    "? ",
    "---\n",
    "\t",
    "\r",
    "~",
    "-1",
    "0",
    "1e9",
    "0x8",
    "99999999999999999999",
    "\\",
    "\xC3",
    "\xE2\x80\xA8",
    "\xEF\xBB\xBF",
    "null",
    "true",
    "{rank}",
    "{n}",
    "shard(0)",
    "_S(0, 2)",
    "partial(sum)",
    "pad",
    "even",
    "**",
    "[a-",
    "mesh: {}\n",
    "tensors: []\n",
    "9223372036854775807",
    "-9223372036854775808",
};

/* Puts `count` bytes in for `cut` bytes at `at`. */
static char *
splice(char *text, size_t at, size_t cut, const char *bytes, size_t count)
{
    size_t length = strlen(text);
    char *result = malloc(length - cut + count + 1);

    memcpy(result, text, at);
    memcpy(result + at, bytes, count);
    memcpy(result + at + count, text + at + cut, length - at - cut + 1);
    free(text);
    return result;
}

static char *
mutate(char *text, struct random *random)
{
    size_t length = strlen(text);
    size_t at = random_below(random, length + 1);
    size_t rest = length - at;
    size_t cut = random_below(random, rest < 12 ? rest + 1 : 12);
    const char *piece =
        pieces[random_below(random, sizeof pieces / sizeof *pieces)];
    char *copy;

    switch (random_below(random, 4)) {
    case 0:
        return splice(text, at, cut, "", 0);
    case 1:
        return splice(text, at, 0, piece, strlen(piece));
    case 2:
        return splice(text, at, cut, piece, strlen(piece));
    default:
        copy = strndup(text + random_below(random, length + 1), cut);
        text = splice(text, at, 0, copy, strlen(copy));
        free(copy);
        return text;
    }
}

static void
check_text(const char *text, enum dtx_role role)
{
    struct parsed p = parse_as(text, role);

    cr_assert_not_null(p.drawing);
    cr_assert_eq(p.status, p.error_count > 0 ? DTX_ERR_INVALID : DTX_OK,
                 "status %d, %d mistakes, %s:\n%s", p.status, p.error_count,
                 p.err.message, text);
    cr_assert_eq(p.layout != NULL, p.status == DTX_OK);
    parsed_finish(&p);
}

Test(spec, no_text_makes_it_crash, .timeout = 100)
{
    struct random random = random_begin();

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t changes = 1 + random_below(&random, 4);
        char *text = strdup(RICH);

        for (uint64_t i = 0; i < changes; i++) {
            text = mutate(text, &random);
        }
        check_text(text, round % 2 == 0 ? DTX_SOURCE : DTX_TARGET);
        free(text);
    }
}

Test(spec, no_beginning_of_a_text_makes_it_crash)
{
    for (size_t length = 0; length < strlen(RICH); length += 3) {
        char *text = strndup(RICH, length);

        check_text(text, DTX_TARGET);
        free(text);
    }
}
