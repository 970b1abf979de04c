#include "spec/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "util/error.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static enum dtx_status
role_status(enum dtx_role role)
{
    return role == DTX_SOURCE || role == DTX_COMPARED ? DTX_ERR_SOURCE
                                                      : DTX_ERR_INVALID;
}

static enum dtx_status
refuse_open(const char *path, enum dtx_role role, int reason,
            struct dtx_error *err)
{
    return dtx_error_set(err, role_status(role), "cannot read '%s': %s", path,
                         strerror(reason));
}

/* Reads an open file to its end; status says what went wrong. */
static enum dtx_status
read_stream(FILE *stream, const char *path, enum dtx_role role,
            struct dtx_text *text, struct dtx_error *err)
{
    char buffer[1 << 16];
    size_t count;

    while ((count = fread(buffer, 1, sizeof buffer, stream)) > 0) {
        dtx_text_add_bytes(text, buffer, count);
        if (text->failed) {
            return dtx_error_memory(err);
        }
        if (text->length > SPEC_FILE_BYTES_MAX) {
            return dtx_error_set(err, role_status(role),
                                 "'%s' is larger than %d MiB", path,
                                 SPEC_FILE_BYTES_MAX >> 20);
        }
    }
    if (ferror(stream)) {
        return refuse_open(path, role, errno, err);
    }
    dtx_text_add(text, "");
    return text->failed ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
spec_load_text(const char *path, enum dtx_role role, struct dtx_text *text,
               struct dtx_error *err)
{
    FILE *stream = fopen(path, "rb");
    enum dtx_status status;

    if (stream == NULL) {
        return refuse_open(path, role, errno, err);
    }
    status = read_stream(stream, path, role, text, err);
    fclose(stream);
    if (status == DTX_OK && strlen(text->data) != text->length) {
        return dtx_error_set(err, role_status(role),
                             "'%s' is not a text file: it holds NUL bytes",
                             path);
    }
    return status;
}

size_t
spec_mark_length(const char *text)
{
    return strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0
               ? strlen(byte_order_mark)
               : 0;
}

enum dtx_status
spec_refuse_pipe(const char *path, struct dtx_error *err)
{
    struct stat info;

    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "cannot read '%s': it is no regular file", path);
    }
    return DTX_OK;
}
