#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/math.h"

enum { PATH_TEXT = 4096 };

#define LEAST_BYTES ((uint64_t)16 << 20)

/* A number in a file; UINT64_MAX where it says "max" or can't be read. */
static uint64_t
read_limit(const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t limit = UINT64_MAX;
    char line[64];
    char *end;

    if (file == NULL) {
        return UINT64_MAX;
    }
    if (fgets(line, sizeof(line), file) != NULL) {
        errno = 0;
        limit = strtoull(line, &end, 10);
        if (end == line || errno != 0) {
            limit = UINT64_MAX;
        }
    }
    fclose(file);
    return limit;
}

/* The least limit of a group and its parents; group begins with '/', and is
 * cut short. What can't be seen from here (a container) has no limit. */
static uint64_t
walk_up(const char *mount, char *group, const char *file)
{
    uint64_t least = UINT64_MAX;

    for (;;) {
        char path[2 * PATH_TEXT];
        uint64_t limit;
        char *slash = strrchr(group, '/');

        snprintf(path, sizeof(path), "%s%s/%s", mount, group, file);
        limit = read_limit(path);
        least = limit < least ? limit : least;
        if (slash == NULL) {
            return least;
        }
        *slash = '\0';
    }
}

/* True where a list "cpu,memory" names the memory controller. */
static bool
names_memory(const char *controllers, size_t length)
{
    static const char word[] = "memory";

    for (size_t at = 0; at < length;) {
        size_t end = at + strcspn(controllers + at, ",:");

        if (end - at == strlen(word) &&
            strncmp(controllers + at, word, end - at) == 0) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

/* The limit that one line of /proc/self/cgroup leads to: "0::/group" in
 * version 2, "4:memory:/group" in version 1. */
static uint64_t
line_limit(const char *root, char *line)
{
    char mount[PATH_TEXT];
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

    if (group == NULL) {
        return UINT64_MAX;
    }
    line[strcspn(line, "\n")] = '\0';
    controllers++;
    if (controllers == group) {
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
        return walk_up(mount, group + 1, "memory.max");
    }
    if (!names_memory(controllers, (size_t)(group - controllers))) {
        return UINT64_MAX;
    }
    snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/memory", root);
    return walk_up(mount, group + 1, "memory.limit_in_bytes");
}

uint64_t
memory_group_limit(const char *root)
{
    uint64_t least = UINT64_MAX;
    char line[PATH_TEXT];
    FILE *file;

    snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
    file = fopen(line, "re");
    if (file == NULL) {
        return UINT64_MAX;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        uint64_t limit = line_limit(root, line);

        least = limit < least ? limit : least;
    }
    fclose(file);
    return least;
}

/* A number in the environment; 0 where there is none. */
static uint64_t
variable_number(const char *name)
{
    const char *value = getenv(name);
    uint64_t number;
    char *end;

    if (value == NULL || *value < '0' || *value > '9') {
        return 0;
    }
    errno = 0;
    number = strtoull(value, &end, 10);
    return *end == '\0' && errno == 0 ? number : 0;
}

uint64_t
memory_job_limit(void)
{
    static const struct {
        const char *memory; /* in MiB */
        const char *units;  /* how often a node has that; NULL: once */
    } limits[] = {{"SLURM_MEM_PER_NODE", NULL},
                  {"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"},
                  {"SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE"}};
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        uint64_t bytes, mebibytes = variable_number(limits[i].memory);
        uint64_t units =
            limits[i].units == NULL ? 1 : variable_number(limits[i].units);

        /* 0 stands for all that the node has. */
        if (!dtx_mul_overflows(mebibytes, units << 20, &bytes) && bytes > 0) {
            least = bytes < least ? bytes : least;
        }
    }
    return least;
}

uint64_t
memory_of_node(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t limit = memory_group_limit("");
    uint64_t job_limit = memory_job_limit();
    uint64_t bytes = UINT64_MAX;

    if (pages > 0 && page_bytes > 0) {
        bytes = (uint64_t)pages * (uint64_t)page_bytes;
    }
    bytes = limit < bytes ? limit : bytes;
    return job_limit < bytes ? job_limit : bytes;
}

uint64_t
memory_default(uint64_t node_bytes, int node_process_count)
{
    uint64_t share = node_bytes / 4 / (uint64_t)node_process_count;

    return share > LEAST_BYTES ? share : LEAST_BYTES;
}

enum dtx_status
memory_choose(struct session *session, const struct arguments *arguments,
              int process_count, uint64_t *bytes_out, struct dtx_error *err)
{
    int node_count =
        session->uses_mpi ? session->node_process_count : process_count;
    uint64_t own = arguments->memory_bytes;
    int64_t least;
    enum dtx_status status;

    if (own == 0) {
        own = memory_default(memory_of_node(), node_count);
    }
    if (own > INT64_MAX) {
        own = INT64_MAX;
    }
    status =
        dtx_transport_maximum(session->transport, -(int64_t)own, &least, err);
    if (status == DTX_OK) {
        *bytes_out = (uint64_t)-least;
    }
    return status;
}
