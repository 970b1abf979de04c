#include <string.h>

#include "crew.h"
#include "engine/compare/compare.h"
#include "engine/compare/verify.h"
#include "engine/reshard.h"
#include "job.h"
#include "storage/memory/memory_files.h"
#include "support/claim.h"
#include "values.h"

/* ---------------------------------------------------------------- targets */

/* A target that was written, and its manifest. */
struct written {
    struct layout_case text;
    struct job job;
    struct dtx_layout *manifest;
    struct dtx_diagnostics *list;
    bool is_there;
};

static const struct dtx_memory_file *
find_manifest(const struct job *job)
{
    for (size_t i = 0; i < job->files->count; i++) {
        if (strstr(job->files->files[i].path, "manifest.yaml") != NULL) {
            return &job->files->files[i];
        }
    }
    return NULL;
}

static void
write_target(struct random *random, struct written *w)
{
    struct dtx_plan_options options = {.strategy = DTX_STRATEGY_OPTIMAL,
                                       .process_count =
                                           1 + (int)random_below(random, 3),
                                       .memory_bytes = 1 << 20,
                                       .map = DTX_MAP_BLOCK};
    const struct dtx_memory_file *file;
    char folder[256];
    struct dtx_error err;

    layout_case_make(random, 8, &w->text);
    job_begin(&w->job, &w->text, &options);
    job_run(&w->job);
    file = find_manifest(&w->job);
    w->is_there = w->job.members[0].status == DTX_OK;
    w->manifest = NULL;
    w->list = dtx_diagnostics_create();
    claim(w->is_there == (file != NULL));
    if (!w->is_there) {
        return;
    }
    snprintf(folder, sizeof folder, "%s", file->path);
    if (strrchr(folder, '/') == NULL) {
        snprintf(folder, sizeof folder, ".");
    } else {
        *strrchr(folder, '/') = '\0';
    }
    claim(dtx_layout_parse(file->text, file->path, folder, DTX_SOURCE, w->list,
                           &w->manifest, &err) == DTX_OK,
          "%s\n%s", err.message, file->text);
}

static void
forget_target(struct written *w)
{
    dtx_layout_destroy(w->manifest);
    dtx_diagnostics_destroy(w->list);
    job_finish(&w->job);
    layout_case_finish(&w->text);
}

/* ---------------------------------------------------------------- verifying */

struct verifying {
    const struct written *written;
    int64_t fail_read; /* the first process's k-th read fails; 0: none */
    struct dtx_verify_options options;
    enum dtx_status statuses[CREW_MOST];
    struct dtx_verification *results[CREW_MOST];
};

static void
verify(struct crew_member *m)
{
    struct verifying *v = m->context;
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_storage *storage;
    struct dtx_error err = {0};

    claim(dtx_memory_storage_create(v->written->job.files, &storage, &err) ==
          DTX_OK);
    dtx_memory_storage_fail(storage, m->process == 0 ? v->fail_read : 0, 0);
    v->statuses[m->process] =
        engine_verify(v->written->manifest, m->transport, storage, &v->options,
                      list, &v->results[m->process], &err);
    claim(v->statuses[m->process] == DTX_OK, "%s (%s)\n%s", err.message,
          err.tensor, job_describe(&v->written->job));
    storage->ops->destroy(storage);
    dtx_diagnostics_destroy(list);
}

/* All processes found the same. */
static void
check_alike(const struct verifying *v, int count)
{
    int findings = dtx_verification_finding_count(v->results[0]);

    for (int i = 1; i < count; i++) {
        claim(dtx_verification_finding_count(v->results[i]) == findings);
        for (int k = 0; k < findings; k++) {
            claim(strcmp(dtx_verification_finding(v->results[i], k)->message,
                         dtx_verification_finding(v->results[0], k)->message) ==
                  0);
        }
    }
}

static void
run_verify(struct random *random, const struct written *w, int64_t fail_read,
           struct verifying *v)
{
    int count = 1 + (int)random_below(random, 4);

    *v = (struct verifying){
        .written = w,
        .fail_read = fail_read,
        .options = {.memory_bytes = 16 + random_below(random, 5000)}};
    crew_run(count, verify, v);
    check_alike(v, count);
    for (int i = 1; i < count; i++) {
        dtx_verification_destroy(v->results[i]);
    }
}

Test(verify, finds_nothing_in_what_was_just_written, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 150; i++) {
        struct written w;
        struct verifying v;

        write_target(&random, &w);
        if (w.is_there) {
            const struct dtx_verification_totals *totals;

            run_verify(&random, &w, 0, &v);
            totals = dtx_verification_totals(v.results[0]);
            claim(dtx_verification_finding_count(v.results[0]) == 0, "%s\n%s",
                  dtx_verification_finding(v.results[0], 0)->message,
                  job_describe(&w.job));
            claim(totals->digest_count == totals->tensor_count);
            dtx_verification_destroy(v.results[0]);
        }
        forget_target(&w);
    }
}

/* ---------------------------------------------------------------- damage */

/* A dataset of the target, picked at random, whose value was changed. */
struct damage {
    struct written *written;
    struct random *random;
    uint64_t seen; /* datasets that could be picked */
    char file[256], path[256];
    int tensor, position;
    int64_t element; /* of the tensor */
    size_t at;       /* of the element in the dataset, in bytes */
};

/* Picks one of the elements that stand for something. */
static void
consider(const struct scene_dataset *dataset, void *context)
{
    struct damage *d = context;
    const struct scene *scene = &d->written->job.scene;
    bool is_global = scene->layouts[SCENE_TARGET]->view == DTX_VIEW_GLOBAL;
    size_t size =
        dtx_dtype_size(d->written->text.tensors[dataset->tensor].dst_dtype);
    struct shard shard;
    int64_t count = 1, local, element;

    for (int dim = 0; dim < dataset->ndim; dim++) {
        count *= dataset->shape[dim];
    }
    if (count == 0) {
        return;
    }
    scene_shard(scene, SCENE_TARGET, dataset->tensor, dataset->position,
                &shard);
    local = (int64_t)random_below(d->random, (uint64_t)count);
    element = is_global ? local
                        : scene_element(scene, dataset->tensor, &shard, local);
    if (element == REFERENCE_PADDING ||
        random_below(d->random, ++d->seen) != 0) {
        return;
    }
    snprintf(d->file, sizeof d->file, "%s", dataset->file);
    snprintf(d->path, sizeof d->path, "%s", dataset->path);
    d->tensor = dataset->tensor;
    d->position = dataset->position;
    d->element = element;
    d->at = (size_t)local * size;
}

/* Changes a bit of a random element; false where there is none. */
static bool
damage(struct random *random, struct written *w, struct damage *d)
{
    struct dtx_memory_blob *blob;
    size_t size;

    *d = (struct damage){.written = w, .random = random};
    scene_each_dataset(&w->job.scene, SCENE_TARGET, consider, d);
    if (d->seen == 0) {
        return false;
    }
    size = dtx_dtype_size(w->text.tensors[d->tensor].dst_dtype);
    blob = dtx_memory_find_blob(dtx_memory_find_file(w->job.files, d->file),
                                d->path);
    blob->data[d->at + random_below(random, size)] ^=
        (char)(1 << random_below(random, 8));
    return true;
}

/* The tensor is named, and no other file than the damaged one. */
static void
check_findings(const struct verifying *v, const struct damage *d)
{
    const char *name =
        scene_name(&d->written->job.scene, SCENE_TARGET, d->tensor);
    int count = dtx_verification_finding_count(v->results[0]);

    claim(count == 1, "%d findings\n%s", count, job_describe(&d->written->job));
    for (int i = 0; i < count; i++) {
        const struct dtx_finding *f =
            dtx_verification_finding(v->results[0], i);

        claim(f->tensor != NULL && strcmp(f->tensor, name) == 0, "%s not %s",
              f->tensor, name);
        claim(f->file == NULL || strcmp(f->file, d->file) == 0,
              "%s: %s not %s\n%s", f->message, f->file, d->file,
              job_describe(&d->written->job));
    }
}

Test(verify, finds_every_changed_bit, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 150; i++) {
        struct written w;
        struct verifying v;
        struct damage d;

        write_target(&random, &w);
        if (w.is_there && damage(&random, &w, &d)) {
            run_verify(&random, &w, 0, &v);
            check_findings(&v, &d);
            dtx_verification_destroy(v.results[0]);
        }
        forget_target(&w);
    }
}

/* Where one of three copies is damaged, that one is named. */
Test(verify, names_the_one_copy_that_is_damaged)
{
    struct random random = random_begin();

    for (int i = 0; i < 100; i++) {
        struct written w;
        struct verifying v;
        struct damage d;
        const struct dtx_layout *target;

        write_target(&random, &w);
        target = w.job.scene.layouts[SCENE_TARGET];
        if (w.is_there && damage(&random, &w, &d) &&
            scene_rule(&w.job.scene, SCENE_TARGET, d.tensor)->placement_count ==
                0 &&
            target->view == DTX_VIEW_LOCAL) {
            const struct dtx_finding *f;

            run_verify(&random, &w, 0, &v);
            f = dtx_verification_finding(v.results[0], 0);
            claim(f->file != NULL && strcmp(f->file, d.file) == 0, "%s",
                  job_describe(&w.job));
            claim(f->rank == dtx_mesh_rank(&target->mesh, d.position));
            dtx_verification_destroy(v.results[0]);
        }
        forget_target(&w);
    }
}

/* What can't be read is found, and doesn't keep the rest from being read. */
Test(verify, finds_what_cannot_be_read)
{
    struct random random = random_begin();

    for (int i = 0; i < 100; i++) {
        struct written w;
        struct verifying v;

        write_target(&random, &w);
        if (w.is_there) {
            int64_t call = 1 + (int64_t)random_below(&random, 8);
            int count;

            run_verify(&random, &w, call, &v);
            count = dtx_verification_finding_count(v.results[0]);
            claim(count <= 1, "%s", job_describe(&w.job));
            if (count == 1) {
                const struct dtx_finding *f =
                    dtx_verification_finding(v.results[0], 0);

                claim(f->tensor != NULL && f->file != NULL && f->rank >= 0);
                claim(strstr(f->message, "input/output error") != NULL, "%s",
                      f->message);
            }
            dtx_verification_destroy(v.results[0]);
        }
        forget_target(&w);
    }
}

/* ---------------------------------------------------------------- compare */

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

/* ---------------------------------------------------------------- readback */

Test(readback, finds_what_the_storage_changed, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 100; i++) {
        struct dtx_plan_options options = {
            .strategy = DTX_STRATEGY_OPTIMAL,
            .process_count = 1 + (int)random_below(&random, 3),
            .memory_bytes = 1 << 20,
            .map = DTX_MAP_BLOCK};
        struct layout_case text;
        struct job job;

        layout_case_make(&random, 8, &text);
        job_begin(&job, &text, &options);
        job.how.verify = true;
        job.members[0].damage_write = 1 + (int64_t)random_below(&random, 4);
        job_run(&job);
        if (job.members[0].status == DTX_ERR_DIGEST) {
            claim(job.members[0].err.tensor[0] != '\0');
            job_check_no_target(&job);
        } else if (job.members[0].status == DTX_OK) {
            job_check_target(&job); /* it made fewer writes */
        }
        job_finish(&job);
        layout_case_finish(&text);
    }
}

/* Whichever copy of whichever element a message damages on its way. The terms
 * of a pending reduction have nothing to be held against. */
Test(digests, find_what_was_damaged_on_its_way, .timeout = 300)
{
    struct random random = random_begin();

    for (int i = 0; i < 200; i++) {
        struct dtx_plan_options options = {
            .strategy =
                (enum dtx_strategy)random_below(&random, DTX_STRATEGY_COUNT),
            .process_count = 2 + (int)random_below(&random, 4),
            .memory_bytes = 1 << 20,
            .map = DTX_MAP_CYCLIC};
        struct layout_case text;
        struct job job;
        int process =
            (int)random_below(&random, (uint64_t)options.process_count);

        layout_case_make(&random, 8, &text);
        job_begin(&job, &text, &options);
        job.members[process].damage_send =
            1 + (int64_t)random_below(&random, 4);
        job_run(&job);
        if (job.members[0].status == DTX_OK &&
            strstr(text.source.data, "partial") == NULL) {
            /* Nothing was damaged, or nothing that anyone wanted. */
            job_check_target(&job);
            claim(!job.members[process].has_damaged ||
                      options.strategy == DTX_STRATEGY_MATERIALIZE ||
                      options.strategy == DTX_STRATEGY_AUTO,
                  "%s", job_describe(&job));
        } else if (strstr(text.source.data, "partial") == NULL) {
            for (int k = 0; k < options.process_count; k++) {
                claim(job.members[k].status == DTX_ERR_DIGEST, "status %d\n%s",
                      job.members[k].status, job_describe(&job));
                claim(job.members[k].err.tensor[0] != '\0');
            }
            job_check_no_target(&job);
        }
        job_finish(&job);
        layout_case_finish(&text);
    }
}
