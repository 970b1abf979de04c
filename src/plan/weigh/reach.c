#include "plan/weigh/reach.h"

#include "util/error.h"
#include "util/math.h"

/*
 * Adds `each` bytes for each element of a side's shards. True on overflow.
 *
 * first  [shard_count + 1] of whom holds a shard: each counts
 */
static bool
add_shards(const struct dtx_side *side, const int *first, int64_t each,
           int64_t *sum)
{
    int shard;

    for (shard = 0; shard < side->shard_count; shard++) {
        int64_t holders = first[shard + 1] - first[shard], bytes;

        if (holders > 0 &&
            (dtx_mul_overflows(dtx_side_elements(side, shard), each, &bytes) ||
             dtx_mul_overflows(bytes, holders, &bytes) ||
             dtx_add_overflows(*sum, bytes, sum))) {
            return true;
        }
    }
    return false;
}

/* Bytes of all tensors, ranks and rounds so far. */
struct reach {
    int64_t held, needed, written;
};

/* Adds one round of a class, but for what is written. True on overflow. */
static bool
add_round(const struct dtx_class *c, bool by_process, int64_t each,
          struct reach *r)
{
    const struct dtx_side *src = c->src, *dst = c->dst;
    int64_t with_terms;

    return dtx_mul_overflows(each, (int64_t)dtx_class_terms(c), &with_terms) ||
           add_shards(src, by_process ? src->process_first : src->shard_first,
                      each, &r->held) ||
           add_shards(dst, by_process ? dst->process_first : dst->shard_first,
                      with_terms, &r->needed);
}

/* Adds all rounds of all tensors of a class. True on overflow. */
static bool
add_class(const struct dtx_class *c, bool by_process, struct reach *r)
{
    size_t widest = c->src_bytes > c->dst_bytes ? c->src_bytes : c->dst_bytes;
    const struct dtx_class *round;
    int64_t each;

    if (dtx_mul_overflows((int64_t)widest, c->instance_count, &each) ||
        add_shards(c->final, c->final->shard_first, each, &r->written)) {
        return true;
    }
    for (round = c; round != NULL; round = round->next) {
        if (add_round(round, by_process, each, r)) {
            return true;
        }
    }
    return false;
}

enum dtx_status
dtx_reach_refuse(const char *what, struct dtx_error *err)
{
    dtx_error_set(err, DTX_ERR_LIMIT,
                  "%s 8 EiB or more, which can't be counted", what);
    dtx_error_hint(err, "--include and --exclude take a part of the tensors");
    return DTX_ERR_LIMIT;
}

enum dtx_status
dtx_reach_check(const struct dtx_plan *plan, struct dtx_error *err)
{
    struct reach reach = {0};
    int i;

    for (i = 0; i < plan->class_count; i++) {
        if (add_class(plan->classes[i], false, &reach)) {
            return dtx_reach_refuse("all ranks of a layout together hold", err);
        }
    }
    return DTX_OK;
}

enum dtx_status
dtx_reach_check_way(const struct dtx_plan *plan, enum dtx_strategy strategy,
                    struct dtx_class *const *classes, struct dtx_error *err)
{
    struct reach reach = {0};
    int i;

    for (i = 0; i < plan->class_count; i++) {
        if (add_class(classes[i], true, &reach)) {
            dtx_error_set(err, DTX_ERR_LIMIT,
                          "under '%s' all processes together would get 8 EiB "
                          "or more, which can't be counted",
                          dtx_strategy_name(strategy));
            dtx_error_hint(err, "under 'optimal' none gets an element twice");
            return DTX_ERR_LIMIT;
        }
    }
    return DTX_OK;
}
