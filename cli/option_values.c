/*
 * From the text of an option to its value.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static enum dtx_status
set_strategy(struct arguments *arguments, const char *origin, const char *value,
             struct dtx_error *err)
{
    const char *known[DTX_STRATEGY_COUNT];

    if (dtx_strategy_find(value, &arguments->strategy)) {
        return DTX_OK;
    }
    for (int s = 0; s < DTX_STRATEGY_COUNT; s++) {
        known[s] = dtx_strategy_name((enum dtx_strategy)s);
    }
    return refuse_word(origin, value, known, DTX_STRATEGY_COUNT, err);
}

static enum dtx_status
set_map(struct arguments *arguments, const char *origin, const char *value,
        struct dtx_error *err)
{
    const char *known[DTX_MAP_COUNT];

    if (dtx_map_find(value, &arguments->map)) {
        return DTX_OK;
    }
    for (int m = 0; m < DTX_MAP_COUNT; m++) {
        known[m] = dtx_map_name((enum dtx_map)m);
    }
    return refuse_word(origin, value, known, DTX_MAP_COUNT, err);
}

static enum dtx_status
set_transport(struct arguments *arguments, const char *origin,
              const char *value, struct dtx_error *err)
{
    const char *known[DTX_CARRIER_CUDA + 1];

    for (int c = 0; c <= DTX_CARRIER_CUDA; c++) {
        known[c] = dtx_carrier_name((enum dtx_carrier)c);
        if (strcmp(value, known[c]) == 0) {
            arguments->transport = (enum dtx_carrier)c;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, known, DTX_CARRIER_CUDA + 1, err);
}

static enum dtx_status
set_device(struct arguments *arguments, const char *origin, const char *value,
           struct dtx_error *err)
{
    const char *known[DTX_DEVICE_CUDA + 1];

    for (int k = 0; k <= DTX_DEVICE_CUDA; k++) {
        known[k] = dtx_device_kind_name((enum dtx_device_kind)k);
        if (strcmp(value, known[k]) == 0) {
            arguments->device = (enum dtx_device_kind)k;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, known, DTX_DEVICE_CUDA + 1, err);
}

static enum dtx_status
set_progress(struct arguments *arguments, const char *origin, const char *value,
             struct dtx_error *err)
{
    static const char *const names[] = {[PROGRESS_AUTO] = "auto",
                                        [PROGRESS_PLAIN] = "plain",
                                        [PROGRESS_BAR] = "bar",
                                        [PROGRESS_NONE] = "none"};

    for (int i = 0; i <= PROGRESS_NONE; i++) {
        if (strcmp(value, names[i]) == 0) {
            arguments->progress = (enum progress_mode)i;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, names, PROGRESS_NONE + 1, err);
}

static enum dtx_status
set_check_replicas(struct arguments *arguments, const char *origin,
                   const char *value, struct dtx_error *err)
{
    static const char *const names[] = {[DTX_CHECK_REPLICAS_SAMPLE] = "sample",
                                        [DTX_CHECK_REPLICAS_ALL] = "all",
                                        [DTX_CHECK_REPLICAS_NONE] = "none"};

    for (int i = 0; i <= DTX_CHECK_REPLICAS_NONE; i++) {
        if (strcmp(value, names[i]) == 0) {
            arguments->check_replicas = (enum dtx_check_replicas)i;
            return DTX_OK;
        }
    }
    return refuse_word(origin, value, names, DTX_CHECK_REPLICAS_NONE + 1, err);
}

static enum dtx_status
set_memory(struct arguments *arguments, const char *origin, const char *value,
           struct dtx_error *err)
{
    uint64_t bytes;

    if (!dtx_size_parse(value, &bytes) || bytes == 0) {
        dtx_error_set(err, DTX_ERR_INVALID, "%s: '%s' is not a size", origin,
                      value);
        dtx_error_hint(err, "sizes are written as 256MiB, 4GiB or 1.5G");
        return DTX_ERR_INVALID;
    }
    arguments->memory_bytes = bytes;
    return DTX_OK;
}

static enum dtx_status
set_procs(struct arguments *arguments, const char *origin, const char *value,
          struct dtx_error *err)
{
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
    arguments->process_count = (int)count;
    return DTX_OK;
}

static enum dtx_status
set_checkpoint_every(struct arguments *arguments, const char *origin,
                     const char *value, struct dtx_error *err)
{
    char *end;
    long seconds = strtol(value, &end, 10);

    if (end == value || *end != '\0' || seconds < 0 || seconds > SECONDS_MAX) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "%s: '%s' is not a number of seconds", origin, value);
        dtx_error_hint(err, "it is 0 (as often as possible) to %d",
                       SECONDS_MAX);
        return DTX_ERR_INVALID;
    }
    arguments->checkpoint_seconds = seconds == 0 ? -1 : (int)seconds;
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
static enum dtx_status
set_processes(struct processes *list, const char *origin, const char *value,
              struct dtx_error *err)
{
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

/* Globs of the command line take the place of the environment's. */
static enum dtx_status
add_glob(struct globs *globs, const char *origin, const char *value,
         struct dtx_error *err)
{
    bool is_from_environment = strncmp(origin, "--", 2) != 0;
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

/* The name of a file. */
static enum dtx_status
set_file(const char **name, const char *origin, const char *value,
         struct dtx_error *err)
{
    if (*value == '\0') {
        return dtx_error_set(err, DTX_ERR_INVALID, "%s: the name is empty",
                             origin);
    }
    *name = value;
    return DTX_OK;
}

/* A switch; the environment can turn it off too. */
static enum dtx_status
set_switch(bool *is_on, const char *origin, const char *value,
           struct dtx_error *err)
{
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

/* What a switch turns on, or NULL for other options. */
static bool *
switch_of(struct arguments *arguments, enum option_id id)
{
    const struct {
        enum option_id id;
        bool *is_on;
    } switches[] = {
        {OPTION_CACHED, &arguments->is_cached},
        {OPTION_DRY_RUN, &arguments->is_dry_run},
        {OPTION_JSON, &arguments->is_json},
        {OPTION_FORCE, &arguments->is_forced},
        {OPTION_RESUME, &arguments->is_resumed},
        {OPTION_VERIFY, &arguments->is_verified},
        {OPTION_QUIET, &arguments->is_quiet},
        {OPTION_VERBOSE, &arguments->is_verbose},
        {OPTION_HELP, &arguments->wants_help},
        {OPTION_VERSION, &arguments->wants_version},
    };

    for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++) {
        if (switches[i].id == id) {
            return switches[i].is_on;
        }
    }
    return NULL;
}

enum dtx_status
argument_set(struct arguments *arguments, const struct option_entry *entry,
             const char *origin, const char *value, struct dtx_error *err)
{
    bool *is_on = switch_of(arguments, entry->id);

    if (is_on != NULL) {
        return set_switch(is_on, origin, value, err);
    }
    switch (entry->id) {
    case OPTION_STRATEGY:
        return set_strategy(arguments, origin, value, err);
    case OPTION_MEMORY:
        return set_memory(arguments, origin, value, err);
    case OPTION_MAP:
        return set_map(arguments, origin, value, err);
    case OPTION_INCLUDE:
        return add_glob(&arguments->include, origin, value, err);
    case OPTION_EXCLUDE:
        return add_glob(&arguments->exclude, origin, value, err);
    case OPTION_PROCS:
        return set_procs(arguments, origin, value, err);
    case OPTION_SRC_PROCS:
        return set_processes(&arguments->src_procs, origin, value, err);
    case OPTION_DST_PROCS:
        return set_processes(&arguments->dst_procs, origin, value, err);
    case OPTION_TRANSFERS:
        return set_file(&arguments->transfers, origin, value, err);
    case OPTION_HTML:
        return set_file(&arguments->html, origin, value, err);
    case OPTION_RANKFILE:
        return set_file(&arguments->rankfile, origin, value, err);
    case OPTION_HOSTS:
        arguments->is_hosts_from_environment = strncmp(origin, "--", 2) != 0;
        return set_file(&arguments->hosts, origin, value, err);
    case OPTION_MACHINE:
        return set_file(&arguments->machine, origin, value, err);
    case OPTION_MESH:
        return mesh_argument_set(&arguments->mesh, origin, value, err);
    case OPTION_LIKE:
        return set_file(&arguments->like, origin, value, err);
    case OPTION_CATALOG:
        return set_file(&arguments->catalog, origin, value, err);
    case OPTION_PATH:
        return set_file(&arguments->path, origin, value, err);
    case OPTION_OUTPUT:
        return set_file(&arguments->output, origin, value, err);
    case OPTION_TENSOR:
        return set_file(&arguments->tensor, origin, value, err);
    case OPTION_CHECK_REPLICAS:
        return set_check_replicas(arguments, origin, value, err);
    case OPTION_PROGRESS:
        return set_progress(arguments, origin, value, err);
    case OPTION_CHECKPOINT_EVERY:
        return set_checkpoint_every(arguments, origin, value, err);
    case OPTION_TRANSPORT:
        return set_transport(arguments, origin, value, err);
    case OPTION_DEVICE:
        return set_device(arguments, origin, value, err);
    case OPTION_CACHED:
    case OPTION_DRY_RUN:
    case OPTION_JSON:
    case OPTION_FORCE:
    case OPTION_RESUME:
    case OPTION_VERIFY:
    case OPTION_QUIET:
    case OPTION_VERBOSE:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_COUNT:
        break;
    }
    return DTX_OK;
}
