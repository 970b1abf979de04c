#include "plan/step/filling.h"

#include "util/math.h"

static int
sums_begin(struct dtx_run_sums *s, size_t processes, struct dtx_arena *arena)
{
    s->bytes = dtx_arena_alloc(arena, processes, sizeof *s->bytes);
    s->touched = dtx_arena_alloc(arena, processes, sizeof *s->touched);
    return s->bytes == NULL || s->touched == NULL ? -1 : 0;
}

static void
sums_clear(struct dtx_run_sums *s)
{
    int i;

    for (i = 0; i < s->touched_count; i++) {
        s->bytes[s->touched[i]] = 0;
    }
    s->touched_count = 0;
    s->most = s->dense = 0;
}

/* How many units that take so much each have room where so much is taken. */
static int64_t
units_that_fit(uint64_t taken, uint64_t each, uint64_t limit)
{
    uint64_t units;

    if (taken > limit) {
        return 0;
    }
    units = each > 0 ? (limit - taken) / each : INT64_MAX;
    return units < INT64_MAX ? (int64_t)units : INT64_MAX;
}

/* How many units of a load there is room for within a limit. */
static int64_t
sums_room(const struct dtx_run_sums *s, const struct dtx_class_load *load,
          uint64_t limit)
{
    int64_t room;
    int i;

    if (load->loads == NULL || s->touched_count == 0) {
        return units_that_fit(s->most + s->dense, load->most, limit);
    }
    room = units_that_fit(s->most + s->dense, 0, limit);
    for (i = 0; i < load->count && room > 0; i++) {
        uint64_t taken = s->bytes[load->loads[i].process] + s->dense;

        room =
            dtx_min(room, units_that_fit(taken, load->loads[i].bytes, limit));
    }
    return room;
}

static void
sums_add(struct dtx_run_sums *s, const struct dtx_class_load *load,
         int64_t units)
{
    int i;

    if (load->loads == NULL) {
        s->dense += (uint64_t)units * load->most;
        return;
    }
    for (i = 0; i < load->count; i++) {
        uint64_t *bytes = &s->bytes[load->loads[i].process];

        if (*bytes == 0 && load->loads[i].bytes > 0) {
            s->touched[s->touched_count++] = load->loads[i].process;
        }
        *bytes += (uint64_t)units * load->loads[i].bytes;
        s->most = *bytes > s->most ? *bytes : s->most;
    }
}

int
dtx_filling_begin(struct dtx_filling *f, size_t process_count,
                  struct dtx_arena *arena)
{
    *f = (struct dtx_filling){.is_empty = true};
    return sums_begin(&f->all, process_count, arena) != 0 ||
                   sums_begin(&f->relay, process_count, arena) != 0
               ? -1
               : 0;
}

void
dtx_filling_clear(struct dtx_filling *f)
{
    sums_clear(&f->all);
    sums_clear(&f->relay);
    f->is_empty = true;
    f->has_slabs = f->has_relays = false;
}

int64_t
dtx_filling_room(const struct dtx_filling *f, const struct dtx_class_load *load,
                 const struct dtx_run_limits *limits)
{
    bool has_slabs = f->has_slabs || load->has_slabs;
    int64_t room;

    if (has_slabs && (f->has_relays || load->has_relays)) {
        return 0; /* they keep in different ways */
    }
    room = sums_room(&f->all, load, has_slabs ? limits->slabs : limits->all);
    if (load->has_relays) {
        room = dtx_min(room, sums_room(&f->relay, load, limits->relay));
    }
    return f->is_empty ? dtx_max(room, 1) : room;
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void
dtx_filling_add(struct dtx_filling *f, const struct dtx_class_load *load,
                int64_t units)
{
    f->is_empty = false;
    f->has_slabs |= load->has_slabs;
    f->has_relays |= load->has_relays;
    sums_add(&f->all, load, units);
    if (load->has_relays) {
        sums_add(&f->relay, load, units);
    }
    f->most.all = larger(f->most.all, f->all.most + f->all.dense);
    f->most.relay = larger(f->most.relay, f->relay.most + f->relay.dense);
}

void
dtx_filling_fill(struct dtx_filling *f, const struct dtx_class_load *load,
                 int64_t units)
{
    uint64_t bytes = (uint64_t)units * load->most;

    if (!f->is_empty) {
        dtx_filling_add(f, load, units);
        dtx_filling_clear(f);
        return;
    }
    f->most.all = larger(f->most.all, bytes);
    f->most.relay = larger(f->most.relay, load->has_relays ? bytes : 0);
}
