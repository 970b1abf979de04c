/*
 * Machine files: what is written is what is read.
 */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include <dtx/machine.h>

#include "util/alloc.h"

static const struct dtx_machine rest = {
    .read_rate = 1,
    .read_rate_node = 2,
    .read_rate_total = 3,
    .read_request_seconds = 4,
    .write_rate = 5,
    .write_rate_node = 6,
    .write_rate_total = 7,
    .write_request_seconds = 8,
    .file_seconds = 9,
    .message_rate = 10,
    .network_rate = 11,
    .message_seconds = 12,
    .network_seconds = 13,
    .copy_rate = 14,
    .convert_rate = 15,
    .step_seconds = 16,
    .dataset_seconds = 17,
    .overlap_share = 0.5,
};

static struct dtx_machine
parse(const char *text)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_machine machine = rest;
    struct dtx_error err = {0};

    cr_assert_eq(dtx_machine_parse(text, "machine.yaml", list, &machine, &err),
                 DTX_OK, "%s: %s", text, err.message);
    dtx_diagnostics_destroy(list);
    return machine;
}

static bool
is_close(double a, double b)
{
    return fabs(a - b) <= 0.005 * b;
}

Test(machine, keys_left_out_keep_what_was_there)
{
    struct dtx_machine machine = parse("{}");

    cr_expect_eq(memcmp(&machine, &rest, sizeof rest), 0);
    machine = parse("file_seconds: 0.25\nprocesses_per_node: 8\n");
    cr_expect_eq(machine.file_seconds, 0.25);
    cr_expect_eq(machine.processes_per_node, 8);
    machine.file_seconds = rest.file_seconds;
    machine.processes_per_node = 0;
    cr_expect_eq(memcmp(&machine, &rest, sizeof rest), 0);
}

Test(machine, rates_can_be_sizes)
{
    cr_expect_eq(parse("copy_rate: 2500000000").copy_rate, 2.5e9);
    cr_expect_eq(parse("copy_rate: 2.5e9").copy_rate, 2.5e9);
    cr_expect_eq(parse("copy_rate: 2.5GB").copy_rate, 2.5e9);
    cr_expect_eq(parse("copy_rate: 2.5GB/s").copy_rate, 2.5e9);
    cr_expect_eq(parse("copy_rate: 4KiB/s").copy_rate, 4096);
    cr_expect_eq(parse("step_seconds: 2e-6").step_seconds, 2e-6);
}

Test(machine, rates_are_floats_for_every_yaml_reader)
{
    struct dtx_machine machine = {.read_rate = 1e7, .message_seconds = 1e-6};
    char *text = dtx_machine_text(&machine, &rest, "");

    cr_expect(strstr(text, "\nread_rate: 1.00e+07 ") != NULL, "%s", text);
    cr_expect(strstr(text, "\nmessage_seconds: 1.00e-06 ") != NULL, "%s", text);
    dtx_free(text);
}

Test(machine, what_is_written_can_be_read)
{
    struct dtx_machine machine = {.processes_per_node = 4,
                                  .read_rate = 2.1e9,
                                  .read_rate_node = 987654321,
                                  .write_rate_total = 1.5e12,
                                  .read_request_seconds = 3.21e-6,
                                  .file_seconds = 0.0123,
                                  .copy_rate = 1234,
                                  .step_seconds = 2,
                                  .overlap_share = 0.25};
    char *text = dtx_machine_text(&machine, &rest, "two\nlines");
    struct dtx_machine back;

    cr_assert_not_null(text);
    cr_expect_eq(strncmp(text, "# two\n# lines\n", 14), 0);
    back = parse(text);
    cr_expect_eq(back.processes_per_node, 4);
    cr_expect(is_close(back.read_rate, 2.1e9));
    cr_expect(is_close(back.read_rate_node, 987654321));
    cr_expect(is_close(back.write_rate_total, 1.5e12));
    cr_expect(is_close(back.read_request_seconds, 3.21e-6));
    cr_expect(is_close(back.file_seconds, 0.0123));
    cr_expect(is_close(back.copy_rate, 1234));
    cr_expect(is_close(back.step_seconds, 2));
    cr_expect(is_close(back.overlap_share, 0.25));
    dtx_string_free(text);
}

Test(machine, what_is_not_measured_is_written_as_a_comment)
{
    struct dtx_machine measured = {.copy_rate = 17};
    char *text = dtx_machine_text(&measured, &rest, "");
    struct dtx_machine back;

    cr_assert_not_null(text);
    cr_expect_not_null(strstr(text, "\n#network_rate: 11 "));
    back = parse(text);
    cr_expect_eq(back.copy_rate, 17);
    back.copy_rate = rest.copy_rate;
    cr_expect_eq(memcmp(&back, &rest, sizeof rest), 0);
    dtx_string_free(text);
}

Test(machine, a_missing_file_is_named)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_machine machine = rest;
    struct dtx_error err = {0};

    cr_expect_eq(dtx_machine_load("/nowhere/m.yaml", list, &machine, &err),
                 DTX_ERR_INVALID);
    cr_expect_not_null(strstr(err.message, "/nowhere/m.yaml"));
    dtx_diagnostics_destroy(list);
}

Test(machine, every_lack_of_memory_is_reported)
{
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    struct dtx_error err;

    for (int k = 0;; k++) {
        struct dtx_machine machine = rest;
        enum dtx_status status;

        dtx_alloc_fail_after(k);
        status = dtx_machine_parse("read_rate: 1e9\ncopy_rate: 2GB\n", "m",
                                   list, &machine, &err);
        dtx_alloc_fail_after(-1);
        if (status == DTX_OK) {
            cr_expect_gt(k, 0);
            break;
        }
        cr_assert_eq(status, DTX_ERR_LIMIT);
        cr_expect_eq(machine.read_rate, rest.read_rate);
    }
    dtx_diagnostics_destroy(list);
}
