#include <criterion/criterion.h>

#include "util/alloc.h"

Test(alloc, memory_is_zeroed)
{
    unsigned char *bytes = dtx_alloc(1000, 1);

    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(bytes[i], 0);
    }
    dtx_free(bytes);
}

Test(alloc, sizes_that_overflow_are_refused)
{
    char *block = dtx_alloc(4, 1);

    cr_assert_null(dtx_alloc(SIZE_MAX / 2, 3));
    cr_assert_null(dtx_realloc(block, SIZE_MAX / 2, 3));
    dtx_free(block);
}

Test(alloc, nothing_is_a_block_that_may_be_freed)
{
    void *block = dtx_alloc(0, 8);

    cr_assert_not_null(block);
    block = dtx_realloc(block, 0, 8);
    cr_assert_not_null(block);
    dtx_free(block);
    dtx_free(NULL);
}

Test(alloc, a_grown_array_keeps_its_elements)
{
    int64_t *array = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < 1000; i++) {
        cr_assert_eq(dtx_grow(&array, i, &capacity, sizeof *array), 0);
        cr_assert_gt(capacity, i);
        array[i] = (int64_t)i;
    }
    for (size_t i = 0; i < 1000; i++) {
        cr_assert_eq(array[i], (int64_t)i);
    }
    dtx_free(array);
}

Test(alloc, the_chosen_allocation_fails_and_all_after_it)
{
    void *first;

    dtx_alloc_fail_after(1);
    first = dtx_alloc(1, 1);
    cr_assert_not_null(first);
    cr_assert_null(dtx_alloc(1, 1));
    cr_assert_null(dtx_strdup("again"));
    dtx_alloc_fail_after(-1);
    dtx_free(first);
    first = dtx_strdup("well");
    cr_assert_str_eq(first, "well");
    dtx_free(first);
}

Test(alloc, an_array_that_cannot_grow_still_stands)
{
    int *array = NULL;
    size_t capacity = 0;
    size_t old_capacity;

    cr_assert_eq(dtx_grow(&array, 0, &capacity, sizeof *array), 0);
    array[0] = 42;
    old_capacity = capacity;
    dtx_alloc_fail_after(0);
    cr_assert_eq(dtx_grow(&array, capacity, &capacity, sizeof *array), -1);
    dtx_alloc_fail_after(-1);
    cr_assert_eq(capacity, old_capacity);
    cr_assert_eq(array[0], 42);
    dtx_free(array);
}
