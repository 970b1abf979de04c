#include "plan/send/level.h"

#include <stdlib.h>

static int
compare(const void *left, const void *right)
{
    const struct dtx_level_part *a = left, *b = right;

    if (a->load != b->load) {
        return a->load < b->load ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

void
dtx_level(struct dtx_level_part *parts, int count, int64_t total)
{
    int64_t room = 0; /* below the load of the next part */
    int64_t level, rest;
    int used = 1, i;

    qsort(parts, (size_t)count, sizeof *parts, compare);
    while (used < count) {
        int64_t more = (parts[used].load - parts[used - 1].load) * used;

        if (room + more >= total) {
            break;
        }
        room += more;
        used++;
    }
    level = parts[used - 1].load + (total - room) / used;
    rest = (total - room) % used;
    for (i = 0; i < count; i++) {
        parts[i].amount = i < used ? level - parts[i].load + (i < rest) : 0;
    }
}
