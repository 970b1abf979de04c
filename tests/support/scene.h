/*
 * Scenes: a source, a target, and what stands in the source's files.
 *
 * Made from text; what a shard holds is found element by element, by the
 * reference of the layout tests.
 */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include "layout/catalog.h"
#include "layout/layout.h"
#include "support/layout_case.h"
#include "unit/layout/reference.h"

enum { SCENE_SOURCE, SCENE_TARGET };

struct scene {
    const struct layout_case *text;
    struct dtx_layout *layouts[2];
    struct dtx_diagnostics *list;
};

/* What a position holds of a tensor: indices per dim, in local order. */
struct shard {
    int ndim;
    int64_t count; /* elements, with padding */
    struct reference dims[CASE_NDIM_MOST];
};

/* A dataset of a layout: of its lowest position where several share it. */
struct scene_dataset {
    const char *file;
    const char *path;
    int tensor;
    int position;
    int ndim;
    const int64_t *shape; /* [ndim] of the dataset */
};

typedef void scene_visit(const struct scene_dataset *dataset, void *context);

/* Parses both layouts; a mistake in them ends the test. */
struct scene scene_begin(const struct layout_case *text);
void scene_finish(struct scene *scene);

/* The name of a tensor on a side. */
const char *scene_name(const struct scene *scene, int side, int tensor);
const struct dtx_rule *scene_rule(const struct scene *scene, int side,
                                  int tensor);
/* True where a position has a dataset of the tensor. */
bool scene_holds(const struct scene *scene, int side, int tensor, int position);

void scene_shard(const struct scene *scene, int side, int tensor, int position,
                 struct shard *out);

/* The global (logical, row-major) number of a shard's element, or
 * REFERENCE_PADDING. */
int64_t scene_element(const struct scene *scene, int tensor,
                      const struct shard *shard, int64_t local);
int64_t scene_element_count(const struct scene *scene, int tensor);

/* The number of the term that a position holds, in coordinate order. */
int scene_term(const struct scene *scene, int side, int tensor, int position);
int scene_term_count(const struct scene *scene, int side, int tensor);

/* Visits each dataset of a side once. */
void scene_each_dataset(const struct scene *scene, int side, scene_visit *visit,
                        void *context);

/* The catalog of a source whose files hold all that the layout says, but for
 * empty shards where skip_empty. Owned by the caller. */
struct dtx_catalog *scene_catalog(const struct scene *scene, bool skip_empty);

#endif
