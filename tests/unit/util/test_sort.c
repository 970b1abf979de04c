#include <criterion/criterion.h>
#include <string.h>

#include "util/sort.h"

enum { COUNT = 5 };

static int compared;

static int
compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    compared++;
    return a < b ? -1 : a > b;
}

/* All arrays of five numbers out of five. */
Test(sort, every_order_of_a_few_numbers_becomes_ascending)
{
    for (int code = 0; code < 3125; code++) {
        int array[COUNT], counts[COUNT] = {0}, rest = code;

        for (int i = 0; i < COUNT; i++, rest /= COUNT) {
            array[i] = rest % COUNT;
            counts[array[i]]++;
        }
        dtx_sort(array, COUNT, sizeof *array, compare);
        for (int i = 0; i < COUNT; i++) {
            cr_assert(i == 0 || array[i - 1] <= array[i]);
            counts[array[i]]--;
        }
        for (int i = 0; i < COUNT; i++) {
            cr_assert_eq(counts[i], 0);
        }
    }
}

Test(sort, what_is_in_order_is_gone_through_once)
{
    int array[COUNT] = {1, 2, 2, 3, 9};

    compared = 0;
    dtx_sort(array, COUNT, sizeof *array, compare);
    cr_assert_eq(compared, COUNT - 1);
}

Test(sort, nothing_and_one_item_are_in_order)
{
    int one = 1;

    compared = 0;
    dtx_sort(NULL, 0, sizeof one, compare);
    dtx_sort(&one, 1, sizeof one, compare);
    cr_assert_eq(compared, 0);
}
