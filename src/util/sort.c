#include "util/sort.h"

#include <stdlib.h>

void
dtx_sort(void *array, size_t count, size_t item_bytes,
         int (*compare)(const void *, const void *))
{
    const char *item = array;
    size_t i;

    for (i = 1; i < count; i++, item += item_bytes) {
        if (compare(item, item + item_bytes) > 0) {
            qsort(array, count, item_bytes, compare);
            return;
        }
    }
}
