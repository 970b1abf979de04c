#include <string.h>

#include "crew.h"
#include "engine/compare/verify.h"
#include "written.h"

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
