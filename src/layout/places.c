#include "layout/places.h"

#include <string.h>

#include "util/alloc.h"
#include "util/names.h"
#include "util/text.h"

/* More positions aren't tried. */
enum { POSITIONS_MOST = 1 << 17 };

static int
digits_of(int64_t number)
{
    int digits = 1;

    for (; number >= 10; number /= 10) {
        digits++;
    }
    return digits;
}

static int64_t
largest_rank(const struct dtx_mesh *mesh)
{
    int64_t most = 0;
    int i;

    if (mesh->ranks == NULL) {
        return mesh->position_count - 1;
    }
    for (i = 0; i < mesh->position_count; i++) {
        most = mesh->ranks[i] > most ? mesh->ranks[i] : most;
    }
    return most;
}

/* True for a number that is longer for some positions than for others. */
static bool
varies(const struct dtx_template_part *part, const struct dtx_mesh *mesh)
{
    int64_t most = part->field == DTX_FIELD_RANK ? largest_rank(mesh)
                                                 : mesh->sizes[part->field] - 1;

    return digits_of(most) > (part->width > 0 ? part->width : 1);
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * True where the numbers can be taken off a rendered template one by one, from
 * the front or from the back: one of varying length ends at no digit.
 */
static bool
is_clear(const struct dtx_template *template, const struct dtx_mesh *mesh,
         bool from_back)
{
    bool is_open = false; /* behind a number of varying length */
    int i;

    for (i = 0; i < template->part_count; i++) {
        const struct dtx_template_part *part =
            &template->parts[from_back ? template->part_count - 1 - i : i];

        if (part->field == DTX_FIELD_LITERAL) {
            size_t last = strlen(part->literal) - 1;

            if (is_open && is_digit(part->literal[from_back ? last : 0])) {
                return false;
            }
            is_open = false;
        } else if (part->field == DTX_FIELD_NAME) {
            is_open = false; /* positions are compared for one name */
        } else if (is_open) {
            return false;
        } else {
            is_open = varies(part, mesh);
        }
    }
    return true;
}

static bool
is_clear_at_all(const struct dtx_template *template,
                const struct dtx_mesh *mesh)
{
    return is_clear(template, mesh, false) || is_clear(template, mesh, true);
}

/* True for the lowest of the positions that no field tells apart. */
static bool
is_lowest(const struct dtx_layout *layout, int position)
{
    int axis;

    for (axis = 0; axis < layout->mesh.axis_count; axis++) {
        if (!dtx_template_tells(&layout->path, axis) &&
            !dtx_template_tells(&layout->dataset, axis) &&
            dtx_mesh_coordinate(&layout->mesh, position, axis) != 0) {
            return false;
        }
    }
    return true;
}

/* Adds the place of a position; returns the number of that place, -1 when out
 * of memory. */
static int
add_place(const struct dtx_layout *layout, int position, struct dtx_text *text,
          struct dtx_names *places)
{
    text->length = 0;
    dtx_template_render(&layout->path, &layout->mesh, position, NULL, text);
    dtx_text_add(text, "\n");
    dtx_template_render(&layout->dataset, &layout->mesh, position, "\n", text);
    return text->failed ? -1 : dtx_names_add(places, text->data);
}

static enum dtx_places
try_all(const struct dtx_layout *layout, int *positions_out)
{
    int count = layout->mesh.position_count;
    int *first = dtx_alloc((size_t)count, sizeof *first); /* of each place */
    enum dtx_places found =
        first == NULL ? DTX_PLACES_NO_MEMORY : DTX_PLACES_APART;
    struct dtx_names places = {0};
    struct dtx_text text = {0};
    int position;

    for (position = 0; position < count && found == DTX_PLACES_APART;
         position++) {
        int before = places.count, number;

        if (!is_lowest(layout, position)) {
            continue;
        }
        number = add_place(layout, position, &text, &places);
        if (number < 0) {
            found = DTX_PLACES_NO_MEMORY;
        } else if (number == before) {
            first[number] = position;
        } else {
            positions_out[0] = first[number];
            positions_out[1] = position;
            found = DTX_PLACES_ALIKE;
        }
    }
    dtx_free(first);
    dtx_names_finish(&places);
    dtx_text_finish(&text);
    return found;
}

enum dtx_places
dtx_layout_places(const struct dtx_layout *layout, int *positions_out)
{
    if (is_clear_at_all(&layout->path, &layout->mesh) &&
        is_clear_at_all(&layout->dataset, &layout->mesh)) {
        return DTX_PLACES_APART;
    }
    if (layout->mesh.position_count > POSITIONS_MOST) {
        return DTX_PLACES_UNSURE;
    }
    return try_all(layout, positions_out);
}
