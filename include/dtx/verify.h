/*
 * Verifying and comparing checkpoints.
 *
 * A checkpoint that dtx wrote has a digest of each tensor in its manifest:
 * dtx_verify() reads all copies of everything and says what isn't as it was
 * written. dtx_compare() holds two checkpoints against each other, whatever
 * their layouts: by digests, or element by element.
 */
#ifndef DTX_VERIFY_H
#define DTX_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/status.h>
#include <dtx/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True where the layout was loaded from a manifest. Local. */
DTX_API bool dtx_layout_is_manifest(const struct dtx_layout *layout);

/*
 * The path of the manifest that dtx leaves with a target of this layout. Owned
 * by the caller, to be freed with dtx_string_free(); NULL when out of memory.
 * Local.
 */
DTX_API DTX_NODISCARD char *
dtx_layout_manifest_path(const struct dtx_layout *layout);

/* Something that is damaged. */
struct dtx_finding {
    const char *tensor;  /* NULL: it is about a file as a whole */
    const char *file;    /* NULL: it can't be told which file it is */
    int64_t rank;        /* the lowest that it concerns; -1: can't be told */
    const char *message; /* what is wrong; a sentence without a final stop */
};

struct dtx_verification_totals {
    int64_t tensor_count;
    int64_t digest_count; /* tensors whose digest is known */
    int64_t copy_count;   /* datasets that were read */
    int64_t file_count;
    uint64_t bytes; /* read by all processes */
    double seconds;
};

struct dtx_verification;

struct dtx_verify_options {
    uint64_t memory_bytes; /* per process, for data; > 0 */
};

/*
 * Reads a whole checkpoint, every rank's copy of everything, and holds it
 * against its manifest. Collective over the transport; the work is divided
 * among the processes, all get the same result.
 *
 * manifest  a layout for which dtx_layout_is_manifest() is true; borrowed
 *           until the verification is destroyed
 * list      receives the warnings of binding the files to the layout
 *
 * Succeeds also where something is damaged, missing or can't be read: that is
 * what the findings say. Fails where nothing can be said, as dtx_inspect()
 * does.
 */
DTX_API DTX_NODISCARD enum dtx_status
dtx_verify(const struct dtx_layout *manifest, struct dtx_transport *transport,
           const struct dtx_verify_options *options,
           struct dtx_diagnostics *list,
           struct dtx_verification **verification_out, struct dtx_error *err);
DTX_API void dtx_verification_destroy(struct dtx_verification *verification);

DTX_API const struct dtx_verification_totals *
dtx_verification_totals(const struct dtx_verification *verification);
/* None: the checkpoint is as it was written. */
DTX_API int
dtx_verification_finding_count(const struct dtx_verification *verification);
DTX_API const struct dtx_finding *
dtx_verification_finding(const struct dtx_verification *verification,
                         int index);

#ifdef __cplusplus
}
#endif
#endif
