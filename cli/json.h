/*
 * JSON documents, in the order in which their parts are added.
 *
 * Text that is no UTF-8 has U+FFFD in place of each stray byte, so that every
 * reader takes the document.
 */
#ifndef DTX_CLI_JSON_H
#define DTX_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>
#include <yajl/yajl_gen.h>

#include "output.h"
#include "util/text.h"

struct json {
    struct output output;
    yajl_gen generator;
    bool is_in_page;
    struct dtx_text scratch;
};

/* Opens standard output for one document, an object. */
enum dtx_status json_begin(struct json *json, struct dtx_error *err);
/* Ends the object and the line; tells what couldn't be written. */
enum dtx_status json_end(struct json *json, struct dtx_error *err);

/* The same for a document in an HTML page, with what stands before and after
 * it. No text in it can end the element that it is in. */
enum dtx_status json_begin_page(struct json *json, const char *path,
                                const char *before, size_t before_length,
                                struct dtx_error *err);
enum dtx_status json_end_page(struct json *json, const char *after,
                              struct dtx_error *err);

/* A key NULL stands for an element of an array. */
void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);
void json_string(struct json *json, const char *key, const char *value);
void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
/* Six significant digits; null where it is no finite number. */
void json_real(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_shape(struct json *json, const char *key, int ndim,
                const int64_t *shape);

/* True for characters that stand in strings only as escapes: those that JSON
 * wants so, and those that terminals would take for orders. */
bool json_is_escaped(uint32_t code);

/* Adds text with stray bytes replaced. */
void json_clean(struct dtx_text *out, const char *string);

#endif
