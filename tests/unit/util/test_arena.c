#include <criterion/criterion.h>
#include <stdalign.h>
#include <string.h>

#include "support/random.h"
#include "util/alloc.h"
#include "util/arena.h"

Test(arena, blocks_never_overlap_and_are_zeroed_and_aligned)
{
    enum { COUNT = 2000 };
    static unsigned char *blocks[COUNT];
    static size_t sizes[COUNT];
    struct random random = random_begin();
    struct dtx_arena arena = {0};

    for (int i = 0; i < COUNT; i++) {
        sizes[i] = random_below(&random, i % 50 == 0 ? 100000 : 100);
        blocks[i] = dtx_arena_alloc(&arena, sizes[i], 1);
        cr_assert_not_null(blocks[i]);
        cr_assert_eq((uintptr_t)blocks[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++) {
            cr_assert_eq(blocks[i][j], 0);
        }
        memset(blocks[i], i % 255 + 1, sizes[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < sizes[i]; j++) {
            cr_assert_eq(blocks[i][j], i % 255 + 1);
        }
    }
    dtx_arena_finish(&arena);
}

Test(arena, memory_is_zeroed_again_after_a_reset)
{
    struct dtx_arena arena = {0};

    memset(dtx_arena_alloc(&arena, 3000, 1), 0xAA, 3000);
    memset(dtx_arena_alloc(&arena, 9000, 1), 0xAA, 9000);
    dtx_arena_reset(&arena);
    cr_assert_eq(arena.total_bytes, 0);
    for (int round = 0; round < 4; round++) {
        unsigned char *bytes = dtx_arena_alloc(&arena, 2000, 1);

        for (int i = 0; i < 2000; i++) {
            cr_assert_eq(bytes[i], 0);
        }
    }
    dtx_arena_finish(&arena);
}

Test(arena, an_empty_arena_can_be_reset_and_finished)
{
    struct dtx_arena arena = {0};

    dtx_arena_reset(&arena);
    dtx_arena_finish(&arena);
    cr_assert_null(arena.head);
}

Test(arena, strings_and_arrays_are_copied)
{
    const int64_t numbers[] = {1, 2, 3};
    struct dtx_arena arena = {0};
    char text[] = "text";
    char *copy = dtx_arena_string(&arena, text);
    int64_t *array = dtx_arena_copy(&arena, numbers, 3, sizeof numbers[0]);

    text[0] = 'n';
    cr_assert_str_eq(copy, "text");
    cr_assert_arr_eq(array, numbers, sizeof numbers);
    cr_assert_str_eq(dtx_arena_format(&arena, "%s-%05d", text, 7),
                     "next-00007");
    dtx_arena_finish(&arena);
}

Test(arena, sizes_that_overflow_are_refused)
{
    struct dtx_arena arena = {0};

    cr_assert_null(dtx_arena_alloc(&arena, SIZE_MAX / 4, 5));
    cr_assert_null(dtx_arena_alloc(&arena, SIZE_MAX, 1));
    cr_assert_null(dtx_arena_alloc(&arena, SIZE_MAX - 20, 1));
    dtx_arena_finish(&arena);
}

Test(arena, an_arena_without_memory_still_works_when_there_is_some)
{
    struct dtx_arena arena = {0};

    dtx_alloc_fail_after(0);
    cr_assert_null(dtx_arena_alloc(&arena, 10, 1));
    cr_assert_null(dtx_arena_string(&arena, "a"));
    cr_assert_null(dtx_arena_format(&arena, "%d", 1));
    dtx_alloc_fail_after(-1);
    cr_assert_str_eq(dtx_arena_string(&arena, "a"), "a");
    dtx_alloc_fail_after(0);
    cr_assert_null(dtx_arena_alloc(&arena, 1 << 20, 1));
    dtx_alloc_fail_after(-1);
    dtx_arena_finish(&arena);
}

Test(arena, one_large_request_does_not_waste_the_block_in_use)
{
    struct dtx_arena arena = {0};
    char *first = dtx_arena_alloc(&arena, 16, 1);
    char *large = dtx_arena_alloc(&arena, 1 << 22, 1);
    char *second = dtx_arena_alloc(&arena, 16, 1);

    cr_assert_not_null(large);
    cr_assert_eq(second, first + 16);
    dtx_arena_finish(&arena);
}
