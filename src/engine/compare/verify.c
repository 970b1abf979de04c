#include "engine/compare/verify.h"

#include <inttypes.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/combine.h"
#include "engine/compare/copies.h"
#include "engine/compare/objects.h"
#include "engine/engine.h"
#include "engine/reshard.h"
#include "layout/digest.h"
#include "layout/shape.h"
#include "manifest/manifest.h"
#include "storage/stop.h"
#include "storage/storage.h"
#include "util/alloc.h"
#include "util/error.h"

enum { STAGE_BYTES_MOST = 4 << 20 };

struct dtx_verification {
    struct findings findings;
    struct dtx_verification_totals totals;
};

/* A verification under way. */
struct verifying {
    const struct dtx_layout *manifest;
    struct dtx_transport *transport;
    struct dtx_storage *storage;
    const struct dtx_verify_options *options;
    struct dtx_verification *result;
};

bool
dtx_layout_is_manifest(const struct dtx_layout *layout)
{
    return layout->is_manifest;
}

char *
dtx_layout_manifest_path(const struct dtx_layout *layout)
{
    struct dtx_text path = {0};

    dtx_manifest_path(layout, &path);
    if (path.failed) {
        dtx_text_finish(&path);
        return NULL;
    }
    return path.data;
}

/* The path of a file that the manifest lists. */
static void
add_path(const struct dtx_layout *manifest, const struct dtx_written_file *file,
         struct dtx_text *path)
{
    size_t length = strlen(manifest->folder);

    path->length = 0;
    if (file->path[0] != '/' && length > 0 &&
        strcmp(manifest->folder, ".") != 0) {
        dtx_text_add(path, manifest->folder);
        dtx_text_add(path, manifest->folder[length - 1] == '/' ? "" : "/");
    }
    dtx_text_add(path, file->path);
}

int
dtx_layout_written_count(const struct dtx_layout *layout)
{
    return layout->written_file_count;
}

char *
dtx_layout_written_path(const struct dtx_layout *layout, int index)
{
    struct dtx_text path = {0};

    add_path(layout, &layout->written_files[index], &path);
    if (path.failed) {
        dtx_text_finish(&path);
        return NULL;
    }
    return path.data;
}

/* ---------------------------------------------------------------- files */

static void
judge_size(struct verifying *v, const char *path, int64_t expected,
           int64_t found)
{
    if (found < 0) {
        findings_add(&v->result->findings, NULL, path, -1, "it is missing");
    } else if (found != expected) {
        findings_add(&v->result->findings, NULL, path, -1,
                     "it has %" PRId64 " bytes, but the manifest says %" PRId64,
                     found, expected);
    }
}

/* Asks for the files' sizes, each process for its part of them. */
static enum dtx_status
check_files(struct verifying *v, struct dtx_error *err)
{
    const struct dtx_layout *m = v->manifest;
    size_t count = (size_t)m->written_file_count, i;
    uint64_t *sizes = dtx_alloc(count, sizeof *sizes);
    struct dtx_text path = {0};
    enum dtx_status status = sizes == NULL ? dtx_error_memory(err) : DTX_OK;

    for (i = (size_t)v->transport->process; i < count && status == DTX_OK;
         i += (size_t)v->transport->process_count) {
        add_path(m, &m->written_files[i], &path);
        status = path.failed ? dtx_error_memory(err) : dtx_stop_check(err);
        if (status == DTX_OK) {
            sizes[i] = (uint64_t)v->storage->ops->size(v->storage, path.data);
        }
    }
    status = dtx_transport_settle(v->transport, status, err);
    if (status == DTX_OK) {
        status = engine_combine(v->transport, sizes, count, err);
    }
    for (i = 0; i < count && status == DTX_OK; i++) {
        add_path(m, &m->written_files[i], &path);
        if (!path.failed) {
            judge_size(v, path.data, m->written_files[i].bytes,
                       (int64_t)sizes[i]);
        }
        v->result->findings.failed |= path.failed;
    }
    v->result->totals.file_count = (int64_t)count;
    dtx_text_finish(&path);
    dtx_free(sizes);
    return status;
}

/* ---------------------------------------------------------------- tensors */

/* Each tensor and object has a rule of its own; one that none has is missing.
 * A tensor without elements may be left out. */
static enum dtx_status
find_missing(struct verifying *v, const struct dtx_holding *h,
             struct dtx_error *err)
{
    const struct dtx_layout *m = v->manifest;
    bool *has_tensor = dtx_alloc((size_t)m->rule_count, sizeof *has_tensor);
    int64_t shape[DTX_NDIM_MAX];
    int i, dim;

    if (has_tensor == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < h->tensor_count; i++) {
        has_tensor[h->tensors[i].rule - m->rules] = true;
    }
    for (i = 0; i < h->object_count; i++) {
        int rule = dtx_layout_find_rule(m, h->objects[i].name);

        has_tensor[rule < 0 ? 0 : rule] |= rule >= 0;
    }
    for (i = 0; i < m->rule_count; i++) {
        const struct dtx_rule *rule = &m->rules[i];

        for (dim = 0; dim < rule->shape_count && dim < DTX_NDIM_MAX; dim++) {
            shape[dim] = rule->shape[dim].extent;
        }
        if (!has_tensor[i] &&
            (rule->digest == NULL || dtx_shape_count(dim, shape) != 0)) {
            findings_add(&v->result->findings, rule->glob, NULL, -1,
                         "the manifest has it, but no file does");
        }
    }
    dtx_free(has_tensor);
    return DTX_OK;
}

/* What is known of each tensor. */
struct known {
    uint64_t *digests, *places;
    bool *has_digest, *has_places;
};

static enum dtx_status
set_known(struct verifying *v, const struct dtx_holding *h, struct known *known,
          struct dtx_error *err)
{
    size_t count = (size_t)h->tensor_count, i;

    known->digests = dtx_alloc(count, sizeof *known->digests);
    known->has_digest = dtx_alloc(count, sizeof *known->has_digest);
    known->places = dtx_alloc(count, sizeof *known->places);
    known->has_places = dtx_alloc(count, sizeof *known->has_places);
    if (known->digests == NULL || known->has_digest == NULL ||
        known->places == NULL || known->has_places == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < count; i++) {
        const char *digest = h->tensors[i].rule->digest;
        const char *places = h->tensors[i].rule->places;

        known->has_digest[i] =
            digest != NULL && dtx_digest_parse(digest, &known->digests[i]);
        known->has_places[i] =
            places != NULL && dtx_digest_parse(places, &known->places[i]);
        v->result->totals.digest_count += known->has_digest[i];
    }
    v->result->totals.tensor_count = h->tensor_count;
    return find_missing(v, h, err);
}

static uint64_t
all_bytes(const struct dtx_holding *h)
{
    uint64_t total = 0;
    int i;

    for (i = 0; i < h->tensor_count; i++) {
        total += engine_copies_bytes(h, i);
    }
    return total;
}

/* Objects have no digests, but all ranks should have the same. */
static enum dtx_status
check_objects(struct verifying *v, struct held_reader *reader,
              struct dtx_error *err)
{
    struct objects_job job = {.transport = v->transport,
                              .reader = reader,
                              .findings = &v->result->findings};
    enum dtx_status status = DTX_OK;

    if (reader->holding->object_count > 0) {
        status = engine_digest_objects(&job, err);
    }
    v->result->totals.copy_count += job.copy_count;
    return status;
}

static enum dtx_status
check_tensors(struct verifying *v, const struct dtx_holding *h,
              struct dtx_error *err)
{
    size_t stage = v->options->memory_bytes < STAGE_BYTES_MOST
                       ? (size_t)v->options->memory_bytes
                       : STAGE_BYTES_MOST;
    struct held_reader reader = {.storage = v->storage, .holding = h};
    struct copies_job job = {.transport = v->transport,
                             .reader = &reader,
                             .stage_bytes = stage,
                             .findings = &v->result->findings};
    struct known known = {0};
    struct turns_progress progress;
    enum dtx_status status = set_known(v, h, &known, err);

    reader.stage = dtx_alloc(stage, 1);
    if (status == DTX_OK && reader.stage == NULL) {
        status = dtx_error_memory(err);
    }
    job.digests = known.digests;
    job.has_digest = known.has_digest;
    job.places = known.places;
    job.has_places = known.has_places;
    job.progress = &progress;
    turns_progress_begin(&progress, all_bytes(h), v->options->progress,
                         v->options->progress_context);
    status = dtx_transport_settle(v->transport, status, err);
    if (status == DTX_OK) {
        status = engine_check_copies(&job, err);
    }
    if (status == DTX_OK) {
        status = engine_sum(v->transport, job.bytes_read,
                            &v->result->totals.bytes, err);
    }
    v->result->totals.copy_count = job.copy_count;
    if (status == DTX_OK) {
        status = check_objects(v, &reader, err);
    }
    dtx_free(reader.stage);
    dtx_free(known.digests);
    dtx_free(known.has_digest);
    dtx_free(known.places);
    dtx_free(known.has_places);
    held_reader_finish(&reader);
    return status;
}

/* ---------------------------------------------------------------- all */

/* Where the files are so damaged that they can't be opened, or don't hold what
 * the manifest says, that is what was found. */
static enum dtx_status
take_for_finding(struct verifying *v, enum dtx_status status,
                 const struct dtx_error *err)
{
    const char *tensor = err->tensor;
    char name[sizeof err->tensor];
    size_t length = strlen(tensor);

    if (status != DTX_ERR_SOURCE) {
        return status;
    }
    if (length >= 2 && tensor[0] == '\'' && tensor[length - 1] == '\'') {
        memcpy(name, tensor + 1, length - 2);
        name[length - 2] = '\0';
        tensor = name;
    }
    findings_add(&v->result->findings, *tensor != '\0' ? tensor : NULL, NULL,
                 -1, "%s", err->message);
    return DTX_OK;
}

static enum dtx_status
check_catalog(struct verifying *v, const struct dtx_catalog *catalog,
              struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_holding *holding = NULL;
    enum dtx_status status =
        dtx_holding_create(v->manifest, catalog, list, &holding, err);

    status = dtx_transport_settle(v->transport, status, err);
    if (status != DTX_OK) {
        return take_for_finding(v, status, err);
    }
    v->storage->ops->use_catalog(v->storage, catalog);
    status = check_tensors(v, holding, err);
    dtx_holding_destroy(holding);
    return status;
}

static enum dtx_status
check(struct verifying *v, struct dtx_diagnostics *list, struct dtx_error *err)
{
    struct dtx_catalog_options options = {.progress = v->options->progress,
                                          .progress_context =
                                              v->options->progress_context};
    struct dtx_catalog *catalog = NULL;
    enum dtx_status status = check_files(v, err);

    if (status != DTX_OK) {
        return status;
    }
    status = engine_read_catalog(v->manifest, v->transport, &options,
                                 v->storage, &catalog, err);
    status = status == DTX_OK ? check_catalog(v, catalog, list, err)
                              : take_for_finding(v, status, err);
    dtx_catalog_destroy(catalog);
    if (status == DTX_OK && v->result->findings.failed) {
        status = dtx_error_memory(err);
    }
    return dtx_transport_settle(v->transport, status, err);
}

enum dtx_status
engine_verify(const struct dtx_layout *manifest,
              struct dtx_transport *transport, struct dtx_storage *storage,
              const struct dtx_verify_options *options,
              struct dtx_diagnostics *list,
              struct dtx_verification **verification_out, struct dtx_error *err)
{
    struct dtx_verification *result = dtx_alloc(1, sizeof *result);
    struct verifying v = {manifest, transport, storage, options, result};
    uint64_t begin = engine_now_ns();
    enum dtx_status status = result == NULL ? dtx_error_memory(err) : DTX_OK;

    if (status == DTX_OK && !manifest->is_manifest) {
        status = dtx_error_set(err, DTX_ERR_INVALID,
                               "'%s' is no manifest, and has no digests",
                               manifest->file);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = check(&v, list, err);
    }
    if (status != DTX_OK) {
        dtx_verification_destroy(result);
        return status;
    }
    result->totals.seconds = engine_seconds_since(begin);
    *verification_out = result;
    return DTX_OK;
}

enum dtx_status
dtx_verify(const struct dtx_layout *manifest, struct dtx_transport *transport,
           const struct dtx_verify_options *options,
           struct dtx_diagnostics *list,
           struct dtx_verification **verification_out, struct dtx_error *err)
{
    struct dtx_storage *storage = NULL;
    enum dtx_status status = dtx_storage_create(&storage, err);

    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = engine_verify(manifest, transport, storage, options, list,
                               verification_out, err);
    }
    if (storage != NULL) {
        storage->ops->destroy(storage);
    }
    return status;
}

void
dtx_verification_destroy(struct dtx_verification *verification)
{
    if (verification != NULL) {
        findings_finish(&verification->findings);
        dtx_free(verification);
    }
}

const struct dtx_verification_totals *
dtx_verification_totals(const struct dtx_verification *verification)
{
    return &verification->totals;
}

int
dtx_verification_finding_count(const struct dtx_verification *verification)
{
    return (int)verification->findings.count;
}

const struct dtx_finding *
dtx_verification_finding(const struct dtx_verification *verification, int index)
{
    return &verification->findings.array[index];
}
