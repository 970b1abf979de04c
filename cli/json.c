#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/error.h"
#include "util/utf8.h"

enum { ESCAPE_TEXT = 16 };

bool
json_is_escaped(uint32_t code)
{
    return code == '"' || code == '\\' || dtx_utf8_is_control(code);
}

/* What yajl leaves as it is; in JSON it stands in strings only. In a page '<'
 * could begin a tag. */
static bool
is_left(const struct json *json, uint32_t code)
{
    return (code == '<' && json->is_in_page) ||
           (code >= 0x7F && json_is_escaped(code));
}

static void
print_part(void *context, const char *bytes, size_t count)
{
    struct json *json = context;
    size_t first = 0, length;

    for (size_t i = 0; i < count; i += length) {
        uint32_t code = (unsigned char)bytes[i];
        char escape[ESCAPE_TEXT];

        length = code < 0x80 ? 1 : dtx_utf8_decode(bytes + i, &code);
        if (is_left(json, code)) {
            snprintf(escape, sizeof(escape), "\\u%04x", code);
            output_add(&json->output, bytes + first, i - first);
            output_add(&json->output, escape, strlen(escape));
            first = i + length;
        }
    }
    output_add(&json->output, bytes + first, count - first);
}

static enum dtx_status
begin(struct json *json, const char *path, struct dtx_error *err)
{
    enum dtx_status status;

    *json = (struct json){0};
    status = output_open(&json->output, path, err);
    if (status != DTX_OK) {
        return status;
    }
    json->generator = yajl_gen_alloc(NULL);
    if (json->generator == NULL) {
        (void)output_close(&json->output, err);
        return dtx_error_memory(err);
    }
    yajl_gen_config(json->generator, yajl_gen_print_callback, print_part, json);
    return DTX_OK;
}

static enum dtx_status
end(struct json *json, const char *after, struct dtx_error *err)
{
    bool has_failed = json->scratch.failed;
    enum dtx_status status;

    yajl_gen_map_close(json->generator);
    yajl_gen_free(json->generator);
    dtx_text_finish(&json->scratch);
    output_add(&json->output, after, strlen(after));
    status = output_close(&json->output, err);
    return status == DTX_OK && has_failed ? dtx_error_memory(err) : status;
}

enum dtx_status
json_begin(struct json *json, struct dtx_error *err)
{
    enum dtx_status status = begin(json, NULL, err);

    if (status == DTX_OK) {
        yajl_gen_map_open(json->generator);
    }
    return status;
}

enum dtx_status
json_end(struct json *json, struct dtx_error *err)
{
    return end(json, "\n", err);
}

enum dtx_status
json_begin_page(struct json *json, const char *path, const char *before,
                size_t before_length, struct dtx_error *err)
{
    enum dtx_status status = begin(json, path, err);

    if (status == DTX_OK) {
        json->is_in_page = true;
        output_add(&json->output, before, before_length);
        yajl_gen_map_open(json->generator);
    }
    return status;
}

enum dtx_status
json_end_page(struct json *json, const char *after, struct dtx_error *err)
{
    return end(json, after, err);
}

static bool
is_stray(uint32_t code)
{
    return code >= DTX_UTF8_STRAY && code < DTX_UTF8_STRAY + 0x100;
}

void
json_clean(struct dtx_text *out, const char *string)
{
    while (*string != '\0') {
        uint32_t code;
        size_t length = dtx_utf8_decode(string, &code);

        if (is_stray(code)) {
            dtx_text_add(out, "\xEF\xBF\xBD");
        } else {
            dtx_text_add_bytes(out, string, length);
        }
        string += length;
    }
}

static void
add_string(struct json *json, const char *string)
{
    json->scratch.length = 0;
    dtx_text_add(&json->scratch, "");
    json_clean(&json->scratch, string);
    if (!json->scratch.failed) {
        yajl_gen_string(json->generator,
                        (const unsigned char *)json->scratch.data,
                        json->scratch.length);
    }
}

static void
add_key(struct json *json, const char *key)
{
    if (key != NULL) {
        add_string(json, key);
    }
}

void
json_object(struct json *json, const char *key)
{
    add_key(json, key);
    yajl_gen_map_open(json->generator);
}

void
json_object_end(struct json *json)
{
    yajl_gen_map_close(json->generator);
}

void
json_array(struct json *json, const char *key)
{
    add_key(json, key);
    yajl_gen_array_open(json->generator);
}

void
json_array_end(struct json *json)
{
    yajl_gen_array_close(json->generator);
}

void
json_string(struct json *json, const char *key, const char *value)
{
    add_key(json, key);
    add_string(json, value);
}

void
json_int(struct json *json, const char *key, int64_t value)
{
    add_key(json, key);
    yajl_gen_integer(json->generator, value);
}

void
json_uint(struct json *json, const char *key, uint64_t value)
{
    char digits[24];

    add_key(json, key);
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    yajl_gen_number(json->generator, digits, strlen(digits));
}

void
json_real(struct json *json, const char *key, double value)
{
    char digits[32];

    add_key(json, key);
    if (!isfinite(value)) {
        yajl_gen_null(json->generator);
        return;
    }
    snprintf(digits, sizeof(digits), "%.6g", value);
    yajl_gen_number(json->generator, digits, strlen(digits));
}

void
json_bool(struct json *json, const char *key, bool value)
{
    add_key(json, key);
    yajl_gen_bool(json->generator, value);
}

void
json_shape(struct json *json, const char *key, int ndim, const int64_t *shape)
{
    json_array(json, key);
    for (int d = 0; d < ndim; d++) {
        json_int(json, NULL, shape[d]);
    }
    json_array_end(json);
}
