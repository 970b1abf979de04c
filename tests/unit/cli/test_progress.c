#include <criterion/criterion.h>

#include "progress.h"

static void
assert_shows(uint64_t done, uint64_t total, double seconds,
             const char *expected)
{
    struct dtx_progress progress = {
        .bytes_done = done, .bytes_total = total, .seconds = seconds};
    char line[PROGRESS_TEXT];

    cr_assert_str_eq(progress_format(&progress, line), expected);
}

Test(progress, a_line_says_share_bytes_rate_and_time_left)
{
    assert_shows((uint64_t)1 << 30, (uint64_t)4 << 30, 10,
                 "25.0 %, 1 GiB of 4 GiB, 102.40 MiB/s, 30 s left");
    assert_shows((uint64_t)1 << 30, (uint64_t)16 << 30, 10,
                 "6.2 %, 1 GiB of 16 GiB, 102.40 MiB/s, 2 min 30 s left");
    assert_shows((uint64_t)1 << 30, (uint64_t)1 << 40, 10,
                 "0.1 %, 1 GiB of 1 TiB, 102.40 MiB/s, 2 h 50 min left");
}

Test(progress, nothing_is_left_at_the_end)
{
    assert_shows((uint64_t)1 << 30, (uint64_t)1 << 30, 10,
                 "100.0 %, 1 GiB of 1 GiB, 102.40 MiB/s");
    assert_shows(0, 0, 0, "100.0 %, 0 B of 0 B, 0 B/s");
}

Test(progress, without_a_rate_nobody_knows_the_time_left)
{
    assert_shows(0, 1024, 0, "0.0 %, 0 B of 1 KiB, 0 B/s");
}
