#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host_list.h"

/* The names of a list, "a b b". Static text. */
static const char *
names(const struct host_list *list)
{
    static char text[1024];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i > 0 ? " " : "", list->hosts[i].name);
    }
    return text;
}

/* The hosts of processes, "0 0 1", or "refused". Static text. */
static const char *
places(const struct host_list *list, int process_count)
{
    static char text[1024];
    int hosts[64];
    struct dtx_error err;
    size_t used = 0;

    if (host_list_place(list, process_count, hosts, &err) != DTX_OK) {
        return "refused";
    }
    for (int i = 0; i < process_count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d",
                                 i > 0 ? " " : "", hosts[i]);
    }
    return text;
}

static void
check_nodes(const char *nodes, const char *expected)
{
    struct host_list list = {0};
    struct dtx_error err = {0};

    cr_assert_eq(host_list_expand(&list, nodes, NULL, &err), DTX_OK, "%s: %s",
                 nodes, err.message);
    cr_assert_str_eq(names(&list), expected, "%s", nodes);
    host_list_finish(&list);
}

Test(host_list, lists_of_nodes_are_written_out)
{
    check_nodes("login", "login");
    check_nodes("a,b-2", "a b-2");
    check_nodes("gpu[01-03,007],login", "gpu01 gpu02 gpu03 gpu007 login");
    check_nodes("n[9-11]", "n9 n10 n11");
    check_nodes("r[1-2]n[5,7].site", "r1n5.site r1n7.site r2n5.site r2n7.site");
}

Test(host_list, what_is_no_list_of_nodes_is_refused)
{
    static const char *const wrong[] = {"",       "n[1",   "n[]",
                                        "n[3-1]", "n[a]",  "n[1-]",
                                        "n[1;2]", "n[1,]", "n[-1]"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct host_list list = {0};
        struct dtx_error err = {0};

        cr_assert_eq(host_list_expand(&list, wrong[i], NULL, &err),
                     DTX_ERR_INVALID, "%s", wrong[i]);
        host_list_finish(&list);
    }
}

static void
check_tasks(const char *tasks, const char *expected)
{
    struct host_list list = {0};
    struct dtx_error err = {0};
    enum dtx_status status = host_list_expand(&list, "n[1-3]", tasks, &err);

    cr_assert_eq(status, expected != NULL ? DTX_OK : DTX_ERR_INVALID, "%s",
                 tasks);
    if (expected != NULL) {
        cr_assert_str_eq(places(&list, 5), expected, "%s", tasks);
    }
    host_list_finish(&list);
}

Test(host_list, places_of_nodes_are_filled_in_turn)
{
    check_tasks("2(x3)", "0 0 1 1 2");
    check_tasks("1,3(x2)", "0 1 1 1 2");
    check_tasks("8,1,1", "0 0 0 0 0");
    check_tasks(NULL, "0 0 1 1 2");
    check_tasks("1(x3)", "refused");
    check_tasks("2(x2)", NULL);
    check_tasks("two", NULL);
    check_tasks("0,1,2", NULL);
    check_tasks("2(x3", NULL);
}

/* A list from a file of some text; the file is gone afterwards. */
static enum dtx_status
read_text(const char *text, struct host_list *list, struct dtx_error *err)
{
    char path[] = "/tmp/dtx-hosts-XXXXXX";
    int fd = mkstemp(path);
    enum dtx_status status;

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    *list = (struct host_list){0};
    status = host_list_read(list, path, err);
    unlink(path);
    return status;
}

static void
check_file(const char *text, int process_count, const char *expected)
{
    struct host_list list;
    struct dtx_error err = {0};

    cr_assert_eq(read_text(text, &list, &err), DTX_OK, "%s", err.message);
    cr_assert_str_eq(places(&list, process_count), expected, "%s", text);
    host_list_finish(&list);
}

Test(host_list, files_name_hosts_with_or_without_places)
{
    check_file("a\nb\n", 4, "0 0 1 1");
    check_file("a\nb\n", 3, "0 0 1");
    check_file("# two\na:3\n\n  b:1 # small", 4, "0 0 0 1");
    check_file("a slots=1\nb\tslots=2\r\n", 3, "0 1 1");
    check_file("a\nb\na\nb\n", 3, "0 1 2");
    check_file("a:2\nb\n", 4, "refused");
}

Test(host_list, files_that_name_no_hosts_are_refused)
{
    static const char *const wrong[] = {"",      "# none\n", "a:\n",
                                        "a:x\n", "a b\n",    "a slots=\n",
                                        ":2\n",  "a:0\n",    "a slots=2 b\n"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct host_list list;
        struct dtx_error err = {0};

        cr_assert_eq(read_text(wrong[i], &list, &err), DTX_ERR_INVALID, "%s",
                     wrong[i]);
        host_list_finish(&list);
    }
}
