#include "plan/bind/attributes.h"
#include "plan/bind/refuse.h"
#include "plan/map/idle.h"

#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/diagnostic.h"
#include "util/error.h"

enum { MESSAGE_BYTES = 1024, PLACE_BYTES = 256 };

/* ---------------------------------------------------------------- claims */

/* What claims the datasets of a source, rank by rank. */
struct claims {
    struct dtx_binding *b;
    bool *claimed; /* [catalog->dataset_count] */
    struct dtx_arena scratch;
};

/* No rule of the source matches: said once per name. */
static enum dtx_status
refuse_ruleless(struct dtx_binding *b, const char *name, struct dtx_error *err)
{
    static const struct dtx_mark nowhere = {0, 0, 0};

    return dtx_refuse(b->layout, nowhere, "E201", b->list, err,
                      "no rule of %s matches the tensor '%s'", b->layout->file,
                      name);
}

/* Starts the record of a name that is seen for the first time. */
static enum dtx_status
begin_bound(struct dtx_binding *b, const char *name, int dataset,
            struct dtx_error *err)
{
    struct dtx_bound *bound;

    if (dtx_grow(&b->bound, b->bound_count, &b->bound_capacity,
                 sizeof *b->bound) != 0) {
        return dtx_error_memory(err);
    }
    bound = &b->bound[b->bound_count++];
    *bound = (struct dtx_bound){.name = name, .dataset = -1};
    bound->rule = dtx_layout_find_rule(b->layout, name);
    if (bound->rule < 0) {
        return refuse_ruleless(b, name, err);
    }
    b->rule_uses[bound->rule]++;
    if (dataset >= 0) {
        bound->type = b->catalog->datasets[dataset].type;
        bound->is_object =
            b->catalog->datasets[dataset].form == DTX_FORM_OBJECT;
    }
    return dtx_layout_presence(b->layout, &b->layout->rules[bound->rule], name,
                               b->arena, &bound->presence, err);
}

/* The record of a name; *bound_out is NULL where no rule matches it. */
static enum dtx_status
find_bound(struct dtx_binding *b, const char *name, int dataset,
           struct dtx_bound **bound_out, struct dtx_error *err)
{
    int number = dtx_names_add(&b->names, name);
    enum dtx_status status;

    *bound_out = NULL;
    if (number < 0) {
        return dtx_error_memory(err);
    }
    if ((size_t)number == b->bound_count) {
        status = begin_bound(b, b->names.strings[number], dataset, err);
        if (status != DTX_OK && status != DTX_ERR_INVALID) {
            return status;
        }
        if (status == DTX_ERR_INVALID && b->bound[number].rule >= 0) {
            return dtx_refuse_number(b->layout, name, b->list, err);
        }
    }
    if (b->bound[number].rule >= 0) {
        *bound_out = &b->bound[number];
    }
    return DTX_OK;
}

static void
add_place(const struct dtx_binding *b, int position, struct dtx_error *err)
{
    char place[PLACE_BYTES];

    dtx_layout_describe_position(b->layout, position, place, sizeof place);
    dtx_error_where(err, "%s, file '%s'", place,
                    b->catalog->files[b->catalog->position_file[position]]);
}

static enum dtx_status
refuse_type(const struct dtx_binding *b, const struct dtx_bound *bound,
            int dataset, int position, struct dtx_error *err)
{
    const struct dtx_dataset *d = &b->catalog->datasets[dataset];

    dtx_error_set(err, DTX_ERR_SOURCE,
                  "the element type differs between ranks: expected %s (%zu "
                  "bytes), found %s (%zu bytes)",
                  dtx_dtype_name(bound->type.dtype), bound->type.size_bytes,
                  dtx_dtype_name(d->type.dtype), d->type.size_bytes);
    dtx_error_tensor(err, "'%s'", bound->name);
    add_place(b, position, err);
    dtx_error_hint(
        err, "it is expected as it stands in '%s'",
        b->catalog->files[b->catalog->datasets[bound->dataset].file]);
    return DTX_ERR_SOURCE;
}

/* Claims a dataset for a position, if the position holds that tensor. */
static enum dtx_status
claim(struct claims *claims, int position, int dataset, const char *stored,
      struct dtx_error *err)
{
    struct dtx_binding *b = claims->b;
    struct dtx_bound *bound;
    bool out_of_range = false;
    const char *name = dtx_layout_global_name(b->layout, stored, position,
                                              &claims->scratch, &out_of_range);
    enum dtx_status status;

    if (name == NULL) {
        return out_of_range ? DTX_OK : dtx_error_memory(err);
    }
    status = find_bound(b, name, dataset, &bound, err);
    if (status != DTX_OK || bound == NULL) {
        claims->claimed[dataset] = true; /* said already */
        return status;
    }
    if (!dtx_presence_holds(&bound->presence, &b->layout->mesh, position)) {
        return DTX_OK;
    }
    if (!dtx_type_equal(bound->type, b->catalog->datasets[dataset].type) &&
        !bound->is_object) {
        return refuse_type(b, bound, dataset, position, err);
    }
    if (bound->dataset < 0) {
        bound->dataset = dataset;
    }
    claims->claimed[dataset] = true;
    return DTX_OK;
}

static enum dtx_status
claim_position(struct claims *claims, int position, struct dtx_error *err)
{
    struct dtx_binding *b = claims->b;
    int file = b->catalog->position_file[position];
    enum dtx_status status = DTX_OK;
    int i;

    for (i = b->file_first[file];
         i < b->file_first[file + 1] && status == DTX_OK; i++) {
        const char *stored;
        bool is_other;

        dtx_arena_reset(&claims->scratch);
        stored = dtx_template_name(&b->layout->dataset, &b->layout->mesh,
                                   position, b->catalog->datasets[i].path,
                                   &claims->scratch, &is_other);
        if (stored != NULL) {
            status = claim(claims, position, i, stored, err);
        } else if (!is_other) {
            status = dtx_error_memory(err);
        }
    }
    return status;
}

/* The rule for a dataset in the file of a position; -1: none. */
static int
rule_for(const struct dtx_binding *b, int position, int dataset,
         struct dtx_arena *scratch)
{
    bool is_other;
    const char *stored = dtx_template_name(
        &b->layout->dataset, &b->layout->mesh, position,
        b->catalog->datasets[dataset].path, scratch, &is_other);
    const char *name = stored == NULL
                           ? NULL
                           : dtx_layout_global_name(b->layout, stored, position,
                                                    scratch, &is_other);

    return name == NULL ? -1 : dtx_layout_find_rule(b->layout, name);
}

/* Names the rule that gives a dataset to ranks of other files, if one does. */
static bool
hint_other_ranks(const struct dtx_binding *b, int dataset,
                 struct dtx_error *err)
{
    int file = b->catalog->datasets[dataset].file;
    struct dtx_arena scratch = {0};
    int position, rule = -1;

    for (position = 0; position < b->layout->mesh.position_count && rule < 0;
         position++) {
        if (b->catalog->position_file[position] == file) {
            rule = rule_for(b, position, dataset, &scratch);
        }
    }
    dtx_arena_finish(&scratch);
    if (rule < 0 || b->layout->rules[rule].where_count == 0) {
        return false;
    }
    dtx_error_hint(err, "the rule at %s:%d gives it to ranks of other files",
                   b->layout->file, b->layout->rules[rule].mark.line);
    return true;
}

/* Datasets that no rank holds: named, never dropped. */
static enum dtx_status
refuse_unclaimed(const struct claims *claims, struct dtx_error *err)
{
    const struct dtx_catalog *catalog = claims->b->catalog;
    int i, first = -1, others = -1;

    for (i = 0; i < catalog->dataset_count; i++) {
        if (!claims->claimed[i]) {
            first = first < 0 ? i : first;
            others++;
        }
    }
    if (first < 0) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_SOURCE,
                  "dataset '%s' belongs to no rank of the layout",
                  catalog->datasets[first].path);
    dtx_error_where(err, "file '%s'",
                    catalog->files[catalog->datasets[first].file]);
    if (hint_other_ranks(claims->b, first, err)) {
        return DTX_ERR_SOURCE;
    }
    if (others > 0) {
        dtx_error_hint(err,
                       "%d more dataset%s left over; compare 'where', "
                       "'numbered' and 'dataset' in %s with the files",
                       others, others == 1 ? " is" : "s are",
                       claims->b->layout->file);
    } else {
        dtx_error_hint(err,
                       "compare 'where', 'numbered' and 'dataset' in %s with "
                       "the file",
                       claims->b->layout->file);
    }
    return DTX_ERR_SOURCE;
}

/*
 * A file that isn't there is right only where its ranks hold nothing. What
 * other ranks show is checked with the shapes; here it is said aloud, and
 * refused where there is no tensor at all.
 */
static enum dtx_status
check_missing_files(struct dtx_binding *b, struct dtx_error *err)
{
    int position, last = -1;

    for (position = 0; position < b->layout->mesh.position_count; position++) {
        int file = b->catalog->position_file[position];
        char message[MESSAGE_BYTES];
        struct dtx_diagnostic d = {
            .severity = DTX_SEVERITY_WARNING,
            .code = "W202",
            .file = b->layout->file,
            .text = b->layout->text,
            .mark = b->layout->path_mark,
            .message = message,
            .help = "if it should, a part of the checkpoint is lost"};

        if (b->catalog->file_sizes[file] != DTX_FILE_MISSING) {
            continue;
        }
        if (b->bound_count == 0) {
            return dtx_refuse_file(b, position, err);
        }
        if (file > last) {
            snprintf(message, sizeof message,
                     "there is no file '%s': taken as holding nothing",
                     b->catalog->files[file]);
            dtx_diagnostics_add(b->list, &d);
            last = file;
        }
    }
    return DTX_OK;
}

static int *
index_files(const struct dtx_catalog *catalog)
{
    int *first = dtx_alloc((size_t)catalog->file_count + 1, sizeof *first);
    int i;

    for (i = 0; i < catalog->dataset_count && first != NULL; i++) {
        first[catalog->datasets[i].file + 1]++;
    }
    for (i = 0; i < catalog->file_count && first != NULL; i++) {
        first[i + 1] += first[i];
    }
    return first;
}

static enum dtx_status
bind_files(struct dtx_binding *b, struct dtx_error *err)
{
    struct claims claims = {.b = b};
    enum dtx_status status = DTX_OK;
    int position;

    b->file_first = index_files(b->catalog);
    claims.claimed =
        dtx_alloc((size_t)b->catalog->dataset_count, sizeof *claims.claimed);
    if (b->file_first == NULL || claims.claimed == NULL) {
        status = dtx_error_memory(err);
    }
    for (position = 0;
         position < b->layout->mesh.position_count && status == DTX_OK;
         position++) {
        status = claim_position(&claims, position, err);
    }
    if (status == DTX_OK) {
        status = refuse_unclaimed(&claims, err);
    }
    dtx_free(claims.claimed);
    dtx_arena_finish(&claims.scratch);
    return status;
}

/* ---------------------------------------------------------------- tables */

static enum dtx_status
bind_table(struct dtx_binding *b, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < b->catalog->entry_count && status == DTX_OK; i++) {
        const struct dtx_table_entry *entry = &b->catalog->entries[i];
        struct dtx_bound *bound;

        status = find_bound(b, entry->name, -1, &bound, err);
        if (bound != NULL) {
            bound->type = entry->type;
            bound->ndim = entry->ndim;
            bound->shape = entry->shape;
        }
    }
    return status;
}

/* ---------------------------------------------------------------- binding */

static enum dtx_status
bind_shapes(struct dtx_binding *b, struct dtx_error *err)
{
    enum dtx_status status, first = DTX_OK;
    struct dtx_error other;
    size_t i;

    for (i = 0; i < b->bound_count; i++) {
        struct dtx_bound *bound = &b->bound[i];

        if (bound->rule < 0 || bound->is_object) {
            continue;
        }
        status = dtx_bind_shape(b, bound, first == DTX_OK ? err : &other);
        if (first == DTX_OK) {
            first = status;
        }
        if (status != DTX_OK && status != DTX_ERR_INVALID) {
            return first;
        }
    }
    return first;
}

enum dtx_status
dtx_bind_source(struct dtx_binding *binding, struct dtx_error *err)
{
    enum dtx_status status;

    binding->rule_uses =
        dtx_alloc((size_t)binding->layout->rule_count, sizeof(int));
    if (binding->rule_uses == NULL) {
        return dtx_error_memory(err);
    }
    status = binding->catalog->file_count > 0 ? bind_files(binding, err)
                                              : bind_table(binding, err);
    if (status == DTX_OK) {
        status = bind_shapes(binding, err);
    }
    if (status == DTX_OK && binding->catalog->file_count > 0) {
        status = check_missing_files(binding, err);
    }
    if (status == DTX_OK && binding->catalog->group_count > 0 &&
        dtx_attributes_check_groups(binding) != 0) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK && dtx_diagnostics_error_count(binding->list) > 0) {
        status = dtx_error_set(err, DTX_ERR_INVALID, "%s doesn't fit",
                               binding->layout->file);
    }
    if (status == DTX_OK) {
        dtx_warn_idle_rules(binding->layout, binding->rule_uses,
                            &binding->names, binding->list);
        dtx_warn_idle_numbers(binding->layout, &binding->names, binding->list);
    }
    return status;
}

void
dtx_binding_finish(struct dtx_binding *binding)
{
    dtx_free(binding->file_first);
    dtx_free(binding->bound);
    dtx_free(binding->rule_uses);
    dtx_names_finish(&binding->names);
}
