#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"

static char root[64]; /* a folder that plays the root of a file system */

static void
make_root(void)
{
    strcpy(root, "/tmp/dtx-test-memory-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static void
remove_root(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -r '%s'", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(memory, .init = make_root, .fini = remove_root);

/* Writes a file below the root, with its folders. */
static void
put(const char *path, const char *text)
{
    char name[256];
    FILE *file;

    snprintf(name, sizeof(name), "%s%s", root, path);
    for (char *slash = strchr(name + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(name, 0777);
        *slash = '/';
    }
    file = fopen(name, "w");
    cr_assert_not_null(file, "%s", name);
    cr_assert_geq(fputs(text, file), 0);
    fclose(file);
}

Test(memory, without_control_groups_there_is_no_limit)
{
    cr_assert_eq(memory_group_limit(root), UINT64_MAX);
}

Test(memory, the_least_limit_of_a_group_and_its_parents_counts)
{
    put("/proc/self/cgroup", "0::/user/job/step\n");
    put("/sys/fs/cgroup/user/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/user/job/memory.max", "4096000\n");
    put("/sys/fs/cgroup/user/memory.max", "8192000\n");
    cr_assert_eq(memory_group_limit(root), 4096000);
}

Test(memory, in_a_container_the_root_group_counts)
{
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "123456\n");
    cr_assert_eq(memory_group_limit(root), 123456);
}

Test(memory, a_group_that_cannot_be_seen_leads_to_its_parents)
{
    put("/proc/self/cgroup", "0::/hidden/elsewhere\n");
    put("/sys/fs/cgroup/memory.max", "777\n");
    cr_assert_eq(memory_group_limit(root), 777);
}

Test(memory, version_1_has_a_tree_for_memory)
{
    put("/proc/self/cgroup", "9:cpu,memory_other:/a\n"
                             "4:freezer,memory:/slurm/job_7\n1:name=x:/b\n");
    put("/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes",
        "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "5000\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n");
    cr_assert_eq(memory_group_limit(root), 5000);
}

Test(memory, lines_that_make_no_sense_are_passed_over)
{
    put("/proc/self/cgroup", "nonsense\n:\n::\n0:\n0::/g\n");
    put("/sys/fs/cgroup/g/memory.max", "lots\n");
    put("/sys/fs/cgroup/memory.max", "99\n");
    cr_assert_eq(memory_group_limit(root), 99);
}

/* The limit of a job with these settings; NULL: not set. */
static uint64_t
job_limit(const char *per_node, const char *per_cpu, const char *cpus)
{
    const char *names[] = {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
                           "SLURM_CPUS_ON_NODE", "SLURM_MEM_PER_GPU"};
    const char *values[] = {per_node, per_cpu, cpus, NULL};

    for (int i = 0; i < 4; i++) {
        if (values[i] == NULL) {
            unsetenv(names[i]);
        } else {
            setenv(names[i], values[i], 1);
        }
    }
    return memory_job_limit();
}

Test(memory, a_slurm_job_has_what_it_asked_for)
{
    cr_assert_eq(job_limit("512", NULL, "8"), (uint64_t)512 << 20);
    cr_assert_eq(job_limit(NULL, "500", "3"), (uint64_t)1500 << 20);
    cr_assert_eq(memory_of_node(), (uint64_t)1500 << 20);
}

Test(memory, a_job_that_asked_for_the_whole_node_has_no_limit)
{
    cr_assert_eq(job_limit(NULL, NULL, NULL), UINT64_MAX);
    cr_assert_eq(job_limit("0", NULL, "8"), UINT64_MAX);
    cr_assert_eq(job_limit(NULL, "0", "8"), UINT64_MAX);
}

Test(memory, what_no_number_is_says_nothing_of_a_job)
{
    cr_assert_eq(job_limit("all", "-1", "8"), UINT64_MAX);
    cr_assert_eq(job_limit("12M", "500", NULL), UINT64_MAX);
    cr_assert_eq(job_limit("99999999999999999999", NULL, NULL), UINT64_MAX);
    cr_assert_eq(job_limit(NULL, "18446744073709551615", "3"), UINT64_MAX);
}

Test(memory, the_default_is_a_quarter_shared_out)
{
    cr_assert_eq(memory_default((uint64_t)64 << 30, 4), (uint64_t)4 << 30);
    cr_assert_eq(memory_default((uint64_t)64 << 30, 1), (uint64_t)16 << 30);
}

Test(memory, the_default_has_a_least)
{
    cr_assert_eq(memory_default((uint64_t)1 << 30, 16384), (uint64_t)16 << 20);
    cr_assert_eq(memory_default(0, 1), (uint64_t)16 << 20);
}

Test(memory, this_node_has_some)
{
    cr_assert_gt(memory_of_node(), (uint64_t)1 << 20);
}
