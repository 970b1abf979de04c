#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "layout/layout.h"
#include "util/alloc.h"

enum { PP = 0, EP = 1 };

/* Layers over stages, interleaved, and experts. */
static const struct dtx_numbers layer_ranges[] = {
    {0, 3}, {8, 11}, {4, 7}, {12, 15}};
static const struct dtx_numbers expert_ranges[] = {{0, 15}, {16, 31}};

static struct dtx_numbered entries[] = {{.glob_before = "layers.",
                                         .glob_after = ".**",
                                         .mark = {9, 5, 4},
                                         .axis = PP,
                                         .stored_local = true,
                                         .range_first = (int[]){0, 2, 4},
                                         .ranges = layer_ranges},
                                        {.glob_before = "**.experts.",
                                         .glob_after = ".*",
                                         .mark = {12, 5, 4},
                                         .axis = EP,
                                         .range_first = (int[]){0, 1, 2},
                                         .ranges = expert_ranges}};

static struct dtx_layout
make_layout(void)
{
    struct dtx_layout layout = {
        .file = "train.yaml",
        .folder = "runs/a",
        .mesh = {.axis_count = 2, .names = {"pp", "ep"}, .sizes = {2, 2}},
        .numbered_count = 2,
        .numbered = entries};

    (void)dtx_mesh_finish(&layout.mesh);
    return layout;
}

Test(rules, the_first_that_matches_counts_with_and_without_an_index)
{
    struct dtx_rule rules[] = {{.glob = "a.b"},  {.glob = "a.*"},
                               {.glob = "a.c"},  {.glob = "a.b"},
                               {.glob = "x[*]"}, {.glob = "**.w"}};
    struct dtx_layout layout = make_layout();
    static const struct {
        const char *name;
        int rule;
    } cases[] = {{"a.b", 0}, {"a.c", 1},   {"a.d", 1},
                 {"x*", 4},  {"a.b.w", 5}, {"a.b.c", -1}};

    layout.rules = rules;
    layout.rule_count = 6;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            cr_assert_eq(dtx_layout_find_rule(&layout, cases[i].name),
                         cases[i].rule, "%s", cases[i].name);
        }
        cr_assert(dtx_layout_index_rules(&layout));
    }
    dtx_names_finish(&layout.literals);
    dtx_arena_finish(&layout.arena);
}

Test(rules, an_index_finds_one_of_very_many_names_at_once)
{
    enum { COUNT = 50000 };
    static struct dtx_rule rules[COUNT + 1];
    static char globs[COUNT][40];
    struct dtx_layout layout = make_layout();

    for (int i = 0; i < COUNT; i++) {
        snprintf(globs[i], sizeof(globs[i]), "layers.%d.experts.%d.weight",
                 i / 500, i % 500);
        rules[i].glob = globs[i];
    }
    rules[COUNT].glob = "**";
    layout.rules = rules;
    layout.rule_count = COUNT + 1;
    cr_assert(dtx_layout_index_rules(&layout));
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(dtx_layout_find_rule(&layout, globs[i]), i);
    }
    cr_assert_eq(dtx_layout_find_rule(&layout, "norm"), COUNT);
    dtx_names_finish(&layout.literals);
    dtx_arena_finish(&layout.arena);
}

/* A name after one rename. */
static const char *
renamed(const char *match, const char *to, const char *name)
{
    static char result[256];
    struct dtx_arena arena = {0};
    struct dtx_rename rename = {.match = match, .to = to};
    struct dtx_layout layout = {.rename_count = 1, .renames = &rename};

    cr_assert_eq(regcomp(&rename.regex, match, REG_EXTENDED), 0);
    strcpy(result, dtx_layout_rename(&layout, name, &arena));
    regfree(&rename.regex);
    dtx_arena_finish(&arena);
    return result;
}

Test(rename, groups_are_put_in)
{
    cr_assert_str_eq(
        renamed("^layers\\.([0-9]+)\\.", "layers.\\1.block.", "layers.12.w"),
        "layers.12.block.w");
    cr_assert_str_eq(renamed("(a)|(b)", "[\\1\\2]", "ab"), "[a][b]");
    cr_assert_str_eq(renamed("a", "\\\\1", "a"), "\\1");
}

Test(rename, every_match_in_the_name_is_replaced)
{
    cr_assert_str_eq(renamed("w", "weight", "w.w.x"), "weight.weight.x");
    cr_assert_str_eq(renamed("^w\\.", "", "w.w.x"), "w.x");
    cr_assert_str_eq(renamed("x*", "-", "abxd"), "-a-b--d-");
    cr_assert_str_eq(renamed("$", ".bin", "a"), "a.bin");
}

Test(rename, the_first_that_matches_is_the_only_one)
{
    struct dtx_arena arena = {0};
    struct dtx_rename renames[] = {{.match = "^q", .to = "r"},
                                   {.match = "^a", .to = "b"},
                                   {.match = "^b", .to = "c"}};
    struct dtx_layout layout = {.rename_count = 3, .renames = renames};
    const char *name = "xyz";

    for (int i = 0; i < 3; i++) {
        cr_assert_eq(regcomp(&renames[i].regex, renames[i].match, REG_EXTENDED),
                     0);
    }
    cr_assert_str_eq(dtx_layout_rename(&layout, "a1", &arena), "b1");
    cr_assert_eq(dtx_layout_rename(&layout, name, &arena), name);
    for (int i = 0; i < 3; i++) {
        regfree(&renames[i].regex);
    }
    dtx_arena_finish(&arena);
}

Test(numbered, stored_names_count_from_zero_and_go_back)
{
    struct dtx_layout layout = make_layout();
    struct dtx_arena arena = {0};
    bool is_beyond;
    static const struct {
        const char *name, *stored;
        int position;
    } cases[] = {{"layers.3.w", "layers.3.w", 0},
                 {"layers.8.w", "layers.4.w", 1},
                 {"layers.11.mlp.experts.5.w", "layers.7.mlp.experts.5.w", 0},
                 {"layers.12.w", "layers.4.w", 2},
                 {"layers.07.w", "layers.03.w", 3},
                 {"norm.w", "norm.w", 3}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *stored = dtx_layout_stored_name(&layout, cases[i].name,
                                                    cases[i].position, &arena);

        cr_assert_str_eq(stored, cases[i].stored);
        cr_assert_str_eq(dtx_layout_global_name(&layout, stored,
                                                cases[i].position, &arena,
                                                &is_beyond),
                         cases[i].name);
        cr_assert_not(is_beyond);
    }
    cr_assert_null(
        dtx_layout_global_name(&layout, "layers.8.w", 0, &arena, &is_beyond));
    cr_assert(is_beyond);
    cr_assert_null(dtx_layout_global_name(
        &layout, "layers.99999999999999999999999.w", 0, &arena, &is_beyond));
    cr_assert(is_beyond);
    dtx_arena_finish(&arena);
}

/* The positions that hold a name, as "0,1", or why nobody does. */
static const char *
holders(const struct dtx_rule *rule, const char *name)
{
    static char text[2048];
    struct dtx_layout layout = make_layout();
    struct dtx_arena arena = {0};
    struct dtx_presence presence;
    struct dtx_error err;
    char *at = text;

    text[0] = '\0';
    if (dtx_layout_presence(&layout, rule, name, &arena, &presence, &err) !=
        DTX_OK) {
        cr_assert_eq(err.status, DTX_ERR_INVALID);
        snprintf(text, sizeof(text), "%s; %s", err.message, err.hint);
        dtx_arena_finish(&arena);
        return text;
    }
    for (int i = 0; i < layout.mesh.position_count; i++) {
        if (dtx_presence_holds(&presence, &layout.mesh, i)) {
            at += sprintf(at, "%s%d", at > text ? "," : "", i);
        }
    }
    dtx_arena_finish(&arena);
    return text;
}

Test(presence, numbers_and_where_leave_what_both_allow)
{
    struct dtx_where first = {
        .axis = PP, .coordinate_count = 1, .coordinates = (int[]){0}};
    struct dtx_rule everywhere = {.glob = "**"};
    struct dtx_rule on_first = {
        .glob = "**", .where_count = 1, .where = &first};

    cr_assert_str_eq(holders(&everywhere, "norm"), "0,1,2,3");
    cr_assert_str_eq(holders(&on_first, "norm"), "0,1");
    cr_assert_str_eq(holders(&everywhere, "layers.8.w"), "0,1");
    cr_assert_str_eq(holders(&everywhere, "layers.12.w"), "2,3");
    cr_assert_str_eq(holders(&everywhere, "layers.12.mlp.experts.16.w"), "3");
    cr_assert_str_eq(holders(&on_first, "layers.8.w"), "0,1");
}

Test(presence, a_number_that_nobody_holds_is_named)
{
    struct dtx_where first = {
        .axis = PP, .coordinate_count = 1, .coordinates = (int[]){0}};
    struct dtx_rule everywhere = {.glob = "**"};
    struct dtx_rule on_first = {
        .glob = "**", .where_count = 1, .where = &first};

    cr_assert_str_eq(holders(&everywhere, "layers.28.w"),
                     "layers.28.w: no coordinate of axis pp holds number 28; "
                     "train.yaml:9 says which numbers each coordinate holds");
    cr_assert_not_null(strstr(holders(&on_first, "layers.4.w"),
                              "layers.4.w: no coordinate of axis pp"));
}

Test(numbered, hostile_names_take_no_time)
{
    static char name[70000];
    struct dtx_numbered entry = entries[0];
    struct dtx_layout layout = make_layout();
    struct dtx_arena arena = {0};
    bool is_beyond;

    entry.glob_before = "**";
    entry.glob_after = ".x";
    layout.numbered = &entry;
    layout.numbered_count = 1;
    memset(name, '0', sizeof(name) - 1);
    cr_assert_eq(dtx_layout_global_name(&layout, name, 0, &arena, &is_beyond),
                 name);
    dtx_arena_finish(&arena);
}

/* Hours, where each begin is tried with each end. */
Test(numbered, hostile_globs_take_little_time)
{
    struct dtx_numbered entry = entries[0];
    char name[512] = "", glob[512] = "*";

    memset(name, '1', sizeof(name) - 1);
    while (strlen(glob) + 3 < sizeof(glob)) {
        strcat(glob, "?*");
    }
    strcat(glob, "x");
    entry.glob_before = "**";
    entry.glob_after = glob;
    cr_assert_eq(dtx_layout_number(&entry, name), -1);
    glob[strlen(glob) - 1] = '\0';
    entry.glob_before = glob;
    entry.glob_after = "**x";
    cr_assert_eq(dtx_layout_number(&entry, name), -1);
}

Test(layout, files_are_relative_to_its_folder)
{
    struct dtx_layout layout = make_layout();
    struct dtx_arena arena = {0};
    static const char *const cases[][3] = {
        {"runs/a", "r{rank:02}.h5", "runs/a/r03.h5"},
        {".", "r{rank}.h5", "r3.h5"},
        {"", "r{rank}.h5", "r3.h5"},
        {"/", "r{rank}.h5", "/r3.h5"},
        {"runs/a", "/scratch/r{rank}.h5", "/scratch/r3.h5"}};

    for (int i = 0; i < 5; i++) {
        struct dtx_text text = {0};
        int offset;

        layout.folder = cases[i][0];
        cr_assert_null(dtx_template_parse(&arena, cases[i][1], &layout.mesh,
                                          false, &layout.path, &offset));
        dtx_layout_file(&layout, 3, &text);
        cr_assert_str_eq(text.data, cases[i][2]);
        dtx_text_finish(&text);
    }
    dtx_arena_finish(&arena);
}

Test(layout, positions_are_described_by_rank_and_coordinates)
{
    struct dtx_layout layout = make_layout();
    struct dtx_layout single = {0};
    char text[64];

    dtx_layout_describe_position(&layout, 2, text, sizeof(text));
    cr_assert_str_eq(text, "rank 2 (pp=1 ep=0)");
    dtx_layout_describe_position(&layout, 2, text, 12);
    cr_assert_str_eq(text, "rank 2 (pp=");
    (void)dtx_mesh_finish(&single.mesh);
    dtx_layout_describe_position(&single, 0, text, sizeof(text));
    cr_assert_str_eq(text, "rank 0");
}

/* Does everything that needs memory once; false where some was lacking. */
static bool
use_all(struct dtx_layout *layout, struct dtx_rename *rename)
{
    struct dtx_arena arena = {0};
    struct dtx_rule rules[] = {{.glob = "a"}, {.glob = "**"}};
    struct dtx_presence presence;
    struct dtx_error err;
    bool is_beyond;
    bool is_done;

    layout->rules = rules;
    layout->rule_count = 2;
    layout->renames = rename;
    layout->rename_count = 1;
    is_done = dtx_layout_index_rules(layout);
    cr_assert_eq(dtx_layout_find_rule(layout, "a"), 0);
    is_done = dtx_layout_rename(layout, "layers.8.w", &arena) && is_done;
    is_done =
        dtx_layout_stored_name(layout, "layers.8.w", 0, &arena) && is_done;
    is_done =
        dtx_layout_global_name(layout, "layers.4.w", 0, &arena, &is_beyond) &&
        is_done;
    cr_assert_not(is_beyond);
    is_done = dtx_layout_presence(layout, &rules[1], "layers.8.w", &arena,
                                  &presence, &err) == DTX_OK &&
              is_done;
    dtx_arena_finish(&arena);
    dtx_names_finish(&layout->literals);
    dtx_arena_finish(&layout->arena);
    return is_done;
}

Test(names, every_allocation_can_fail)
{
    struct dtx_rename rename = {.match = "layers", .to = "blocks"};
    bool is_done = false;

    cr_assert_eq(regcomp(&rename.regex, rename.match, REG_EXTENDED), 0);
    for (int64_t k = 0; !is_done; k++) {
        struct dtx_layout layout = make_layout();

        dtx_alloc_fail_after(k);
        is_done = use_all(&layout, &rename);
        dtx_alloc_fail_after(-1);
        cr_assert_lt(k, 100);
    }
    regfree(&rename.regex);
}
