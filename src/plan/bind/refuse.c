#include "plan/bind/refuse.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/diagnostic.h"
#include "util/error.h"

enum { MESSAGE_BYTES = 1024, PLACE_BYTES = 256 };

enum dtx_status
dtx_refuse(const struct dtx_layout *layout, struct dtx_mark mark,
           const char *code, struct dtx_diagnostics *list,
           struct dtx_error *err, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    struct dtx_diagnostic d = {.severity = DTX_SEVERITY_ERROR, .code = code};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    d.file = layout->file;
    d.text = layout->text;
    d.mark = mark;
    d.message = message;
    dtx_diagnostics_add(list, &d);
    return dtx_error_set(err, DTX_ERR_INVALID, "%s", message);
}

enum dtx_status
dtx_refuse_number(const struct dtx_layout *layout, const char *name,
                  struct dtx_diagnostics *list, struct dtx_error *err)
{
    int rule = dtx_layout_find_rule(layout, name);
    struct dtx_diagnostic d = {.severity = DTX_SEVERITY_ERROR,
                               .code = "E202",
                               .file = layout->file,
                               .text = layout->text,
                               .mark = dtx_layout_numbered_mark(layout, name),
                               .message = err->message};

    if (rule >= 0 && layout->rules[rule].where_count > 0) {
        d.second_mark = layout->rules[rule].where[0].mark;
        d.second_label = "the rule leaves it to these coordinates";
    }
    dtx_diagnostics_add(list, &d);
    return DTX_ERR_INVALID;
}

static int
missing_files(const struct dtx_catalog *catalog)
{
    int i, missing = 0;

    for (i = 0; i < catalog->file_count; i++) {
        missing += catalog->file_sizes[i] == DTX_FILE_MISSING;
    }
    return missing;
}

enum dtx_status
dtx_refuse_file(const struct dtx_binding *binding, int position,
                struct dtx_error *err)
{
    const struct dtx_catalog *catalog = binding->catalog;
    int present = catalog->file_count - missing_files(catalog);
    char place[PLACE_BYTES];

    dtx_error_set(err, DTX_ERR_SOURCE,
                  "cannot open '%s': no such file or directory",
                  catalog->files[catalog->position_file[position]]);
    dtx_layout_describe_position(binding->layout, position, place,
                                 sizeof place);
    dtx_error_where(err, "%s", place);
    dtx_error_hint(err, "%s:%d names %d file%s, %d of them %s there%s",
                   binding->layout->file, binding->layout->path_mark.line,
                   catalog->file_count, catalog->file_count == 1 ? "" : "s",
                   present, present == 1 ? "is" : "are",
                   present == 0 ? "; paths are relative to its folder" : "");
    return DTX_ERR_SOURCE;
}
