#include "rankfile.h"

#include <stdlib.h>
#include <string.h>

#include "host_list.h"
#include "output.h"
#include "util/alloc.h"
#include "util/error.h"

static enum dtx_status
find_hosts(struct host_list *list, const struct arguments *arguments,
           struct dtx_error *err)
{
    const char *nodes = getenv("SLURM_JOB_NODELIST");

    if (arguments->hosts.path != NULL) {
        return host_list_read(list, arguments->hosts.path, err);
    }
    if (nodes != NULL && *nodes != '\0') {
        return host_list_expand(list, nodes, getenv("SLURM_TASKS_PER_NODE"),
                                err);
    }
    dtx_error_set(err, DTX_ERR_INVALID,
                  "cannot tell on which hosts the processes run");
    dtx_error_hint(err, "--hosts names a file of them; within a Slurm "
                        "allocation they are known");
    return DTX_ERR_INVALID;
}

struct ranked {
    int64_t rank;
    int position;
};

static int
compare_ranks(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* The positions of a mesh in the order of their ranks; NULL when out of
 * memory. */
static struct ranked *
sort_ranks(const struct dtx_layout *layout)
{
    int count = dtx_layout_rank_count(layout);
    struct ranked *ranks = dtx_alloc((size_t)count, sizeof(*ranks));

    for (int i = 0; i < count && ranks != NULL; i++) {
        ranks[i] = (struct ranked){dtx_layout_rank(layout, i), i};
    }
    if (ranks != NULL) {
        qsort(ranks, (size_t)count, sizeof(*ranks), compare_ranks);
    }
    return ranks;
}

static void
add_lines(const struct dtx_plan *plan, const struct dtx_layout *target,
          const struct host_list *list, const int *hosts,
          const struct ranked *ranks, struct output *output)
{
    const int *processes = dtx_plan_target_processes(plan);
    int count = dtx_layout_rank_count(target);

    for (int i = 0; i < count; i++) {
        const char *name =
            list->hosts[hosts[processes[ranks[i].position]]].name;

        output_add(output, name, strlen(name));
        output_add(output, "\n", 1);
    }
}

static enum dtx_status
write_file(const struct dtx_plan *plan, const struct dtx_layout *target,
           const struct host_list *list, const char *path,
           struct dtx_error *err)
{
    int process_count = dtx_plan_options(plan)->process_count;
    int *hosts = dtx_alloc((size_t)process_count, sizeof(*hosts));
    struct ranked *ranks = sort_ranks(target);
    struct output output;
    enum dtx_status status =
        hosts == NULL || ranks == NULL ? dtx_error_memory(err) : DTX_OK;

    if (status == DTX_OK) {
        status = host_list_place(list, process_count, hosts, err);
    }
    if (status == DTX_OK) {
        status = output_open(&output, path, err);
    }
    if (status == DTX_OK) {
        add_lines(plan, target, list, hosts, ranks, &output);
        status = output_close(&output, err);
    }
    dtx_free(hosts);
    dtx_free(ranks);
    return status;
}

enum dtx_status
rankfile_write(const struct dtx_plan *plan, const struct dtx_layout *target,
               const struct arguments *arguments, struct dtx_error *err)
{
    struct host_list list = {0};
    enum dtx_status status = find_hosts(&list, arguments, err);

    if (status == DTX_OK) {
        status = write_file(plan, target, &list, arguments->rankfile, err);
    }
    host_list_finish(&list);
    return status;
}
