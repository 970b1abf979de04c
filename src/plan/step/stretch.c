#include "plan/step/stretch.h"

#include "util/alloc.h"

int
dtx_stretches_add(struct dtx_stretches *s, struct dtx_step_start start,
                  int64_t part_count, int64_t run_count)
{
    if (dtx_grow(&s->array, s->count, &s->capacity, sizeof *s->array) != 0) {
        return -1;
    }
    s->array[s->count++] = (struct dtx_stretch){
        .run = s->run_count, .start = start, .part_count = part_count};
    s->run_count += run_count;
    return 0;
}

struct dtx_step_start
dtx_stretches_find(const struct dtx_stretch *stretches, size_t count,
                   int64_t run)
{
    size_t lo = 0, hi = count;
    struct dtx_step_start start;

    while (hi - lo > 1) { /* the last stretch that begins with it or before */
        size_t middle = lo + (hi - lo) / 2;

        if (stretches[middle].run <= run) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    start = stretches[lo].start;
    start.part += (run - stretches[lo].run) * stretches[lo].part_count;
    return start;
}
