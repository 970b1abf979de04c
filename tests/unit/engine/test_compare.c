#include <string.h>

#include "crew.h"
#include "engine/compare/compare.h"
#include "engine/reshard.h"
#include "written.h"

struct comparing {
    const struct written *written;
    int64_t fail_read; /* the first process's k-th of the source fails */
    enum dtx_status statuses[CREW_MOST];
    struct dtx_compare_options options;
    struct dtx_comparison *results[CREW_MOST];
};

/* Compares the source with the target. */
static void
compare(struct crew_member *m)
{
    struct comparing *c = m->context;
    const struct dtx_layout *layouts[2] = {
        c->written->job.scene.layouts[SCENE_SOURCE], c->written->manifest};
    struct dtx_catalog *catalogs[2];
    struct dtx_storage *storages[2];
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_error err = {0};

    for (int i = 0; i < 2; i++) {
        claim(dtx_memory_storage_create(c->written->job.files, &storages[i],
                                        &err) == DTX_OK);
        claim(engine_read_catalog(layouts[i], m->transport, NULL, storages[i],
                                  &catalogs[i], &err) == DTX_OK);
    }
    dtx_memory_storage_fail(storages[0], m->process == 0 ? c->fail_read : 0, 0);
    c->statuses[m->process] = engine_compare(
        layouts, (const struct dtx_catalog *const *)catalogs, m->transport,
        storages, &c->options, list, &c->results[m->process], &err);
    claim(c->statuses[m->process] == DTX_OK || c->fail_read > 0, "%s\n%s",
          err.message, job_describe(&c->written->job));
    claim(err.status != DTX_ERR_SOURCE ||
          (err.process == 0 && err.tensor[0] != '\0'));
    for (int i = 0; i < 2; i++) {
        storages[i]->ops->destroy(storages[i]);
        dtx_catalog_destroy(catalogs[i]);
    }
    dtx_diagnostics_destroy(list);
}

static void
run_compare(struct random *random, const struct written *w, bool by_digest,
            struct comparing *c)
{
    int count = 1 + (int)random_below(random, 4);

    *c = (struct comparing){
        .written = w,
        .options = {.memory_bytes = 600 + random_below(random, 5000),
                    .by_digest = by_digest}};
    crew_run(count, compare, c);
    for (int i = 1; i < count; i++) {
        claim(dtx_comparison_difference_count(c->results[i]) ==
              dtx_comparison_difference_count(c->results[0]));
        dtx_comparison_destroy(c->results[i]);
    }
}

/* True where the target's bits are those of the reduced source. */
static bool
is_exact(const struct written *w, int tensor)
{
    const struct case_tensor *t = &w->text.tensors[tensor];
    const struct dtx_rule *rule =
        scene_rule(&w->job.scene, SCENE_TARGET, tensor);

    for (int i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            return false; /* -0 + 0 is 0, and averages round */
        }
    }
    return t->src_dtype == t->dst_dtype && strcmp(t->name, t->target_name) == 0;
}

static const struct dtx_difference *
find_difference(const struct dtx_comparison *comparison, const char *name)
{
    for (int i = 0; i < dtx_comparison_difference_count(comparison); i++) {
        const struct dtx_difference *d =
            dtx_comparison_difference(comparison, i);

        if (strcmp(d->name, name) == 0) {
            return d;
        }
    }
    return NULL;
}

Test(compare, source_and_target_are_equal_where_nothing_was_changed,
     .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 150; i++) {
        struct written w;
        struct comparing c;

        write_target(&random, &w);
        if (w.is_there) {
            run_compare(&random, &w, i % 2 == 0, &c);
            for (int k = 0; k < w.text.tensor_count; k++) {
                const char *name = w.text.tensors[k].name;

                claim(!is_exact(&w, k) ||
                          find_difference(c.results[0], name) == NULL,
                      "'%s' %s\n%s", name,
                      i % 2 == 0 ? "by digest" : "by element",
                      job_describe(&w.job));
            }
            dtx_comparison_destroy(c.results[0]);
        }
        forget_target(&w);
    }
}

/* What differs is found, counted and located. */
static void
check_difference(const struct damage *d, bool by_digest,
                 const struct dtx_difference *found)
{
    int64_t place = 0;

    claim(found != NULL && found->values_differ, "%s",
          job_describe(&d->written->job));
    claim(!found->types_differ && !found->shapes_differ);
    if (by_digest) {
        return;
    }
    for (int dim = 0; dim < found->ndims[0]; dim++) {
        place = place * found->shapes[0][dim] + found->first[dim];
    }
    claim(found->differing_count == 1 && place == d->element,
          "%lld differ, at %lld not %lld", (long long)found->differing_count,
          (long long)place, (long long)d->element);
    claim(strcmp(found->first_values[0], found->first_values[1]) != 0 ||
          found->largest_absolute == 0);
}

/* All processes leave alike where one can't read. */
Test(compare, fails_on_all_where_one_cannot_read)
{
    struct random random = random_begin();

    for (int i = 0; i < 100; i++) {
        struct written w;
        struct comparing c = {.written = &w};

        write_target(&random, &w);
        if (w.is_there) {
            int count = 1 + (int)random_below(&random, 4);

            c.fail_read = 1 + (int64_t)random_below(&random, 8);
            c.options.memory_bytes = 600 + random_below(&random, 5000);
            crew_run(count, compare, &c);
            for (int k = 0; k < count; k++) {
                claim(c.statuses[k] == c.statuses[0]);
                claim(c.statuses[k] == DTX_OK ||
                      c.statuses[k] == DTX_ERR_SOURCE);
                dtx_comparison_destroy(c.results[k]);
            }
        }
        forget_target(&w);
    }
}

Test(compare, finds_the_element_that_was_changed, .timeout = 300)
{
    struct random random = random_begin();
    int tried = 0;

    while (tried < 60) {
        struct written w;
        struct damage d;
        struct comparing c;
        bool by_digest = tried % 2 == 0;

        write_target(&random, &w);
        /* Of replicas only the lowest rank's is read. */
        if (w.is_there && damage(&random, &w, &d) && is_exact(&w, d.tensor) &&
            d.position == 0) {
            run_compare(&random, &w, by_digest, &c);
            check_difference(
                &d, by_digest,
                find_difference(c.results[0], w.text.tensors[d.tensor].name));
            dtx_comparison_destroy(c.results[0]);
            tried++;
        }
        forget_target(&w);
    }
}
