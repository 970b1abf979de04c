#include "propose/propose.h"

#include <string.h>

#include "propose/guess.h"
#include "propose/rule.h"
#include "util/alloc.h"
#include "util/error.h"

bool
propose_set_mesh(const struct dtx_proposed_mesh *given,
                 struct dtx_mesh *mesh_out)
{
    int axis;

    *mesh_out = (struct dtx_mesh){.axis_count = given->axis_count};
    for (axis = 0; axis < given->axis_count; axis++) {
        mesh_out->names[axis] = given->names[axis];
        mesh_out->sizes[axis] = given->sizes[axis];
    }
    return dtx_mesh_finish(mesh_out);
}

/* True where the files' names only count ranks. */
static bool
has_plain_ranks(const struct dtx_layout *files)
{
    return files->mesh.axis_count == 1 &&
           strcmp(files->mesh.names[0], "ranks") == 0;
}

static enum dtx_status
choose_mesh(struct proposal *p, const struct dtx_layout *files,
            const struct dtx_proposed_mesh *given, struct dtx_error *err)
{
    const int64_t *ranks = files->mesh.ranks;
    struct dtx_mesh mesh;
    bool is_plain = has_plain_ranks(files);

    p->mesh = files->mesh;
    if (!given->is_given) {
        if (is_plain) {
            (void)guess_mesh(p->e, &p->mesh);
            memset(p->mesh.names, 0, sizeof p->mesh.names);
        }
        return DTX_OK;
    }
    if (!propose_set_mesh(given, &mesh) ||
        mesh.position_count != files->mesh.position_count) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "the mesh has not as many places as there are ranks: "
                      "%d",
                      files->mesh.position_count);
        return DTX_ERR_INVALID;
    }
    if (!is_plain && files->mesh.axis_count > 0) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the files' names give the mesh already");
    }
    p->mesh = mesh;
    p->mesh.ranks = ranks;
    return DTX_OK;
}

/* Numbers take the place of what would look like shards. */
static void
drop_numbered(struct proposal *p)
{
    int i, axis;

    for (i = 0; i < p->e->tensor_count; i++) {
        for (axis = 0; axis < p->mesh.axis_count; axis++) {
            if (numbers_entry_of(&p->numbers, i, axis) != NULL) {
                p->decisions
                    .decisions[p->e->tensors[i].group * p->mesh.axis_count +
                               axis] = (struct decision){.dim = -1};
            }
        }
    }
}

/* The words, interned; NULL where there are none, or when out of memory. */
static const char *
intern(struct proposal *p, const struct dtx_text *text)
{
    int number = text->failed || text->length == 0
                     ? -1
                     : dtx_names_add(&p->words, text->data);

    return number < 0 ? NULL : p->words.strings[number];
}

static bool
has_tensor_axis(const struct proposal *p)
{
    int axis;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        if (p->decisions.styles[axis] == STYLE_TENSOR) {
            return true;
        }
    }
    return false;
}

static enum dtx_status
write_tensors(struct proposal *p, struct dtx_text *text, struct dtx_error *err)
{
    const char *plain;
    int i;

    p->tensors = dtx_alloc((size_t)p->e->tensor_count + 1, sizeof *p->tensors);
    if (p->tensors == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < p->e->tensor_count; i++) {
        struct proposed_tensor *t = &p->tensors[i];

        rule_describe(p, i);
        t->name = p->e->tensors[i].name;
        t->body = intern(p, &p->body);
        t->note = intern(p, &p->note);
        if (t->body == NULL || (t->note == NULL && p->note.length > 0)) {
            return dtx_error_memory(err);
        }
    }
    p->body.length = 0;
    dtx_text_add(&p->body, "\n    placements: {}\n");
    plain = intern(p, &p->body);
    return plain == NULL || write_rules(text, p->tensors, p->e->tensor_count,
                                        plain, has_tensor_axis(p)) != 0
               ? dtx_error_memory(err)
               : DTX_OK;
}

/* ------------------------------------------------------------------ the head
 */

static void
add_axes_comment(const struct proposal *p, struct dtx_text *text,
                 bool is_guessed)
{
    static const char *const words[] = {
        "its use isn't known",
        "replicas",
        "every parameter, by its first dimension",
        "matrices, by columns and rows",
        "layers",
        "experts"};
    struct dtx_text line = {0};
    int axis;

    for (axis = 0; axis < p->mesh.axis_count; axis++) {
        dtx_text_format(&line, "%s%s: %s", axis > 0 ? "; " : "",
                        p->mesh.names[axis], words[p->decisions.styles[axis]]);
    }
    if (is_guessed && p->mesh.axis_count > 0) {
        dtx_text_add(&line, ". The files' names only count ranks: the axes are "
                            "what equal and different contents show, their "
                            "names are free.");
    }
    if (line.length > 0) {
        dtx_text_add(text, "\n");
        write_comment(text, 0, line.data);
    }
    text->failed |= line.failed;
    dtx_text_finish(&line);
}

static void
write_head(const struct proposal *p, const struct dtx_layout *files,
           bool is_guessed, struct dtx_text *text)
{
    struct dtx_text line = {0};

    dtx_text_format(&line,
                    "Proposed by dtx init from %d file%s with %d tensors. "
                    "Check what is marked 'ambiguous'; `dtx inspect` checks "
                    "the rest.",
                    p->e->catalog->file_count,
                    p->e->catalog->file_count == 1 ? "" : "s",
                    p->e->tensor_count);
    write_comment(text, 0, line.failed ? "" : line.data);
    dtx_text_finish(&line);
    add_axes_comment(p, text, is_guessed);
    write_mesh(text, &p->mesh);
    write_ranks(text, &p->mesh);
    dtx_text_add(text, "checkpoint:\n  path: ");
    dtx_text_quote(text, files->path.source);
    dtx_text_add(text, "\n");
    numbers_write(&p->numbers, text);
}

static void
finish(struct proposal *p)
{
    numbers_finish(&p->numbers);
    decisions_finish(&p->decisions);
    dtx_names_finish(&p->words);
    dtx_text_finish(&p->body);
    dtx_text_finish(&p->note);
    dtx_free(p->tensors);
}

enum dtx_status
propose_from_evidence(const struct dtx_layout *files, const struct evidence *e,
                      const struct dtx_catalog *table,
                      const struct dtx_proposed_mesh *mesh, char **text_out,
                      struct dtx_error *err)
{
    struct proposal p = {.e = e};
    struct dtx_arena arena = {0};
    struct dtx_text text = {0};
    enum dtx_status status = choose_mesh(&p, files, mesh, err);
    bool is_guessed = !mesh->is_given && has_plain_ranks(files);

    if (status == DTX_OK &&
        (decide(&p.decisions, e, table, &p.mesh, &arena) != 0 ||
         numbers_find(&p.numbers, e, &p.mesh, p.decisions.styles) != 0)) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        drop_numbered(&p);
        write_head(&p, files, is_guessed, &text);
        status = write_tensors(&p, &text, err);
    }
    if (status == DTX_OK && text.failed) {
        status = dtx_error_memory(err);
    }
    finish(&p);
    dtx_arena_finish(&arena);
    if (status != DTX_OK) {
        dtx_text_finish(&text);
        return status;
    }
    *text_out = text.data;
    return DTX_OK;
}
