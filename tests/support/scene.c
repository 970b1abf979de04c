#include "support/scene.h"

#include <string.h>

#include "layout/listing.h"
#include "support/claim.h"
#include "util/names.h"

static struct dtx_layout *
parse(const struct dtx_text *text, enum dtx_role role,
      struct dtx_diagnostics *list)
{
    struct dtx_layout *layout = NULL;
    struct dtx_error err = {0};
    enum dtx_status status = dtx_layout_parse(
        text->data, role == DTX_SOURCE ? "src.yaml" : "dst.yaml", ".", role,
        list, &layout, &err);

    claim(status == DTX_OK, "%s\n%s\n%s", err.message,
          dtx_diagnostics_draw(list), text->data);
    return layout;
}

struct scene
scene_begin(const struct layout_case *text)
{
    struct scene scene = {.text = text, .list = dtx_diagnostics_create()};

    scene.layouts[SCENE_SOURCE] = parse(&text->source, DTX_SOURCE, scene.list);
    scene.layouts[SCENE_TARGET] = parse(&text->target, DTX_TARGET, scene.list);
    return scene;
}

void
scene_finish(struct scene *scene)
{
    dtx_layout_destroy(scene->layouts[SCENE_SOURCE]);
    dtx_layout_destroy(scene->layouts[SCENE_TARGET]);
    dtx_diagnostics_destroy(scene->list);
}

const char *
scene_name(const struct scene *scene, int side, int tensor)
{
    const struct case_tensor *t = &scene->text->tensors[tensor];

    return side == SCENE_SOURCE ? t->name : t->target_name;
}

const struct dtx_rule *
scene_rule(const struct scene *scene, int side, int tensor)
{
    const struct dtx_layout *layout = scene->layouts[side];
    int rule = dtx_layout_find_rule(layout, scene_name(scene, side, tensor));

    claim(rule >= 0);
    return &layout->rules[rule];
}

bool
scene_holds(const struct scene *scene, int side, int tensor, int position)
{
    const struct dtx_layout *layout = scene->layouts[side];
    struct dtx_arena arena = {0};
    struct dtx_presence presence;
    struct dtx_error err = {0};
    bool holds;

    claim(dtx_layout_presence(layout, scene_rule(scene, side, tensor),
                              scene_name(scene, side, tensor), &arena,
                              &presence, &err) == DTX_OK,
          "%s", err.message);
    holds = dtx_presence_holds(&presence, &layout->mesh, position);
    dtx_arena_finish(&arena);
    return holds;
}

/* ---------------------------------------------------------------- shards */

void
scene_shard(const struct scene *scene, int side, int tensor, int position,
            struct shard *out)
{
    const struct case_tensor *t = &scene->text->tensors[tensor];

    out->ndim = t->ndim;
    out->count = 1;
    for (int dim = 0; dim < t->ndim; dim++) {
        claim(reference_indices(scene->layouts[side],
                                scene_rule(scene, side, tensor), t->ndim,
                                t->shape, dim, position, &out->dims[dim]));
        out->count *= out->dims[dim].count;
    }
}

int64_t
scene_element(const struct scene *scene, int tensor, const struct shard *shard,
              int64_t local)
{
    const struct case_tensor *t = &scene->text->tensors[tensor];
    int64_t stride = 1, element = 0;

    for (int dim = t->ndim - 1; dim >= 0; dim--) {
        int64_t index = shard->dims[dim].items[local % shard->dims[dim].count];

        if (index == REFERENCE_PADDING) {
            return REFERENCE_PADDING;
        }
        local /= shard->dims[dim].count;
        element += index * stride;
        stride *= t->shape[dim];
    }
    return element;
}

int64_t
scene_element_count(const struct scene *scene, int tensor)
{
    const struct case_tensor *t = &scene->text->tensors[tensor];
    int64_t count = 1;

    for (int dim = 0; dim < t->ndim; dim++) {
        count *= t->shape[dim];
    }
    return count;
}

int
scene_term(const struct scene *scene, int side, int tensor, int position)
{
    const struct dtx_rule *rule = scene_rule(scene, side, tensor);
    const struct dtx_mesh *mesh = &scene->layouts[side]->mesh;
    int term = 0;

    for (int i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            int axis = rule->placements[i].axis;

            term = term * mesh->sizes[axis] +
                   dtx_mesh_coordinate(mesh, position, axis);
        }
    }
    return term;
}

int
scene_term_count(const struct scene *scene, int side, int tensor)
{
    const struct dtx_rule *rule = scene_rule(scene, side, tensor);
    const struct dtx_mesh *mesh = &scene->layouts[side]->mesh;
    int count = 1;

    for (int i = 0; i < rule->placement_count; i++) {
        if (rule->placements[i].kind == DTX_PARTIAL) {
            count *= mesh->sizes[rule->placements[i].axis];
        }
    }
    return count;
}

/* ---------------------------------------------------------------- files */

/* What is being visited. */
struct visiting {
    const struct scene *scene;
    int side;
    struct dtx_names seen; /* "file dataset" */
    scene_visit *visit;
    void *context;
};

static void
visit_position(struct visiting *v, int tensor, int position)
{
    const struct dtx_layout *layout = v->scene->layouts[v->side];
    const char *name = scene_name(v->scene, v->side, tensor);
    struct dtx_text file = {0}, path = {0}, both = {0};
    struct dtx_arena arena = {0};
    struct shard shard;
    int64_t shape[CASE_NDIM_MOST];
    int before = v->seen.count;

    dtx_layout_file(layout, position, &file);
    dtx_template_render(&layout->dataset, &layout->mesh, position,
                        dtx_layout_stored_name(layout, name, position, &arena),
                        &path);
    dtx_text_format(&both, "%s %s", file.data, path.data);
    scene_shard(v->scene, v->side, tensor, position, &shard);
    for (int dim = 0; dim < shard.ndim; dim++) {
        shape[dim] = layout->view == DTX_VIEW_GLOBAL
                         ? v->scene->text->tensors[tensor].shape[dim]
                         : shard.dims[dim].count;
    }
    if (dtx_names_add(&v->seen, both.data) == before) {
        struct scene_dataset dataset = {file.data, path.data,  tensor,
                                        position,  shard.ndim, shape};

        v->visit(&dataset, v->context);
    }
    dtx_text_finish(&file);
    dtx_text_finish(&path);
    dtx_text_finish(&both);
    dtx_arena_finish(&arena);
}

void
scene_each_dataset(const struct scene *scene, int side, scene_visit *visit,
                   void *context)
{
    struct visiting v = {
        .scene = scene, .side = side, .visit = visit, .context = context};
    int positions = scene->layouts[side]->mesh.position_count;

    for (int position = 0; position < positions; position++) {
        for (int tensor = 0; tensor < scene->text->tensor_count; tensor++) {
            if (scene_holds(scene, side, tensor, position)) {
                visit_position(&v, tensor, position);
            }
        }
    }
    dtx_names_finish(&v.seen);
}

/* ---------------------------------------------------------------- catalogs */

/* The listings of all files while they are filled. */
struct listing {
    const struct scene *scene;
    bool skip_empty;
    int file_count;
    const char **files;
    struct dtx_text *texts; /* [file_count] */
};

static void
list_dataset(const struct scene_dataset *dataset, void *context)
{
    struct listing *l = context;
    const struct case_tensor *t = &l->scene->text->tensors[dataset->tensor];
    struct dtx_dataset d = {.path = dataset->path,
                            .type = dtx_type_of(t->src_dtype),
                            .form = DTX_FORM_CONTIGUOUS,
                            .ndim = dataset->ndim,
                            .shape = dataset->shape,
                            .offset = 1};
    int64_t count = 1;

    for (int dim = 0; dim < dataset->ndim; dim++) {
        count *= dataset->shape[dim];
    }
    d.form = count == 0 ? DTX_FORM_EMPTY : DTX_FORM_CONTIGUOUS;
    if (count == 0 && l->skip_empty &&
        scene_element_count(l->scene, dataset->tensor) > 0) {
        return;
    }
    for (int i = 0; i < l->file_count; i++) {
        if (strcmp(l->files[i], dataset->file) == 0) {
            dtx_listing_dataset(&l->texts[i], &d, NULL);
        }
    }
}

struct dtx_catalog *
scene_catalog(const struct scene *scene, bool skip_empty)
{
    const struct dtx_layout *layout = scene->layouts[SCENE_SOURCE];
    struct listing l = {.scene = scene, .skip_empty = skip_empty};
    struct dtx_arena arena = {0};
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err = {0};
    const char **listings;
    size_t *lengths;
    int *position_file;

    l.file_count = dtx_catalog_paths(layout, &arena, &position_file, &l.files);
    l.texts = dtx_arena_alloc(&arena, (size_t)l.file_count, sizeof *l.texts);
    listings = dtx_arena_alloc(&arena, (size_t)l.file_count, sizeof *listings);
    lengths = dtx_arena_alloc(&arena, (size_t)l.file_count, sizeof *lengths);
    for (int i = 0; i < l.file_count; i++) {
        dtx_listing_begin(&l.texts[i], 1000, 0);
    }
    scene_each_dataset(scene, SCENE_SOURCE, list_dataset, &l);
    for (int i = 0; i < l.file_count; i++) {
        listings[i] = l.texts[i].data;
        lengths[i] = l.texts[i].length;
    }
    claim(dtx_catalog_build(layout, l.file_count, listings, lengths, &catalog,
                            &err) == DTX_OK,
          "%s", err.message);
    for (int i = 0; i < l.file_count; i++) {
        dtx_text_finish(&l.texts[i]);
    }
    dtx_arena_finish(&arena);
    return catalog;
}
