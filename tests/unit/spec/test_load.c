/*
 * What can stand on the command line for a layout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

static const char manifest[] = "dtx: {manifest: 1}\n"
                               "checkpoint: {path: \"rank-{rank}.h5\"}\n"
                               "tensors: []\n";

static void
write_bytes(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void
write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* Each test works in a folder of its own. */
static void
enter_folder(void)
{
    char folder[] = "/tmp/dtx-spec-XXXXXX";

    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void
leave_folder(void)
{
    char folder[512];
    char command[600];

    cr_assert_not_null(getcwd(folder, sizeof folder));
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(spec_load, .init = enter_folder, .fini = leave_folder);

static void
expect_loaded(const char *path, const char *file, const char *folder)
{
    struct parsed p = load_as(path, DTX_SOURCE);

    cr_assert_eq(p.status, DTX_OK, "%s: %s\n%s", path, p.err.message,
                 p.drawing);
    cr_expect_str_eq(p.layout->file, file);
    cr_expect_str_eq(p.layout->folder, folder);
    parsed_finish(&p);
}

static void
expect_refused(const char *path, enum dtx_role role, enum dtx_status status,
               const char *words)
{
    struct parsed p = load_as(path, role);

    cr_expect_eq(p.status, status, "%s", path);
    cr_expect_null(p.layout);
    cr_expect_eq(p.error_count, 0);
    cr_expect_not_null(strstr(p.err.message, words), "%s", p.err.message);
    parsed_finish(&p);
}

Test(spec_load, paths_are_relative_to_the_files_folder)
{
    char absolute[600];
    char here[512];

    write_text("a.yaml", manifest);
    cr_assert_eq(mkdir("sub", 0777), 0);
    write_text("sub/a.yaml", manifest);
    expect_loaded("a.yaml", "a.yaml", ".");
    expect_loaded("./a.yaml", "./a.yaml", ".");
    expect_loaded("sub/a.yaml", "sub/a.yaml", "sub");
    cr_assert_not_null(getcwd(here, sizeof here));
    snprintf(absolute, sizeof absolute, "%s/a.yaml", here);
    expect_loaded(absolute, absolute, here);
}

Test(spec_load, a_folder_means_its_manifest)
{
    cr_assert_eq(mkdir("step", 0777), 0);
    expect_refused("step", DTX_SOURCE, DTX_ERR_SOURCE, "step/manifest.yaml");
    write_text("step/manifest.yaml", manifest);
    expect_loaded("step", "step/manifest.yaml", "step");
    expect_loaded("step/", "step/manifest.yaml", "step");
    expect_refused("step", DTX_TARGET, DTX_ERR_INVALID, "a folder");
}

Test(spec_load, a_file_of_data_means_the_manifest_beside_it)
{
    write_bytes("a.h5", "\x89HDF\r\n\x1a\n\0\0\0", 11);
    expect_refused("a.h5", DTX_SOURCE, DTX_ERR_SOURCE, "a.h5.manifest.yaml");
    write_text("a.h5.manifest.yaml", manifest);
    expect_loaded("a.h5", "a.h5.manifest.yaml", ".");
    expect_refused("a.h5", DTX_TARGET, DTX_ERR_INVALID, "an HDF5 file");
}

Test(spec_load, nobody_waits_for_a_manifest_that_is_a_pipe)
{
    cr_assert_eq(mkdir("step", 0777), 0);
    cr_assert_eq(mkfifo("step/manifest.yaml", 0666), 0);
    write_bytes("a.h5", "\x89HDF\r\n\x1a\n\0\0\0", 11);
    cr_assert_eq(mkfifo("a.h5.manifest.yaml", 0666), 0);
    expect_refused("step", DTX_SOURCE, DTX_ERR_SOURCE, "step/manifest.yaml");
    expect_refused("a.h5", DTX_SOURCE, DTX_ERR_SOURCE, "a.h5.manifest.yaml");
}

Test(spec_load, nobody_waits_for_a_catalog_that_is_a_pipe)
{
    struct dtx_catalog *catalog = NULL;
    struct dtx_error err = {0};
    struct parsed p;

    cr_assert_eq(mkfifo("pipe", 0666), 0);
    write_text("a.yaml",
               "checkpoint: {path: a.h5}\ntensors: []\ncatalog: pipe\n");
    p = load_as("a.yaml", DTX_SOURCE);
    cr_assert_eq(p.status, DTX_OK);
    cr_expect_eq(dtx_catalog_load_table(p.layout, NULL, &catalog, &err),
                 DTX_ERR_SOURCE);
    cr_expect_not_null(strstr(err.message, "no regular file"));
    parsed_finish(&p);
}

Test(spec_load, what_cannot_be_read_is_named)
{
    expect_refused("nix.yaml", DTX_SOURCE, DTX_ERR_SOURCE, "nix.yaml");
    expect_refused("nix.yaml", DTX_TARGET, DTX_ERR_INVALID, "nix.yaml");
    write_bytes("a.bin", "ab\0cd", 5);
    expect_refused("a.bin", DTX_SOURCE, DTX_ERR_SOURCE, "NUL");
}

Test(spec_load, an_empty_file_is_a_mistake)
{
    struct parsed p;

    write_text("a.yaml", "");
    p = load_as("a.yaml", DTX_SOURCE);
    cr_expect_eq(p.status, DTX_ERR_INVALID);
    cr_expect_eq(p.error_count, 1);
    parsed_finish(&p);
}

Test(spec_load, the_examples_are_right)
{
    static const char *const files[] = {"minimal/src.yaml", "minimal/dst.yaml",
                                        "gpt2/src.yaml", "gpt2/dst.yaml"};
    char path[600];

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct parsed p;

        snprintf(path, sizeof path, CONFIGS "/%s", files[i]);
        p = load_as(path, i % 2 == 0 ? DTX_SOURCE : DTX_TARGET);
        cr_expect_eq(p.status, DTX_OK, "%s\n%s", path, p.drawing);
        cr_expect_eq(p.warning_count, 0, "%s\n%s", path, p.drawing);
        parsed_finish(&p);
    }
}
