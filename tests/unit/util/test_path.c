#include <criterion/criterion.h>
#include <string.h>

#include "util/path.h"

/* The way from a folder to a file is this; NULL: it can't be told. */
static void
expect_way(const char *folder, const char *path, const char *want)
{
    struct dtx_text way = {0};
    bool is_known = dtx_path_relative(folder, path, &way);

    cr_assert_eq(is_known, want != NULL, "from '%s' to '%s'", folder, path);
    if (want != NULL) {
        cr_assert_str_eq(way.data, want, "from '%s' to '%s'", folder, path);
    }
    dtx_text_finish(&way);
}

Test(path, the_way_leads_down_and_up)
{
    expect_way("", "a.h5", "a.h5");
    expect_way("run", "run/a.h5", "a.h5");
    expect_way("run/", "run/x/a.h5", "x/a.h5");
    expect_way("run/view", "run/a.h5", "../a.h5");
    expect_way("a/b", "c/d/e.h5", "../../c/d/e.h5");
    expect_way("/a/b", "/a/c.h5", "../c.h5");
    expect_way("/", "/c.h5", "c.h5");
    expect_way("run", "running/a.h5", "../running/a.h5");
}

Test(path, dots_and_doubled_slashes_are_no_folders)
{
    expect_way("./run//view/.", "run/./a.h5", "../a.h5");
    expect_way(".", "a.h5", "a.h5");
    expect_way("../x", "../y/a.h5", "../y/a.h5");
    expect_way("x", "../y/a.h5", "../../y/a.h5");
}

Test(path, what_leads_out_of_a_folder_without_a_name_cannot_be_told)
{
    expect_way("../x", "y/a.h5", NULL);
    expect_way("/x", "y/a.h5", NULL);
    expect_way("x", "/y/a.h5", NULL);
}

Test(path, names_are_equal_but_for_dots_and_slashes)
{
    cr_assert(dtx_path_equal("a/b.h5", "./a//b.h5"));
    cr_assert(dtx_path_equal("/a/b.h5", "/a/./b.h5"));
    cr_assert_not(dtx_path_equal("/a/b.h5", "a/b.h5"));
    cr_assert_not(dtx_path_equal("a/b.h5", "a/b.h5/c"));
    cr_assert_not(dtx_path_equal("a/b.h5", "a/c/../b.h5"));
}

Test(path, idle_parts_are_those_that_name_nothing)
{
    cr_assert_not(dtx_path_has_idle_part("a"));
    cr_assert_not(dtx_path_has_idle_part("a/b.c/..d/.e"));
    cr_assert(dtx_path_has_idle_part(""));
    cr_assert(dtx_path_has_idle_part("."));
    cr_assert(dtx_path_has_idle_part("/a"));
    cr_assert(dtx_path_has_idle_part("a/"));
    cr_assert(dtx_path_has_idle_part("a//b"));
    cr_assert(dtx_path_has_idle_part("a/./b"));
}
