#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct parsed
finish_parse(struct parsed parsed, struct dtx_diagnostics *list)
{
    parsed.drawing = dtx_diagnostics_draw(list);
    parsed.error_count = dtx_diagnostics_error_count(list);
    parsed.warning_count = dtx_diagnostics_warning_count(list);
    dtx_diagnostics_destroy(list);
    return parsed;
}

struct parsed
parse_as(const char *text, enum dtx_role role)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct parsed parsed = {0};

    parsed.status = dtx_layout_parse(text, "layout.yaml", ".", role, list,
                                     &parsed.layout, &parsed.err);
    return finish_parse(parsed, list);
}

struct parsed
parse_rule(const char *rule)
{
    char text[4096];

    snprintf(text, sizeof text, "%stensors:\n  - {name: \"**\", %s}\n", HEAD,
             rule);
    return parse_right(text);
}

struct parsed
load_as(const char *path, enum dtx_role role)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct parsed parsed = {0};

    parsed.status =
        dtx_layout_load(path, role, list, &parsed.layout, &parsed.err);
    return finish_parse(parsed, list);
}

struct parsed
parse_right(const char *text)
{
    struct parsed parsed = parse_as(text, DTX_SOURCE);

    cr_assert_eq(parsed.status, DTX_OK, "%s\n%s", parsed.err.message,
                 parsed.drawing);
    return parsed;
}

void
parsed_finish(struct parsed *parsed)
{
    dtx_layout_destroy(parsed->layout);
    dtx_string_free(parsed->drawing);
}

char *
read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long size;

    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = calloc((size_t)size + 1, 1);
    cr_assert_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}
