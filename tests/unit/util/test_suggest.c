#include <criterion/criterion.h>
#include <string.h>

#include "util/suggest.h"

static const char *const words[] = {
    "mesh", "ranks", "checkpoint", "split", "tensors", "placements", "where"};

static const char *
suggest(const char *word)
{
    return dtx_suggest(word, words, sizeof words / sizeof words[0]);
}

Test(suggest, close_words_are_found)
{
    cr_assert_str_eq(suggest("rank"), "ranks");
    cr_assert_str_eq(suggest("placement"), "placements");
    cr_assert_str_eq(suggest("plaecments"), "placements");
    cr_assert_str_eq(suggest("MESH"), "mesh");
    cr_assert_str_eq(suggest("msh"), "mesh");
    cr_assert_str_eq(suggest("chekpiont"), "checkpoint");
    cr_assert_str_eq(suggest("wehre"), "where");
}

Test(suggest, far_words_are_not)
{
    char longest[500];

    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cr_assert_null(suggest("device"));
    cr_assert_null(suggest(""));
    cr_assert_null(suggest("x"));
    cr_assert_null(suggest(longest));
    cr_assert_null(dtx_suggest("mesh", NULL, 0));
}

Test(suggest, two_letters_are_too_few_for_a_mistake_in_one)
{
    const char *const axes[] = {"dp", "tp"};

    cr_assert_null(dtx_suggest("pp", axes, 2));
    cr_assert_str_eq(dtx_suggest("tpp", axes, 2), "tp");
}

Test(suggest, the_closest_wins_and_the_first_of_equals)
{
    const char *const known[] = {"balanced_2", "balance", "balances"};

    cr_assert_str_eq(dtx_suggest("balanced", known, 3), "balance");
}
