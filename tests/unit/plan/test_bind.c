#include <stdio.h>
#include <string.h>

#include "layout/listing.h"
#include "plan/plan.h"
#include "support/claim.h"

enum { DATASETS_MOST = 8 };

/* A dataset of a source's file. */
struct dataset {
    int file;
    const char *path;
    enum dtx_dtype dtype;
    int ndim;
    int64_t shape[2];
};

/* Layouts and datasets that are put together, and what comes of it. */
struct binding_case {
    const char *source, *target;
    struct dataset datasets[DATASETS_MOST];
    const char *include, *exclude;
};

struct outcome {
    enum dtx_status status;
    struct dtx_error err;
    char *drawn; /* diagnostics */
    int error_count;
    struct dtx_plan_totals totals;
    char order[64]; /* the tensors' names, one after another */
};

#define TWO_RANKS "mesh: {tp: 2}\ncheckpoint: {path: \"s/{rank}.h5\"}\n"
#define SHARDED TWO_RANKS "tensors:\n  - {name: \"**\", placements: [S(0)]}\n"
#define WHOLE "mesh: {}\ncheckpoint: {path: t.h5}\ntensors:\n  - name: \"**\"\n"

/* The tensor 'a' of [4, 3], sharded over two ranks. */
#define TWO_HALVES                                                             \
    {0, "a", DTX_FLOAT32, 2, {2, 3}},                                          \
    {                                                                          \
        1, "a", DTX_FLOAT32, 2,                                                \
        {                                                                      \
            2, 3                                                               \
        }                                                                      \
    }

static struct dtx_layout *
parse(const char *text, enum dtx_role role, struct dtx_diagnostics *list)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};
    enum dtx_status status =
        dtx_layout_parse(text, role == DTX_SOURCE ? "s.yaml" : "t.yaml", ".",
                         role, list, &layout, &err);

    claim(status == DTX_OK, "%s\n%s", err.message, dtx_diagnostics_draw(list));
    return layout;
}

static struct dtx_catalog *
make_catalog(const struct dtx_layout *layout, const struct dataset *datasets)
{
    struct dtx_arena arena = {0};
    struct dtx_catalog *catalog = NULL;
    struct dtx_text texts[DATASETS_MOST] = {{0}};
    const char *listings[DATASETS_MOST];
    size_t lengths[DATASETS_MOST];
    const char **files;
    int *position_file;
    int count = dtx_catalog_paths(layout, &arena, &position_file, &files);
    struct dtx_error err;

    for (int i = 0; i < count; i++) {
        dtx_listing_begin(&texts[i], 1000, 0);
    }
    for (const struct dataset *d = datasets; d->path != NULL; d++) {
        struct dtx_dataset dataset = {.path = d->path,
                                      .type = dtx_type_of(d->dtype),
                                      .form = DTX_FORM_CONTIGUOUS,
                                      .ndim = d->ndim,
                                      .shape = d->shape,
                                      .offset = 1};

        dtx_listing_dataset(&texts[d->file], &dataset, NULL);
    }
    for (int i = 0; i < count; i++) {
        listings[i] = texts[i].data;
        lengths[i] = texts[i].length;
    }
    claim(dtx_catalog_build(layout, count, listings, lengths, &catalog, &err) ==
          DTX_OK);
    for (int i = 0; i < count; i++) {
        dtx_text_finish(&texts[i]);
    }
    dtx_arena_finish(&arena);
    return catalog;
}

static struct outcome
plan(const struct binding_case *c)
{
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count = 2,
                                       .memory_bytes = 1 << 20,
                                       .include_count = c->include != NULL,
                                       .include = &c->include,
                                       .exclude_count = c->exclude != NULL,
                                       .exclude = &c->exclude};
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_layout *source = parse(c->source, DTX_SOURCE, list);
    struct dtx_layout *target = parse(c->target, DTX_TARGET, list);
    struct dtx_catalog *catalog = make_catalog(source, c->datasets);
    struct dtx_plan *made = NULL;
    struct outcome o = {0};

    o.status =
        dtx_plan_create(source, target, catalog, &options, list, &made, &o.err);
    if (o.status == DTX_OK) {
        o.totals = *dtx_plan_totals(made);
        for (int i = 0; i < made->tensor_count; i++) {
            strncat(o.order, made->tensors[i].dst_name,
                    sizeof o.order - strlen(o.order) - 1);
        }
    }
    o.drawn = dtx_diagnostics_draw(list);
    o.error_count = dtx_diagnostics_error_count(list);
    dtx_plan_destroy(made);
    dtx_catalog_destroy(catalog);
    dtx_layout_destroy(source);
    dtx_layout_destroy(target);
    dtx_diagnostics_destroy(list);
    return o;
}

/* Plans a case that is refused with words in the error or the drawing. */
static void
refuses(const struct binding_case *c, enum dtx_status status, const char *words)
{
    struct outcome o = plan(c);

    claim(o.status == status, "%d: %s\n%s", o.status, o.err.message, o.drawn);
    claim(strstr(o.err.message, words) != NULL ||
              strstr(o.err.where, words) != NULL ||
              strstr(o.drawn, words) != NULL,
          "not '%s' but: %s (%s)\n%s", words, o.err.message, o.err.where,
          o.drawn);
    claim((o.error_count > 0) == (status == DTX_ERR_INVALID), "%s", o.drawn);
    dtx_string_free(o.drawn);
}

static void
accepts(const struct binding_case *c, int64_t tensor_count)
{
    struct outcome o = plan(c);

    claim(o.status == DTX_OK, "%s\n%s", o.err.message, o.drawn);
    claim(o.totals.tensor_count == tensor_count);
    dtx_string_free(o.drawn);
}

/* ---------------------------------------------------------------- sources */

Test(bind, a_whole_source_fits)
{
    accepts(&(struct binding_case){SHARDED, WHOLE, {TWO_HALVES}, NULL, NULL},
            1);
}

Test(bind, a_missing_dataset_is_named_with_its_rank)
{
    static const struct binding_case c = {
        SHARDED, WHOLE, {{0, "a", DTX_FLOAT32, 2, {2, 3}}}, NULL, NULL};

    refuses(&c, DTX_ERR_SOURCE, "'a' is missing");
    refuses(&c, DTX_ERR_SOURCE, "rank 1 (tp=1)");
}

Test(bind, an_empty_shard_may_be_left_out)
{
    accepts(&(struct binding_case){TWO_RANKS
                                   "tensors:\n  - {name: a, placements: "
                                   "{tp: {shard: 0, sizes: [2, 0]}}}\n",
                                   WHOLE,
                                   {{0, "a", DTX_FLOAT32, 2, {2, 3}}},
                                   NULL,
                                   NULL},
            1);
}

Test(bind, a_wrong_shape_is_shown_with_the_right_one)
{
    static const struct binding_case c = {
        SHARDED,
        WHOLE,
        {{0, "a", DTX_FLOAT32, 2, {2, 3}}, {1, "a", DTX_FLOAT32, 2, {2, 4}}},
        NULL,
        NULL};
    static const struct binding_case ndim = {
        SHARDED,
        WHOLE,
        {{0, "a", DTX_FLOAT32, 2, {2, 3}}, {1, "a", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};

    refuses(&c, DTX_ERR_SOURCE, "wrong shape");
    refuses(&ndim, DTX_ERR_SOURCE, "wrong shape");
}

Test(bind, an_element_type_that_differs_between_ranks_is_refused)
{
    static const struct binding_case c = {
        SHARDED,
        WHOLE,
        {{0, "a", DTX_FLOAT32, 2, {2, 3}}, {1, "a", DTX_INT32, 2, {2, 3}}},
        NULL,
        NULL};

    refuses(&c, DTX_ERR_SOURCE, "float32");
    refuses(&c, DTX_ERR_SOURCE, "int32");
}

Test(bind, a_dataset_that_is_left_over_is_refused)
{
    static const struct binding_case elsewhere = {
        "mesh: {}\ncheckpoint: {path: s.h5, dataset: \"m/{name}\"}\n"
        "tensors:\n  - name: \"**\"\n",
        WHOLE,
        {{0, "m/a", DTX_FLOAT32, 1, {2}}, {0, "x/b", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};
    static const struct binding_case not_there = {
        TWO_RANKS "tensors:\n  - {name: \"**\", where: {tp: 0}}\n",
        WHOLE,
        {{0, "a", DTX_FLOAT32, 1, {2}}, {1, "a", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};

    refuses(&elsewhere, DTX_ERR_SOURCE, "'x/b' belongs to no rank");
    refuses(&not_there, DTX_ERR_SOURCE, "'a' belongs to no rank");
}

Test(bind, a_source_without_a_rule_names_every_tensor)
{
    static const struct binding_case c = {
        "mesh: {}\ncheckpoint: {path: s.h5}\ntensors:\n  - name: c\n",
        WHOLE,
        {{0, "a", DTX_FLOAT32, 1, {2}},
         {0, "b", DTX_FLOAT32, 1, {2}},
         {0, "c", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};

    refuses(&c, DTX_ERR_INVALID, "matches the tensor 'a'");
    refuses(&c, DTX_ERR_INVALID, "matches the tensor 'b'");
}

Test(bind, what_a_rule_says_of_a_tensor_is_checked)
{
    struct binding_case c = {NULL, WHOLE, {TWO_HALVES}, NULL, NULL};

    c.source = TWO_RANKS "tensors:\n"
                         "  - {name: a, shape: [5, 3], placements: [S(0)]}\n";
    refuses(&c, DTX_ERR_SOURCE, "wrong shape");
    c.source = TWO_RANKS "tensors:\n"
                         "  - {name: a, shape: [4], placements: [S(0)]}\n";
    refuses(&c, DTX_ERR_INVALID, "E204");
    c.source = TWO_RANKS "tensors:\n"
                         "  - {name: a, shape: {1: 3}, placements: [S(0)]}\n";
    accepts(&c, 1);
    c.source = TWO_RANKS "tensors:\n"
                         "  - {name: a, shape: {2: 9}, placements: [S(0)]}\n";
    refuses(&c, DTX_ERR_INVALID, "E204");
    c.source = TWO_RANKS "tensors:\n"
                         "  - {name: a, dtype: f16, placements: [S(0)]}\n";
    refuses(&c, DTX_ERR_INVALID, "E205");
    c.source = TWO_RANKS "tensors:\n"
                         "  - {name: a, pad: {0: 4}, placements: [S(0)]}\n";
    refuses(&c, DTX_ERR_INVALID, "E203");
}

/* ---------------------------------------------------------------- holders */

Test(bind, what_the_holders_cannot_be_is_refused)
{
    struct binding_case c = {NULL, WHOLE, {TWO_HALVES}, NULL, NULL};

    c.source =
        TWO_RANKS "numbered:\n  - {name: \"l.{n}\", axis: tp, held: [1, 1]}\n"
                  "tensors:\n  - {name: l.0, placements: [S(0)]}\n";
    c.datasets[0].path = "l.0";
    c.datasets[1].path = NULL;
    refuses(&c, DTX_ERR_INVALID, "E207");
    c.datasets[0].path = c.datasets[1].path = "a";
    c.source = "mesh: {tp: 2}\ncheckpoint: {path: s.h5}\n"
               "tensors:\n  - {name: a, placements: [S(0)]}\n";
    c.datasets[1].path = NULL;
    refuses(&c, DTX_ERR_INVALID, "E209");
    c.source = "mesh: {tp: 2}\ncheckpoint: {path: s.h5, view: global}\n"
               "tensors:\n  - {name: a, placements: [P(sum)]}\n";
    refuses(&c, DTX_ERR_INVALID, "E208");
}

/* Two stages that count from 0 and write one file: their tensors would be the
 * same dataset. */
Test(bind, two_names_for_one_dataset_are_refused)
{
    static const struct binding_case source = {
        "mesh: {pp: 2}\ncheckpoint: {path: s.h5}\nnumbered:\n"
        "  - {name: \"l.{n}.w\", axis: pp, held: [1, 1], stored: local}\n"
        "tensors:\n  - name: \"**\"\n",
        WHOLE,
        {{0, "l.0.w", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};

    static const struct binding_case target = {
        "mesh: {}\ncheckpoint: {path: t.h5}\ntensors:\n  - name: \"**\"\n",
        "mesh: {pp: 2}\ncheckpoint: {path: s.h5}\nnumbered:\n"
        "  - {name: \"l.{n}.w\", axis: pp, held: [1, 1], stored: local}\n"
        "tensors:\n  - name: \"**\"\n",
        {{0, "l.0.w", DTX_FLOAT32, 1, {2}}, {0, "l.1.w", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};

    refuses(&source, DTX_ERR_INVALID, "'l.0.w' would share its dataset");
    refuses(&target, DTX_ERR_INVALID, "'l.0.w' would share its dataset");
}

/* ---------------------------------------------------------------- targets */

Test(bind, what_a_target_says_of_a_tensor_is_checked)
{
    struct binding_case c = {SHARDED, NULL, {TWO_HALVES}, NULL, NULL};

#define TARGET(rule)                                                           \
    "mesh: {x: 2}\ncheckpoint: {path: \"t/{x}.h5\"}\ntensors:\n  - " rule "\n"
    c.target = TARGET("name: b");
    refuses(&c, DTX_ERR_INVALID, "E201");
    c.target = TARGET("{name: a, shape: [4, 2]}");
    refuses(&c, DTX_ERR_INVALID, "E206");
    c.target = TARGET("{name: a, shape: [4]}");
    refuses(&c, DTX_ERR_INVALID, "E204");
    c.target = TARGET("{name: a, shape: {2: 1}}");
    refuses(&c, DTX_ERR_INVALID, "E204");
    c.target = TARGET("{name: a, dtype: i32}");
    refuses(&c, DTX_ERR_INVALID, "E211");
    c.target = TARGET("{name: a, dtype: bf16}");
    accepts(&c, 1);
    c.target = TARGET("{name: a, placements: [S(2)]}");
    refuses(&c, DTX_ERR_INVALID, "'a'");
}

Test(bind, a_reduction_that_a_type_does_not_have_is_refused_on_both_sides)
{
    struct binding_case c = {
        TWO_RANKS "tensors:\n"
                  "  - {name: a, placements: [P(avg)]}\n",
        WHOLE,
        {{0, "a", DTX_INT32, 1, {2}}, {1, "a", DTX_INT32, 1, {2}}},
        NULL,
        NULL};

    refuses(&c, DTX_ERR_INVALID, "E213");
    c.source = TWO_RANKS "tensors:\n  - {name: a, placements: [P(sum)]}\n";
    accepts(&c, 1);
    c.target = TARGET("{name: a, placements: [P(avg)]}");
    refuses(&c, DTX_ERR_INVALID, "E213");
    c.target = TARGET("{name: a, placements: [P(max)]}");
    accepts(&c, 1);
    c.target = TARGET("{name: a, dtype: f32, placements: [P(avg)]}");
    accepts(&c, 1);
}

Test(bind, tensors_renamed_alike_are_refused)
{
    struct binding_case c = {
        "mesh: {}\ncheckpoint: {path: s.h5}\ntensors:\n  - name: \"**\"\n",
        "mesh: {}\ncheckpoint: {path: t.h5}\n"
        "rename:\n  - {match: '[0-9]', to: 'n'}\n"
        "tensors:\n  - name: \"**\"\n",
        {{0, "a.1", DTX_FLOAT32, 1, {2}}, {0, "a.2", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};

    refuses(&c, DTX_ERR_INVALID, "E210");
    c.datasets[2] = (struct dataset){0, "b", DTX_FLOAT32, 1, {2}};
    c.exclude = "a.n";
    accepts(&c, 1);
}

Test(bind, a_tensor_that_is_the_folder_of_another_in_one_file_is_refused)
{
    static const char *const rules =
        "tensors:\n"
        "  - {name: a, placements: {x: replicate}, where: {x: [0]}}\n"
        "  - {name: a/b, placements: {x: replicate}, where: {x: [1]}}\n"
        "rename:\n  - {match: '^b$', to: a/b}\n";
    static const char *const places[] = {"t-{rank}.h5", "t.h5",
                                         "t.h5\", dataset: \"{name}-{rank}",
                                         "t.h5\", dataset: \"r{rank}/{name}"};
    static const bool meets[] = {false, true, false, false};

    for (size_t i = 0; i < 4; i++) {
        char target[512];
        struct binding_case c = {
            "mesh: {}\ncheckpoint: {path: s.h5}\ntensors:\n"
            "  - name: \"**\"\n",
            target,
            {{0, "a", DTX_FLOAT32, 1, {2}}, {0, "b", DTX_FLOAT32, 1, {2}}},
            NULL,
            NULL};

        snprintf(target, sizeof target,
                 "mesh: {x: 2}\n%scheckpoint: {path: \"%s\"}\n", rules,
                 places[i]);
        if (meets[i]) {
            refuses(&c, DTX_ERR_INVALID, "E218");
        } else {
            accepts(&c, 2);
        }
    }
}

Test(bind, include_and_exclude_are_about_target_names)
{
    struct binding_case c = {
        "mesh: {}\ncheckpoint: {path: s.h5}\ntensors:\n  - name: \"**\"\n",
        "mesh: {}\ncheckpoint: {path: t.h5}\n"
        "rename:\n  - {match: '^', to: 'm.'}\n"
        "tensors:\n  - name: \"m.*\"\n",
        {{0, "a", DTX_FLOAT32, 1, {2}},
         {0, "b", DTX_FLOAT32, 1, {2}},
         {0, "c", DTX_FLOAT32, 1, {2}}},
        NULL,
        NULL};
    struct outcome o;

    accepts(&c, 3);
    c.include = "m.[ab]";
    accepts(&c, 2);
    c.exclude = "m.a";
    o = plan(&c);
    claim(o.totals.tensor_count == 1 && o.totals.excluded_count == 2);
    dtx_string_free(o.drawn);
    c.exclude = NULL;
    c.include = "a";
    o = plan(&c);
    claim(o.status == DTX_ERR_INVALID);
    claim(strstr(o.err.message, "leaves none of 3") != NULL, "%s",
          o.err.message);
    dtx_string_free(o.drawn);
}

Test(bind, a_rule_that_matches_nothing_is_a_warning)
{
    struct binding_case c = {TWO_RANKS
                             "tensors:\n  - {name: a, placements: [S(0)]}\n"
                             "  - name: nothing\n",
                             "mesh: {}\ncheckpoint: {path: t.h5}\n"
                             "tensors:\n  - name: \"**\"\n  - name: a\n",
                             {TWO_HALVES},
                             NULL,
                             NULL};
    struct outcome o = plan(&c);

    claim(o.status == DTX_OK && o.error_count == 0);
    claim(strstr(o.drawn, "s.yaml:5") != NULL, "%s", o.drawn);
    claim(strstr(o.drawn, "t.yaml:5") != NULL, "%s", o.drawn);
    dtx_string_free(o.drawn);
}

/* ---------------------------------------------------------------- order */

Test(bind, tensors_take_turns_with_those_of_other_holders_by_their_bytes)
{
    static const struct binding_case c = {
        "mesh: {pp: 2}\ncheckpoint: {path: \"s/{rank}.h5\"}\ntensors:\n"
        "  - {name: \"a*\", where: {pp: 0}}\n"
        "  - {name: \"b*\", where: {pp: 1}}\n",
        WHOLE,
        {{0, "a1", DTX_FLOAT32, 1, {4}},
         {0, "a2", DTX_FLOAT32, 1, {4}},
         {0, "a3", DTX_FLOAT32, 1, {4}},
         {0, "a4", DTX_FLOAT32, 1, {4}},
         {1, "b1", DTX_FLOAT32, 1, {3}},
         {1, "b2", DTX_FLOAT32, 1, {3}}},
        NULL,
        NULL};
    struct outcome o = plan(&c);

    claim(o.status == DTX_OK, "%s\n%s", o.err.message, o.drawn);
    claim(strcmp(o.order, "a1b1a2a3b2a4") == 0, "%s", o.order);
    dtx_string_free(o.drawn);
}
