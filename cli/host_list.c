#include "host_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

enum { HOSTS_MOST = 1 << 20, LINE_TEXT = 1024 };

void
host_list_finish(struct host_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        dtx_free(list->hosts[i].name);
    }
    dtx_free(list->hosts);
    *list = (struct host_list){0};
}

static enum dtx_status
add_host(struct host_list *list, const char *name, int places,
         struct dtx_error *err)
{
    struct host host = {dtx_strdup(name), places};

    if (list->count >= HOSTS_MOST) {
        dtx_free(host.name);
        return dtx_error_set(err, DTX_ERR_LIMIT, "more than %d hosts",
                             HOSTS_MOST);
    }
    if (host.name == NULL || dtx_grow(&list->hosts, list->count,
                                      &list->capacity, sizeof(host)) != 0) {
        dtx_free(host.name);
        return dtx_error_memory(err);
    }
    list->hosts[list->count++] = host;
    return DTX_OK;
}

/* A number of places; 0 where it isn't one. */
static int
read_places(const char *text)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 &&
                   number <= HOSTS_MOST
               ? (int)number
               : 0;
}

/* ------------------------------------------------------------------- files */

/* Cuts a word off the front of a line; "" at its end. */
static char *
next_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r\n");
    size_t length = strcspn(word, " \t\r\n");

    *line = word + length + (word[length] != '\0');
    word[length] = '\0';
    return word;
}

/* Adds what a line says; false where that makes no sense. */
static bool
read_line(char *line, const char **name_out, int *places_out)
{
    char *word;
    char *colon;

    line[strcspn(line, "#")] = '\0';
    word = next_word(&line);
    *name_out = word;
    *places_out = 0;
    if (*word == '\0') {
        return true;
    }
    colon = strchr(word, ':');
    if (colon != NULL) {
        *colon = '\0';
        *places_out = read_places(colon + 1);
        return *word != '\0' && *places_out > 0;
    }
    word = next_word(&line);
    if (*word == '\0') {
        return true;
    }
    if (strncmp(word, "slots=", 6) == 0) {
        *places_out = read_places(word + 6);
    }
    return *places_out > 0 && *next_word(&line) == '\0';
}

static enum dtx_status
read_lines(struct host_list *list, FILE *file, const char *path,
           struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    char line[LINE_TEXT];

    for (int number = 1;
         status == DTX_OK && fgets(line, sizeof(line), file) != NULL;
         number++) {
        const char *name;
        int places;

        if (!read_line(line, &name, &places)) {
            dtx_error_set(err, DTX_ERR_INVALID, "%s:%d: not a host", path,
                          number);
            dtx_error_hint(err, "a line is 'gpu01' or 'gpu01:8'");
            return DTX_ERR_INVALID;
        }
        if (*name != '\0') {
            status = add_host(list, name, places, err);
        }
    }
    return status;
}

enum dtx_status
host_list_read(struct host_list *list, const char *path, struct dtx_error *err)
{
    FILE *file = fopen(path, "re");
    enum dtx_status status;

    if (file == NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID, "cannot read '%s': %s", path,
                             strerror(errno));
    }
    status = read_lines(list, file, path, err);
    if (status == DTX_OK && ferror(file)) {
        status = dtx_error_set(err, DTX_ERR_INVALID, "cannot read '%s'", path);
    }
    fclose(file);
    if (status == DTX_OK && list->count == 0) {
        status =
            dtx_error_set(err, DTX_ERR_INVALID, "'%s' names no host", path);
    }
    return status;
}

/* ------------------------------------------------------------------- slurm */

/* A name that is being put together. */
struct expansion {
    struct host_list *list;
    struct dtx_text name;
    struct dtx_error *err;
};

static enum dtx_status
refuse_nodes(struct dtx_error *err)
{
    return dtx_error_set(err, DTX_ERR_INVALID,
                         "cannot make out Slurm's list of nodes");
}

/* The end of a range list, or of a name: what stands in brackets is one. */
static const char *
end_of_name(const char *text)
{
    int depth = 0;

    while (*text != '\0' && (depth > 0 || *text != ',')) {
        depth += (*text == '[') - (*text == ']');
        text++;
    }
    return text;
}

static enum dtx_status expand_rest(struct expansion *e, const char *text,
                                   const char *end);

/* Names all numbers of a range "01-03" or "7", as wide as its first. */
static enum dtx_status
expand_range(struct expansion *e, const char *range, const char *rest,
             const char *end)
{
    size_t length = e->name.length;
    int width = (int)strspn(range, "0123456789");
    char *stop;
    long first = strtol(range, &stop, 10);
    long last = *stop == '-' ? strtol(stop + 1, &stop, 10) : first;
    enum dtx_status status = DTX_OK;

    if (width == 0 || (*stop != ',' && *stop != ']') || last < first ||
        last - first > HOSTS_MOST) {
        return refuse_nodes(e->err);
    }
    for (long number = first; number <= last && status == DTX_OK; number++) {
        dtx_text_format(&e->name, "%0*ld", width, number);
        status = expand_rest(e, rest, end);
        if (!e->name.failed) {
            e->name.length = length;
            e->name.data[length] = '\0';
        }
    }
    return status;
}

/* Adds all names that the text up to end stands for, after what the name has
 * already. */
static enum dtx_status
expand_rest(struct expansion *e, const char *text, const char *end)
{
    const char *bracket = memchr(text, '[', (size_t)(end - text));
    const char *close;
    enum dtx_status status = DTX_OK;

    dtx_text_add_bytes(&e->name, text,
                       (size_t)((bracket != NULL ? bracket : end) - text));
    if (e->name.failed) {
        return dtx_error_memory(e->err);
    }
    if (bracket == NULL) {
        return add_host(e->list, e->name.data, 0, e->err);
    }
    close = memchr(bracket, ']', (size_t)(end - bracket));
    if (close == NULL) {
        return refuse_nodes(e->err);
    }
    for (const char *range = bracket + 1; range <= close && status == DTX_OK;
         range += strcspn(range, ",]") + 1) {
        status = expand_range(e, range, close + 1, end);
    }
    return status;
}

/* Sets the places of the hosts from "8(x3),4". */
static enum dtx_status
set_places(struct host_list *list, const char *places, struct dtx_error *err)
{
    size_t at = 0;

    while (*places != '\0') {
        char *stop;
        long number = strtol(places, &stop, 10);
        long times = 1;

        if (strncmp(stop, "(x", 2) == 0) {
            times = strtol(stop + 2, &stop, 10);
            if (*stop++ != ')') {
                return refuse_nodes(err);
            }
        }
        if (stop == places || number < 1 || number > HOSTS_MOST || times < 1 ||
            (*stop != ',' && *stop != '\0')) {
            return refuse_nodes(err);
        }
        for (; times > 0 && at < list->count; times--) {
            list->hosts[at++].places = (int)number;
        }
        places = stop + (*stop == ',');
    }
    return at == list->count ? DTX_OK : refuse_nodes(err);
}

enum dtx_status
host_list_expand(struct host_list *list, const char *nodes, const char *places,
                 struct dtx_error *err)
{
    struct expansion e = {.list = list, .err = err};
    enum dtx_status status = DTX_OK;

    while (*nodes != '\0' && status == DTX_OK) {
        const char *end = end_of_name(nodes);

        e.name.length = 0;
        status = expand_rest(&e, nodes, end);
        nodes = end + (*end == ',');
    }
    dtx_text_finish(&e.name);
    if (status == DTX_OK && list->count == 0) {
        status = refuse_nodes(err);
    }
    return status == DTX_OK && places != NULL ? set_places(list, places, err)
                                              : status;
}

/* ------------------------------------------------------------------ places */

enum dtx_status
host_list_place(const struct host_list *list, int process_count, int *hosts_out,
                struct dtx_error *err)
{
    int64_t said = 0;
    int64_t place = 0;
    int process = 0;

    for (size_t i = 0; i < list->count; i++) {
        said += list->hosts[i].places;
    }
    if (said == 0 && list->count < (size_t)process_count) {
        for (; process < process_count; process++) {
            hosts_out[process] =
                (int)((int64_t)process * (int64_t)list->count / process_count);
        }
        return DTX_OK;
    }
    for (size_t i = 0; i < list->count; i++) {
        place += list->hosts[i].places > 0 ? list->hosts[i].places : 1;
        for (; process < process_count && process < place; process++) {
            hosts_out[process] = (int)i;
        }
    }
    if (process < process_count) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "the hosts have places for %d of %d processes", process,
                      process_count);
        dtx_error_hint(err, "--procs plans for fewer");
        return DTX_ERR_INVALID;
    }
    return DTX_OK;
}
