#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/files.h"
#include "store.h"

static void
expect_text(const char *path, const char *want)
{
    char got[64] = "";
    FILE *file = fopen(path, "r");

    cr_assert_not_null(file);
    fread(got, 1, sizeof got - 1, file);
    fclose(file);
    cr_assert_str_eq(got, want);
}

Test(files, text_is_written_whole_over_what_was_there)
{
    struct store s;
    const char *path;

    cr_assert(store_begin(&s));
    path = store_path(&s, "new/folder/manifest.yaml");
    cr_assert_eq(
        s.storage->ops->write_text(s.storage, path, "long text", &s.err),
        DTX_OK, "%s", s.err.message);
    expect_text(path, "long text");
    cr_assert_eq(s.storage->ops->write_text(s.storage, path, "short", &s.err),
                 DTX_OK);
    expect_text(path, "short");
    cr_assert_not(
        dtx_file_exists(store_path(&s, "new/folder/manifest.yaml.tmp")));
    store_finish(&s);
}

Test(files, text_that_cant_be_written_leaves_the_old_one)
{
    struct store s;

    cr_assert(store_begin(&s));
    mkdir(store_path(&s, "is-folder"), 0777);
    mkdir(store_path(&s, "is-folder/full"), 0777);
    cr_assert_eq(
        dtx_file_write_text(store_path(&s, "is-folder"), "text", &s.err),
        DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "cannot rename") != NULL);
    cr_assert(dtx_file_exists(store_path(&s, "is-folder/full")));
    cr_assert_not(dtx_file_exists(store_path(&s, "is-folder.tmp")));
    store_finish(&s);
}

Test(files, a_link_is_removed_and_what_it_leads_to_stays)
{
    struct store s;
    const char *text;
    const char *link;

    cr_assert(store_begin(&s));
    text = store_path(&s, "text");
    link = store_path(&s, "link");
    cr_assert_eq(dtx_file_write_text(text, "text", &s.err), DTX_OK);
    cr_assert_eq(symlink(text, link), 0);
    s.storage->ops->remove(s.storage, link);
    s.storage->ops->remove(s.storage, link);
    cr_assert_not(s.storage->ops->exists(s.storage, link));
    expect_text(text, "text");
    cr_assert_eq(symlink("nowhere", link), 0);
    cr_assert(s.storage->ops->exists(s.storage, link),
              "a dangling link stands");
    cr_assert_eq(s.storage->ops->size(s.storage, link), -1);
    cr_assert_eq(s.storage->ops->size(s.storage, text), 4);
    cr_assert_eq(s.storage->ops->size(s.storage, s.folder), -1);
    store_finish(&s);
}

Test(files, a_rename_that_fails_names_both)
{
    struct store s;

    cr_assert(store_begin(&s));
    cr_assert_eq(s.storage->ops->commit(s.storage, store_path(&s, "from"),
                                        store_path(&s, "to"), &s.err),
                 DTX_ERR_TARGET);
    cr_assert(strstr(s.err.message, "/from' to '") != NULL, "%s",
              s.err.message);
    cr_assert(strstr(s.err.message, ": no such file or directory") != NULL);
    store_finish(&s);
}

Test(files, paths_without_a_folder_are_in_the_working_folder)
{
    struct store s;

    cr_assert(store_begin(&s));
    cr_assert_eq(chdir(s.folder), 0);
    cr_assert_eq(dtx_file_write_text("plain", "text", &s.err), DTX_OK, "%s",
                 s.err.message);
    expect_text("plain", "text");
    cr_assert_eq(dtx_file_make_folders("plain2", NULL, &s.err), DTX_OK);
    cr_assert_not(dtx_file_exists("plain2"));
    cr_assert_eq(chdir("/"), 0);
    store_finish(&s);
}

Test(files, reasons_are_in_lower_case)
{
    char text[DTX_REASON_TEXT];

    cr_assert_str_eq(dtx_file_reason(EACCES, text), "permission denied");
    cr_assert_str_eq(dtx_file_reason(EROFS, text), "read-only file system");
}
