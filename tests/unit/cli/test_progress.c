#include <criterion/criterion.h>

#include "progress.h"

static void
assert_shows(uint64_t done, uint64_t total, double seconds,
             const char *expected)
{
    struct dtx_progress progress = {
        .bytes_done = done, .bytes_total = total, .seconds = seconds};
    struct progress state = {0};
    char line[PROGRESS_TEXT];
    double rate = progress_rate(&state, &progress);

    cr_assert_str_eq(progress_format(&progress, rate, line), expected);
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

Test(progress, phases_count_what_they_count)
{
    struct dtx_progress progress = {.bytes_done = 12,
                                    .bytes_total = 48,
                                    .phase = "listing files",
                                    .unit = "files"};
    char line[PROGRESS_TEXT];

    cr_assert_str_eq(progress_format(&progress, 2, line),
                     "listing files: 25.0 %, 12 of 48 files, 18 s left");
}

Test(progress, a_line_says_what_is_busiest)
{
    struct dtx_progress progress = {
        .bytes_done = 1024, .bytes_total = 4096, .busiest = "writing"};
    char line[PROGRESS_TEXT];

    cr_assert_str_eq(progress_format(&progress, 1024, line),
                     "25.0 %, 1 KiB of 4 KiB, 1 KiB/s, 3 s left, busiest with "
                     "writing");
    cr_assert_str_eq(progress_format_bar(&progress, 1024, line),
                     "[######------------------] 25.0 %, 1 KiB of 4 KiB, "
                     "1 KiB/s, 3 s left, busiest with writing");
}

/* A stop of a second in a long run hardly changes the time that is left, and a
 * new speed is believed after a while. */
Test(progress, the_rate_settles)
{
    struct progress state = {0};
    struct dtx_progress progress = {.bytes_total = 1 << 30};
    double before, rate = 0;
    int i;

    for (i = 1; i <= 60; i++) {
        progress.bytes_done += 1000;
        progress.seconds = i;
        rate = progress_rate(&state, &progress);
    }
    cr_assert_float_eq(rate, 1000, 1e-6);
    before = rate;
    progress.seconds += 1;
    rate = progress_rate(&state, &progress);
    cr_assert(rate < before && rate > 0.9 * before);
    for (i = 0; i < 100; i++) {
        progress.bytes_done += 500;
        progress.seconds += 1;
        rate = progress_rate(&state, &progress);
    }
    cr_assert_float_eq(rate, 500, 10);
}
