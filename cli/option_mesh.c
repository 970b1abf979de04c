/*
 * A mesh on the command line.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "option_values.h"
#include "util/alloc.h"
#include "util/error.h"

static bool
is_name(const char *name)
{
    if (*name == '\0' || isdigit((unsigned char)*name) ||
        strcmp(name, "rank") == 0 || strcmp(name, "name") == 0) {
        return false;
    }
    for (; *name != '\0'; name++) {
        if (!isalnum((unsigned char)*name) && *name != '_') {
            return false;
        }
    }
    return true;
}

/* Reads "tp=4", which is ended where the '=' was. */
static bool
read_axis(struct mesh_argument *mesh, char *word)
{
    char *sign = strchr(word, '=');
    char *end;
    long size;

    if (sign == NULL || mesh->axis_count == MESH_AXIS_MAX) {
        return false;
    }
    *sign = '\0';
    size = strtol(sign + 1, &end, 10);
    if (!is_name(word) || !isdigit((unsigned char)sign[1]) || *end != '\0' ||
        size < 1 || size > INT_MAX) {
        return false;
    }
    for (int a = 0; a < mesh->axis_count; a++) {
        if (strcmp(mesh->names[a], word) == 0) {
            return false;
        }
    }
    mesh->names[mesh->axis_count] = word;
    mesh->sizes[mesh->axis_count++] = (int)size;
    return true;
}

enum dtx_status
option_set_mesh(void *field, const char *origin, const char *value,
                struct dtx_error *err)
{
    struct mesh_argument *mesh = field;
    char *at;

    dtx_free(mesh->text);
    *mesh = (struct mesh_argument){.is_given = true, .text = dtx_strdup(value)};
    if (mesh->text == NULL) {
        return dtx_error_memory(err);
    }
    for (char *word = mesh->text; word != NULL && *value != '\0'; word = at) {
        at = strchr(word, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
        if (!read_axis(mesh, word)) {
            dtx_error_set(err, DTX_ERR_INVALID, "%s: '%s' is not a mesh",
                          origin, value);
            dtx_error_hint(err, "meshes are written as dp=2,tp=4: names and "
                                "sizes, the outermost first");
            return DTX_ERR_INVALID;
        }
    }
    return DTX_OK;
}
