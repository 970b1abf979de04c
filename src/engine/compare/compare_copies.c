/*
 * The copies of what is compared: all ranks' datasets of a tensor or object.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/compare/compare_pairs.h"
#include "engine/compare/copies.h"
#include "engine/compare/objects.h"
#include "layout/digest.h"
#include "layout/shape.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

/* True where all copies of one side of a pair are read. */
static bool
reads_copies(const struct comparing *c, const struct pair *pair, int which)
{
    return pair->is_summed[which] ||
           engine_has_replicas(c->readers[which].holding, pair->tensors[which]);
}

uint64_t
compare_bytes(const struct comparing *c)
{
    uint64_t total = 0;
    size_t i;
    int which;

    for (i = 0; i < c->pair_count; i++) {
        const struct pair *pair = &c->pairs[i];

        for (which = 0; which < 2; which++) {
            const struct dtx_holding *h = c->readers[which].holding;
            const struct dtx_held *held = &h->tensors[pair->tensors[which]];

            if (reads_copies(c, pair, which)) {
                total += engine_copies_bytes(h, pair->tensors[which]);
            }
            if (pair->is_compared && !pair->is_summed[which]) {
                total += (uint64_t)dtx_shape_count(held->ndim, held->shape) *
                         held_element_bytes(held);
            }
        }
    }
    return total;
}

/* ---------------------------------------------------------------- faults */

/* Adds a finding to what is known to be wrong with one side of something. */
static void
add_fault(struct dtx_arena *arena, const char **fault,
          const struct dtx_finding *finding)
{
    struct dtx_text text = {0};

    if (*fault != NULL) {
        dtx_text_format(&text, "%s; ", *fault);
    }
    if (finding->rank >= 0) {
        dtx_text_format(&text, "rank %" PRId64 ", '%s': ", finding->rank,
                        finding->file == NULL ? "" : finding->file);
    }
    dtx_text_add(&text, finding->message);
    *fault = text.failed ? NULL : dtx_arena_string(arena, text.data);
    dtx_text_finish(&text);
}

/* The place for faults of one side of a tensor or object; NULL: it isn't
 * compared. */
static const char **
fault_of(struct comparing *c, int which, const char *name, bool is_object)
{
    const struct dtx_holding *h = c->readers[which].holding;
    size_t i;

    for (i = 0; !is_object && i < c->pair_count; i++) {
        if (strcmp(h->tensors[c->pairs[i].tensors[which]].name, name) == 0) {
            return &c->pairs[i].difference.faults[which];
        }
    }
    for (i = 0; is_object && i < c->twin_count; i++) {
        const struct twin *twin = &c->twins[i];

        if (twin->difference.is_object &&
            strcmp(h->objects[twin->objects[which]].name, name) == 0) {
            return &c->twins[i].difference.faults[which];
        }
    }
    return NULL;
}

/* Cost: findings * names; there are few findings, or much is wrong. */
static enum dtx_status
take_findings(struct comparing *c, int which, const struct findings *findings,
              bool are_objects, struct dtx_error *err)
{
    size_t i;

    for (i = 0; i < findings->count; i++) {
        const struct dtx_finding *finding = &findings->array[i];
        const char **fault = fault_of(c, which, finding->tensor, are_objects);

        if (fault == NULL) {
            continue;
        }
        add_fault(&c->names, fault, finding);
        if (*fault == NULL) {
            return dtx_error_memory(err);
        }
    }
    return DTX_OK;
}

/* ---------------------------------------------------------------- tensors */

/* What is known of one checkpoint's tensors. */
struct known {
    uint64_t *digests, *sums;
    bool *has_digest, *wanted;
};

static enum dtx_status
set_known(const struct comparing *c, int which, struct known *known,
          struct dtx_error *err)
{
    const struct dtx_holding *h = c->readers[which].holding;
    size_t count = (size_t)h->tensor_count, i;

    known->digests = dtx_alloc(count, sizeof *known->digests);
    known->sums = dtx_alloc(count, sizeof *known->sums);
    known->has_digest = dtx_alloc(count, sizeof *known->has_digest);
    known->wanted = dtx_alloc(count, sizeof *known->wanted);
    if (known->digests == NULL || known->sums == NULL ||
        known->has_digest == NULL || known->wanted == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        const struct dtx_held *held = &h->tensors[i];

        known->has_digest[i] =
            h->layout->is_manifest && held->side->term_count == 1 &&
            held->rule->digest != NULL &&
            dtx_digest_parse(held->rule->digest, &known->digests[i]);
    }
    for (i = 0; i < c->pair_count; i++) {
        if (reads_copies(c, &c->pairs[i], which)) {
            known->wanted[c->pairs[i].tensors[which]] = true;
        }
    }
    return DTX_OK;
}

static enum dtx_status
check_tensors(struct comparing *c, int which, struct dtx_error *err)
{
    struct known known = {0};
    struct findings findings = {0};
    struct copies_job job = {.transport = c->transport,
                             .reader = &c->readers[which],
                             .is_plain = true,
                             .stage_bytes = c->work_bytes,
                             .progress = &c->progress,
                             .findings = &findings};
    enum dtx_status status = set_known(c, which, &known, err);
    size_t i;

    c->readers[which].stage = c->work;
    job.digests = known.digests;
    job.has_digest = known.has_digest;
    job.wanted = known.wanted;
    job.sums = known.sums;
    status = dtx_transport_settle(c->transport, status, err);
    if (status == DTX_OK) {
        status = engine_check_copies(&job, err);
    }
    for (i = 0; i < c->pair_count && status == DTX_OK; i++) {
        if (c->pairs[i].is_summed[which]) {
            c->pairs[i].sums[which] = known.sums[c->pairs[i].tensors[which]];
        }
    }
    if (status == DTX_OK) {
        status = take_findings(c, which, &findings, false, err);
    }
    c->bytes_read += job.bytes_read;
    findings_finish(&findings);
    dtx_free(known.digests);
    dtx_free(known.sums);
    dtx_free(known.has_digest);
    dtx_free(known.wanted);
    return dtx_transport_settle(c->transport, status, err);
}

/* ---------------------------------------------------------------- objects */

static enum dtx_status
check_objects(struct comparing *c, int which, struct dtx_error *err)
{
    const struct dtx_holding *h = c->readers[which].holding;
    size_t count = (size_t)h->object_count, i;
    uint64_t *digests = dtx_alloc(count, sizeof *digests);
    bool *wanted = dtx_alloc(count, sizeof *wanted);
    struct findings findings = {0};
    struct objects_job job = {.transport = c->transport,
                              .reader = &c->readers[which],
                              .is_plain = true,
                              .wanted = wanted,
                              .digests = digests,
                              .findings = &findings};
    enum dtx_status status =
        digests == NULL || wanted == NULL ? dtx_error_memory(err) : DTX_OK;

    status = dtx_transport_settle(c->transport, status, err);
    for (i = 0; i < c->twin_count && status == DTX_OK; i++) {
        if (c->twins[i].difference.is_object) {
            wanted[c->twins[i].objects[which]] = true;
        }
    }
    if (status == DTX_OK && count > 0) {
        status = engine_digest_objects(&job, err);
    }
    for (i = 0; i < c->twin_count && status == DTX_OK; i++) {
        struct twin *twin = &c->twins[i];

        if (twin->difference.is_object) {
            twin->sums[which] = digests[twin->objects[which]];
            twin->difference.values_differ = twin->sums[0] != twin->sums[1];
        }
    }
    if (status == DTX_OK) {
        status = take_findings(c, which, &findings, true, err);
    }
    findings_finish(&findings);
    dtx_free(digests);
    dtx_free(wanted);
    return dtx_transport_settle(c->transport, status, err);
}

enum dtx_status
compare_copies(struct comparing *c, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int which;

    for (which = 0; which < 2 && status == DTX_OK; which++) {
        status = check_tensors(c, which, err);
    }
    for (which = 0; which < 2 && status == DTX_OK; which++) {
        status = check_objects(c, which, err);
    }
    return status;
}
