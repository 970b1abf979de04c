#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "layout/places.h"
#include "util/alloc.h"

static const int64_t ranks[] = {7, 123456, 2, 3, 4, 5};

static struct dtx_mesh
make_mesh(void)
{
    struct dtx_mesh mesh = {
        .axis_count = 2, .names = {"dp", "tp"}, .sizes = {2, 3}};

    (void)dtx_mesh_finish(&mesh);
    mesh.ranks = ranks;
    return mesh;
}

/* What a template gives for a position; "" with what is wrong in *wrong. */
static const char *
rendered(const char *source, bool allow_name, int position, const char **wrong)
{
    static char result[256];
    struct dtx_arena arena = {0};
    struct dtx_mesh mesh = make_mesh();
    struct dtx_template template;
    struct dtx_text text = {0};
    static char complaint[256];
    int offset;

    result[0] = '\0';
    *wrong = dtx_template_parse(&arena, source, &mesh, allow_name, &template,
                                &offset);
    if (*wrong == NULL) {
        dtx_template_render(&template, &mesh, position, "layers.0.w", &text);
        strcpy(result, text.data != NULL ? text.data : "");
    } else {
        strcpy(complaint, *wrong);
        *wrong = complaint;
    }
    dtx_text_finish(&text);
    dtx_arena_finish(&arena);
    return result;
}

static int
wrong_at(const char *source, bool allow_name, const char *words)
{
    struct dtx_arena arena = {0};
    struct dtx_mesh mesh = make_mesh();
    struct dtx_template template;
    int offset = -1;
    const char *wrong = dtx_template_parse(&arena, source, &mesh, allow_name,
                                           &template, &offset);

    cr_assert_not_null(wrong, "%s", source);
    cr_assert_not_null(strstr(wrong, words), "%s: %s", source, wrong);
    dtx_arena_finish(&arena);
    return offset;
}

Test(template, fields_stand_for_ranks_and_coordinates)
{
    const char *wrong;

    cr_assert_str_eq(rendered("step-1/rank-{rank:05}.h5", false, 0, &wrong),
                     "step-1/rank-00007.h5");
    cr_assert_str_eq(rendered("{rank:05}", false, 1, &wrong), "123456");
    cr_assert_str_eq(rendered("{dp}/{tp:02}{tp}.h5", false, 5, &wrong),
                     "1/022.h5");
    cr_assert_str_eq(rendered("{name}", true, 0, &wrong), "layers.0.w");
    cr_assert_str_eq(rendered("/m{tp}/{name}/data", true, 1, &wrong),
                     "m1/layers.0.w/data");
    cr_assert_str_eq(rendered("model.h5", false, 0, &wrong), "model.h5");
}

Test(template, doubled_braces_are_literal)
{
    const char *wrong;

    cr_assert_str_eq(rendered("{{rank}}-{{{rank}}}", false, 0, &wrong),
                     "{rank}-{7}");
    cr_assert_str_eq(rendered("a}}b{{", false, 0, &wrong), "a}b{");
}

Test(template, mistakes_are_told_with_their_place)
{
    cr_assert_eq(wrong_at("a/{rnak}.h5", false, "did you mean '{rank}'"), 2);
    cr_assert_eq(wrong_at("a/{xyzzy}", false, "neither an axis"), 2);
    cr_assert_eq(wrong_at("a/{name}", false, "neither an axis"), 2);
    cr_assert_eq(wrong_at("a{rank", false, "without a '}'"), 1);
    cr_assert_eq(wrong_at("a{ra{nk}", false, "without a '}'"), 1);
    cr_assert_eq(wrong_at("a}b", false, "without a '{'"), 1);
    cr_assert_eq(wrong_at("{rank:5}", false, "leading zero"), 0);
    cr_assert_eq(wrong_at("{rank:}", false, "leading zero"), 0);
    cr_assert_eq(wrong_at("{rank:05d}", false, "a number"), 0);
    cr_assert_eq(wrong_at("{rank:00}", false, "of 0"), 0);
    cr_assert_eq(wrong_at("{rank:0999999999999}", false, "over 32"), 0);
    cr_assert_eq(wrong_at("{}", false, "neither an axis"), 0);
    cr_assert_eq(wrong_at("x", true, "no '{name}'"), 0);
    cr_assert_eq(wrong_at("{name}/{name}", true, "only once"), 7);
    cr_assert_eq(wrong_at("{name:03}", true, "no width"), 0);
}

/* True where a path is another position's, or no tensor's. */
static bool
is_other(const struct dtx_template *template, const struct dtx_mesh *mesh,
         const char *path, struct dtx_arena *arena)
{
    bool other = false;

    return dtx_template_name(template, mesh, 2, path, arena, &other) == NULL &&
           other;
}

Test(template, names_are_found_below_a_dataset_template)
{
    struct dtx_arena arena = {0};
    struct dtx_mesh mesh = make_mesh();
    struct dtx_template template;
    bool other;
    int offset;

    cr_assert_null(dtx_template_parse(&arena, "/m{tp}/{name}/x{rank:02}", &mesh,
                                      true, &template, &offset));
    cr_assert_str_eq(
        dtx_template_name(&template, &mesh, 2, "m2/a.b/c/x02", &arena, &other),
        "a.b/c");
    cr_assert_not(other);
    cr_assert(is_other(&template, &mesh, "m1/a.b/c/x02", &arena));
    cr_assert(is_other(&template, &mesh, "m2/a/x03", &arena));
    cr_assert(is_other(&template, &mesh, "m2//x02", &arena));
    cr_assert(is_other(&template, &mesh, "m2/x02", &arena));
    cr_assert(is_other(&template, &mesh, "", &arena));
    dtx_arena_finish(&arena);
}

Test(template, lacking_memory_makes_no_path_anothers)
{
    struct dtx_arena arena = {0};
    struct dtx_mesh mesh = make_mesh();
    struct dtx_template template;
    const char *name = NULL;
    bool other = true;
    int offset;

    cr_assert_null(dtx_template_parse(&arena, "m{tp}/{name}", &mesh, true,
                                      &template, &offset));
    for (int k = 0; name == NULL; k++) {
        struct dtx_arena scratch = {0};

        dtx_alloc_fail_after(k);
        name = dtx_template_name(&template, &mesh, 2, "m2/a", &scratch, &other);
        dtx_alloc_fail_after(-1);
        cr_assert_not(other);
        dtx_arena_finish(&scratch);
    }
    dtx_arena_finish(&arena);
}

Test(template, a_rank_tells_all_axes_apart)
{
    struct dtx_arena arena = {0};
    struct dtx_mesh mesh = make_mesh();
    struct dtx_template template;
    int offset;

    cr_assert_null(dtx_template_parse(&arena, "a{rank}", &mesh, false,
                                      &template, &offset));
    cr_assert(dtx_template_tells(&template, 0));
    cr_assert(dtx_template_tells(&template, 1));
    cr_assert_null(
        dtx_template_parse(&arena, "a{tp}", &mesh, false, &template, &offset));
    cr_assert_not(dtx_template_tells(&template, 0));
    cr_assert(dtx_template_tells(&template, 1));
    dtx_arena_finish(&arena);
}

Test(template, its_folder_ends_before_the_first_field)
{
    static const struct {
        const char *source;
        int length;
    } cases[] = {{"a/b-{rank}.h5", 2}, {"model.h5", 0},    {"a/model.h5", 2},
                 {"/a/{tp}/b", 3},     {"{rank}/a.h5", 0}, {"{{a/{rank}", 4}};
    struct dtx_arena arena = {0};
    struct dtx_mesh mesh = make_mesh();
    struct dtx_template template;
    int offset;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_null(dtx_template_parse(&arena, cases[i].source, &mesh, false,
                                          &template, &offset));
        cr_assert_eq(dtx_template_folder_length(&template), cases[i].length,
                     "%s", cases[i].source);
    }
    dtx_arena_finish(&arena);
}

Test(template, every_allocation_can_fail)
{
    static const char *const sources[] = {"a/{rank:05}-{tp}", "{tq}", "{x}"};

    for (int s = 0; s < 3; s++) {
        for (int64_t k = 0; k < 8; k++) {
            struct dtx_arena arena = {0};
            struct dtx_mesh mesh = make_mesh();
            struct dtx_template template;
            int offset;

            dtx_alloc_fail_after(k);
            (void)dtx_template_parse(&arena, sources[s], &mesh, false,
                                     &template, &offset);
            dtx_alloc_fail_after(-1);
            dtx_arena_finish(&arena);
        }
    }
}

/* ---------------------------------------------------------------- places */

enum { DP = 12, TP = 11 };

/* Where all positions of a mesh stand, compared one with another. */
static bool
are_apart(const struct dtx_layout *layout)
{
    static char places[DP * TP][128];
    bool apart = true;

    for (int i = 0; i < DP * TP; i++) {
        struct dtx_text text = {0};

        dtx_template_render(&layout->path, &layout->mesh, i, NULL, &text);
        dtx_text_add(&text, ":");
        dtx_template_render(&layout->dataset, &layout->mesh, i, "w", &text);
        snprintf(places[i], sizeof places[i], "%s", text.data);
        dtx_text_finish(&text);
        for (int k = 0; k < i; k++) {
            int dp = i / TP == k / TP, tp = i % TP == k % TP;
            bool told = (!dp && dtx_template_tells(&layout->path, 0)) ||
                        (!dp && dtx_template_tells(&layout->dataset, 0)) ||
                        (!tp && dtx_template_tells(&layout->path, 1)) ||
                        (!tp && dtx_template_tells(&layout->dataset, 1));

            apart &= !told || strcmp(places[i], places[k]) != 0;
        }
    }
    return apart;
}

Test(template, fields_that_run_into_one_another_are_found)
{
    static const char *const paths[] = {
        "x",           "{dp}",           "{dp}{tp}",     "{tp}{dp}",
        "{dp}-{tp}",   "{dp:02}{tp}",    "{dp}{tp:02}",  "{dp}0{tp}",
        "{dp}1{tp}",   "{dp}{dp}",       "{dp}{tp}{dp}", "{rank}{tp}",
        "{tp}{rank}",  "{dp}x{tp}1{dp}", "1{dp}/2{tp}",  "{dp}x1{tp}",
        "{tp:01}{dp}", "{rank:03}{dp}",
    };
    static const char *const datasets[] = {"{name}", "{dp}{name}{tp}",
                                           "{tp}/{name}", "{tp}{dp}{name}"};
    int found = 0;

    for (size_t i = 0; i < sizeof paths / sizeof *paths * 4; i++) {
        struct dtx_layout layout = {.mesh = {.axis_count = 2,
                                             .names = {"dp", "tp"},
                                             .sizes = {DP, TP}}};
        struct dtx_arena arena = {0};
        int offset, alike[2] = {-1, -1};
        enum dtx_places places;

        (void)dtx_mesh_finish(&layout.mesh);
        cr_assert_null(dtx_template_parse(&arena, paths[i / 4], &layout.mesh,
                                          false, &layout.path, &offset));
        cr_assert_null(dtx_template_parse(&arena, datasets[i % 4], &layout.mesh,
                                          true, &layout.dataset, &offset));
        places = dtx_layout_places(&layout, alike);
        cr_assert_eq(places == DTX_PLACES_APART, are_apart(&layout), "%s:%s",
                     paths[i / 4], datasets[i % 4]);
        found += places == DTX_PLACES_ALIKE;
        cr_assert(places != DTX_PLACES_ALIKE || alike[0] < alike[1]);
        dtx_arena_finish(&arena);
    }
    cr_assert_gt(found, 1);
}
