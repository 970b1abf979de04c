#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/utf8.h"

static enum dtx_status
refuse(const struct output *output, int reason, struct dtx_error *err)
{
    if (output->path == NULL) {
        return dtx_error_set(err, DTX_ERR_TARGET,
                             "cannot write to standard output: %s",
                             strerror(reason));
    }
    return dtx_error_set(err, DTX_ERR_TARGET, "cannot write '%s': %s",
                         output->path, strerror(reason));
}

enum dtx_status
output_open(struct output *output, const char *path, struct dtx_error *err)
{
    *output = (struct output){.fd = -1};
    if (!report_speaks()) {
        return DTX_OK;
    }
    output->buffer = dtx_alloc(OUTPUT_BUFFER_BYTES, 1);
    if (output->buffer == NULL) {
        return dtx_error_memory(err);
    }
    if (path == NULL || strcmp(path, "-") == 0) {
        output->fd = STDOUT_FILENO;
        return DTX_OK;
    }
    output->path = path;
    output->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->fd < 0) {
        dtx_free(output->buffer);
        return refuse(output, errno, err);
    }
    return DTX_OK;
}

static void
write_all(struct output *output, const char *bytes, size_t count)
{
    while (count > 0 && output->failure == 0) {
        ssize_t written = write(output->fd, bytes, count);

        if (written >= 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno != EINTR) {
            output->failure = errno;
        }
    }
}

static void
flush_buffer(struct output *output)
{
    write_all(output, output->buffer, output->used);
    output->used = 0;
}

void
output_add(struct output *output, const char *bytes, size_t count)
{
    if (output->fd < 0) {
        return;
    }
    if (count > OUTPUT_BUFFER_BYTES - output->used) {
        flush_buffer(output);
    }
    if (count > OUTPUT_BUFFER_BYTES) {
        write_all(output, bytes, count);
        return;
    }
    memcpy(output->buffer + output->used, bytes, count);
    output->used += count;
}

enum dtx_status
output_close(struct output *output, struct dtx_error *err)
{
    if (output->fd < 0) {
        return DTX_OK;
    }
    flush_buffer(output);
    dtx_free(output->buffer);
    output->buffer = NULL;
    if (output->path != NULL && close(output->fd) != 0 &&
        output->failure == 0) {
        output->failure = errno;
    }
    output->fd = -1;
    return output->failure == 0 ? DTX_OK : refuse(output, output->failure, err);
}

enum dtx_status
output_text(struct dtx_text *text, struct dtx_error *err)
{
    struct output output;
    enum dtx_status status;

    if (text->failed) {
        dtx_text_finish(text);
        return dtx_error_memory(err);
    }
    status = output_open(&output, NULL, err);
    if (status == DTX_OK && text->data != NULL) {
        text->length = dtx_utf8_clean(text->data, '\n');
        output_add(&output, text->data, text->length);
    }
    if (status == DTX_OK) {
        status = output_close(&output, err);
    }
    dtx_text_finish(text);
    return status;
}
