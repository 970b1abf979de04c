/*
 * From the text of an option to its value.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_values.h"
#include "options.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/glob.h"
#include "util/size.h"
#include "util/suggest.h"

/* More processes than any machine has; tables of them still fit in memory. */
enum { PROCESS_COUNT_MAX = 1 << 20 };

enum { SECONDS_MAX = 86400 };

/* "a, b or c". */
static void
list_words(const char *const *words, int count, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";

        used += (size_t)snprintf(text + used, size - used, "%s%s", before,
                                 words[i]);
    }
}

/* Sets the error for a value that isn't one of some words. */
static enum dtx_status
refuse_word(const char *origin, const char *value, const char *const *known,
            int count, struct dtx_error *err)
{
    const char *close = dtx_suggest(value, known, count);
    char words[128];

    dtx_error_set(err, DTX_ERR_INVALID, "%s: unknown value '%s'", origin,
                  value);
    if (close != NULL) {
        dtx_error_hint(err, "did you mean '%s'?", close);
    } else {
        list_words(known, count, words, sizeof(words));
        dtx_error_hint(err, "it is %s", words);
    }
    return DTX_ERR_INVALID;
}

enum dtx_status
option_set_strategy(void *field, const char *origin, const char *value,
                    struct dtx_error *err)
{
    enum dtx_strategy *strategy = field;
    const char *known[DTX_STRATEGY_COUNT];

    if (dtx_strategy_find(value, strategy)) {
        return DTX_OK;
    }
    for (int s = 0; s < DTX_STRATEGY_COUNT; s++) {
        known[s] = dtx_strategy_name((enum dtx_strategy)s);
    }
    return refuse_word(origin, value, known, DTX_STRATEGY_COUNT, err);
}

enum dtx_status
option_set_map(void *field, const char *origin, const char *value,
               struct dtx_error *err)
{
    enum dtx_map *map = field;
    const char *known[DTX_MAP_COUNT];

    if (dtx_map_find(value, map)) {
        return DTX_OK;
    }
    for (int m = 0; m < DTX_MAP_COUNT; m++) {
        known[m] = dtx_map_name((enum dtx_map)m);
    }
    return refuse_word(origin, value, known, DTX_MAP_COUNT, err);
}

enum dtx_status
option_set_transport(void *field, const char *origin, const char *value,
                     struct dtx_error *err)
{
    enum dtx_carrier *transport = field;
    const char *known[DTX_CARRIER_CUDA + 1];

    for (int c = 0; c <= DTX_CARRIER_CUDA; c++) {
        known[c] = dtx_carrier_name((enum dtx_carrier)c);
        if (strcmp(value, known[c]) == 0) {
            *transport = (enum dtx_carrier)c;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, known, DTX_CARRIER_CUDA + 1, err);
}

enum dtx_status
option_set_device(void *field, const char *origin, const char *value,
                  struct dtx_error *err)
{
    enum dtx_device_kind *device = field;
    const char *known[DTX_DEVICE_CUDA + 1];

    for (int k = 0; k <= DTX_DEVICE_CUDA; k++) {
        known[k] = dtx_device_kind_name((enum dtx_device_kind)k);
        if (strcmp(value, known[k]) == 0) {
            *device = (enum dtx_device_kind)k;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, known, DTX_DEVICE_CUDA + 1, err);
}

enum dtx_status
option_set_progress(void *field, const char *origin, const char *value,
                    struct dtx_error *err)
{
    enum progress_mode *progress = field;
    static const char *const names[] = {[PROGRESS_AUTO] = "auto",
                                        [PROGRESS_PLAIN] = "plain",
                                        [PROGRESS_BAR] = "bar",
                                        [PROGRESS_NONE] = "none"};

    for (int i = 0; i <= PROGRESS_NONE; i++) {
        if (strcmp(value, names[i]) == 0) {
            *progress = (enum progress_mode)i;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, names, PROGRESS_NONE + 1, err);
}

enum dtx_status
option_set_check_replicas(void *field, const char *origin, const char *value,
                          struct dtx_error *err)
{
    enum dtx_check_replicas *check = field;
    static const char *const names[] = {[DTX_CHECK_REPLICAS_SAMPLE] = "sample",
                                        [DTX_CHECK_REPLICAS_ALL] = "all",
                                        [DTX_CHECK_REPLICAS_NONE] = "none"};

    for (int i = 0; i <= DTX_CHECK_REPLICAS_NONE; i++) {
        if (strcmp(value, names[i]) == 0) {
            *check = (enum dtx_check_replicas)i;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, names, DTX_CHECK_REPLICAS_NONE + 1, err);
}

enum dtx_status
option_set_memory(void *field, const char *origin, const char *value,
                  struct dtx_error *err)
{
    uint64_t *memory_bytes = field;
    uint64_t bytes;

    if (!dtx_size_parse(value, &bytes) || bytes == 0) {
        dtx_error_set(err, DTX_ERR_INVALID, "%s: '%s' is not a size", origin,
                      value);
        dtx_error_hint(err, "sizes are written as 256MiB, 4GiB or 1.5G");
        return DTX_ERR_INVALID;
    }
    *memory_bytes = bytes;
    return DTX_OK;
}

enum dtx_status
option_set_process_count(void *field, const char *origin, const char *value,
                         struct dtx_error *err)
{
    int *process_count = field;
    char *end;
    long count;

    errno = 0;
    count = strtol(value, &end, 10);
    if (end == value || *end != '\0' || count < 1) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "%s: '%s' is not a number of processes", origin,
                             value);
    }
    if (errno != 0 || count > PROCESS_COUNT_MAX) {
        return dtx_error_set(err, DTX_ERR_LIMIT,
                             "%s: %s processes are more than dtx plans for "
                             "(%d)",
                             origin, value, PROCESS_COUNT_MAX);
    }
    *process_count = (int)count;
    return DTX_OK;
}

enum dtx_status
option_set_checkpoint_every(void *field, const char *origin, const char *value,
                            struct dtx_error *err)
{
    int *checkpoint_seconds = field;
    char *end;
    long seconds = strtol(value, &end, 10);

    if (end == value || *end != '\0' || seconds < 0 || seconds > SECONDS_MAX) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "%s: '%s' is not a number of seconds", origin, value);
        dtx_error_hint(err, "it is 0 (as often as possible) to %d",
                       SECONDS_MAX);
        return DTX_ERR_INVALID;
    }
    *checkpoint_seconds = seconds == 0 ? -1 : (int)seconds;
    return DTX_OK;
}

/* Reads a number of a process at *text and goes past it. */
static bool
read_process(const char **text, int *out)
{
    char *end;
    long number;

    if (**text < '0' || **text > '9') {
        return false;
    }
    errno = 0;
    number = strtol(*text, &end, 10);
    *text = end;
    *out = (int)number;
    return errno == 0 && number < PROCESS_COUNT_MAX;
}

/* Reads "7" or "0-7" at *text and goes past it. */
static bool
read_range(const char **text, int *first_out, int *last_out)
{
    if (!read_process(text, first_out)) {
        return false;
    }
    *last_out = *first_out;
    if (**text != '-') {
        return true;
    }
    (*text)++;
    return read_process(text, last_out) && *first_out <= *last_out;
}

static enum dtx_status
add_range(struct processes *list, int first, int last, struct dtx_error *err)
{
    for (int process = first; process <= last; process++) {
        if (list->count >= PROCESS_COUNT_MAX) {
            return dtx_error_set(err, DTX_ERR_LIMIT,
                                 "a list of processes names more than %d",
                                 PROCESS_COUNT_MAX);
        }
        if (dtx_grow(&list->items, list->count, &list->capacity,
                     sizeof(*list->items)) != 0) {
            return dtx_error_memory(err);
        }
        list->items[list->count++] = process;
    }
    return DTX_OK;
}

/* A list on the command line takes the place of the environment's. */
enum dtx_status
option_set_processes(void *field, const char *origin, const char *value,
                     struct dtx_error *err)
{
    struct processes *list = field;

    list->count = 0;
    for (const char *at = value;; at++) {
        enum dtx_status status;
        int first;
        int last;

        if (!read_range(&at, &first, &last) || (*at != ',' && *at != '\0')) {
            dtx_error_set(err, DTX_ERR_INVALID,
                          "%s: '%s' is not a list of processes", origin, value);
            dtx_error_hint(err, "lists are written as 0-7,12");
            return DTX_ERR_INVALID;
        }
        status = add_range(list, first, last, err);
        if (status != DTX_OK || *at == '\0') {
            return status;
        }
    }
}

static bool
is_of_environment(const char *origin)
{
    return strncmp(origin, "--", 2) != 0;
}

/* Globs of the command line take the place of the environment's. */
enum dtx_status
option_add_glob(void *field, const char *origin, const char *value,
                struct dtx_error *err)
{
    struct globs *globs = field;
    bool is_from_environment = is_of_environment(origin);
    const char *wrong = dtx_glob_check(value);

    if (wrong != NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID, "%s '%s': %s", origin, value,
                             wrong);
    }
    if (globs->is_from_environment && !is_from_environment) {
        globs->count = 0;
    }
    globs->is_from_environment = is_from_environment;
    if (dtx_grow(&globs->items, globs->count, &globs->capacity,
                 sizeof(*globs->items)) != 0) {
        return dtx_error_memory(err);
    }
    globs->items[globs->count++] = value;
    return DTX_OK;
}

/* The name of a file or a tensor, or a path. */
enum dtx_status
option_set_text(void *field, const char *origin, const char *value,
                struct dtx_error *err)
{
    const char **text = field;

    if (*value == '\0') {
        return dtx_error_set(err, DTX_ERR_INVALID, "%s: the name is empty",
                             origin);
    }
    *text = value;
    return DTX_OK;
}

enum dtx_status
option_set_hosts(void *field, const char *origin, const char *value,
                 struct dtx_error *err)
{
    struct hosts_argument *hosts = field;

    hosts->is_from_environment = is_of_environment(origin);
    return option_set_text(&hosts->path, origin, value, err);
}

/* A switch; the environment can turn it off too. */
enum dtx_status
option_set_switch(void *field, const char *origin, const char *value,
                  struct dtx_error *err)
{
    bool *is_on = field;
    static const char *const words[] = {"0", "no", "false", "1", "yes", "true"};

    if (value == NULL) {
        *is_on = true;
        return DTX_OK;
    }
    for (int i = 0; i < 6; i++) {
        if (strcmp(value, words[i]) == 0) {
            *is_on = i >= 3;
            return DTX_OK;
        }
    }
    dtx_error_set(err, DTX_ERR_INVALID, "%s: unknown value '%s'", origin,
                  value);
    dtx_error_hint(err, "it is 1 or 0");
    return DTX_ERR_INVALID;
}
