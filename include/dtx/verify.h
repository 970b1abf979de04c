/*
 * Verifying and comparing checkpoints.
 *
 * A checkpoint that dtx wrote has a digest of each tensor in its manifest:
 * dtx_verify() reads all copies of everything and says what isn't as it was
 * written. dtx_compare() holds two checkpoints against each other, whatever
 * their layouts: by digests, or element by element.
 *
 * Functions are local unless they say that they are collective. What they
 * return of a verification or a comparison is borrowed until it is destroyed;
 * indices are
 * >= 0 and below the count that goes with them. Destroying takes NULL.
 */
#ifndef DTX_VERIFY_H
#define DTX_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/catalog.h>
#include <dtx/diagnostic.h>
#include <dtx/dtype.h>
#include <dtx/layout.h>
#include <dtx/progress.h>
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

/* The files that a manifest lists; 0 of other layouts. Local. */
DTX_API int dtx_layout_written_count(const struct dtx_layout *layout);
/*
 * The path of one of them, from the folder that the process runs in. Owned by
 * the caller, to be freed with dtx_string_free(); NULL when out of memory.
 * Local.
 */
DTX_API DTX_NODISCARD char *
dtx_layout_written_path(const struct dtx_layout *layout, int index);

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
    uint64_t memory_bytes;        /* per process, for data; > 0 */
    dtx_progress_visit *progress; /* may be NULL */
    void *progress_context;
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
 * does, and with DTX_ERR_INTERRUPTED after a request to stop (see
 * <dtx/stop.h>).
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

/* An attribute that isn't the same in two checkpoints. */
struct dtx_attribute_difference {
    const char *name;
    bool is_in[2]; /* where it is at all; in both: their values differ */
};

/* How a tensor of two checkpoints differs, or an object or group. All by [0]
 * the first, [1] the second. */
struct dtx_difference {
    const char *name; /* of a group its path; "" is the root */
    bool is_object;   /* a dataset that is no tensor: type, extents and values
                         are compared as one */
    bool is_group;    /* only its attributes are compared */
    bool is_in[2];    /* where it is at all; nothing else is set unless both */
    int attribute_count;
    const struct dtx_attribute_difference *attributes;
    /* What is wrong within one of both, like replicas that differ; NULL:
     * nothing is. */
    const char *faults[2];
    bool are_values_compared; /* not where shapes differ, nor where types do
                                 and aren't numbers or digests were asked for */
    bool values_differ;

    /* Of tensors only. */
    bool shapes_differ;
    bool types_differ;
    struct dtx_type types[2];
    const char *type_names[2]; /* for people: "float32", "compound of …" */
    int ndims[2];
    const int64_t *shapes[2]; /* [ndim] logical */

    /* Set where values differ and were compared element by element. */
    int64_t element_count;
    int64_t differing_count;
    bool is_measured; /* the elements are numbers */
    double largest_absolute;
    double largest_relative; /* to the larger of both magnitudes */
    const int64_t *first;    /* [ndim] the first element that differs */
    const char *first_values[2];
};

struct dtx_comparison_totals {
    int64_t tensor_count; /* in both */
    int64_t equal_count;  /* of these */
    uint64_t bytes;       /* read by all processes */
    double seconds;
};

struct dtx_comparison;

struct dtx_compare_options {
    uint64_t memory_bytes; /* per process, for data; > 0 */
    bool by_digest; /* tensors of one type by digests, not element by element:
                       says only which differ, in less time */
    dtx_progress_visit *progress; /* may be NULL */
    void *progress_context;
    int include_count; /* globs on names; 0: all */
    const char *const *include;
    int exclude_count;
    const char *const *exclude;
};

/*
 * Compares two checkpoints, matched by name, whatever their layouts: tensors,
 * datasets that are no tensors, and attributes. Collective over the transport;
 * the work is divided among the processes, all get the same result.
 *
 * Every rank's copy is read: those that should be alike and aren't are faults.
 * Where just one of the layouts has renames, the other's names are renamed as
 * those of a source are.
 *
 * Elements of one type differ where their bits do. Elements of different types
 * differ where their values do; NaN is like NaN.
 *
 * layouts, catalogs  [2] borrowed until the comparison is destroyed
 * list               receives the warnings of binding files to layouts
 *
 * Fails with DTX_ERR_SOURCE where something can't be read, as dtx_inspect()
 * does where files and layouts don't fit, with DTX_ERR_LIMIT where the memory
 * is too small for an element, and with DTX_ERR_INTERRUPTED after a request to
 * stop (see <dtx/stop.h>).
 */
DTX_API DTX_NODISCARD enum dtx_status dtx_compare(
    const struct dtx_layout *const *layouts,
    const struct dtx_catalog *const *catalogs, struct dtx_transport *transport,
    const struct dtx_compare_options *options, struct dtx_diagnostics *list,
    struct dtx_comparison **comparison_out, struct dtx_error *err);
DTX_API void dtx_comparison_destroy(struct dtx_comparison *comparison);

DTX_API const struct dtx_comparison_totals *
dtx_comparison_totals(const struct dtx_comparison *comparison);
/* By name. None: there is no difference. */
DTX_API int
dtx_comparison_difference_count(const struct dtx_comparison *comparison);
DTX_API const struct dtx_difference *
dtx_comparison_difference(const struct dtx_comparison *comparison, int index);

#ifdef __cplusplus
}
#endif
#endif
