#include "plan/weigh/bound.h"

#include "plan/weigh/totals.h"
#include "util/alloc.h"

/* What processes must send and receive, over the classes so far. */
struct bounds {
    struct dtx_process_cost *forced; /* [process_count] sent, received */
    bool *sends; /* [process_count] could: it holds or gets something */
    uint64_t read, moved;
};

static void
add_class(struct bounds *b, const struct dtx_class *chosen)
{
    const struct dtx_class *c = chosen->optimal;
    uint64_t count = (uint64_t)c->instance_count;
    int i;

    b->read += count * (uint64_t)c->elements * (uint64_t)c->src->term_count *
               c->src_bytes;
    if (chosen->strategy == DTX_STRATEGY_DIRECT) {
        return;
    }
    b->moved += count * c->lacking;
    dtx_class_add_forced(c, c->instance_count, b->forced);
    for (i = 0; i < c->src->use_count; i++) {
        b->sends[c->src->uses[i].process] = true;
    }
    for (i = 0; i < c->dst->use_count; i++) {
        b->sends[c->dst->uses[i].process] = true;
    }
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The least that the process sends or receives which does most of either. */
static uint64_t
busiest_at_least(const struct dtx_plan *plan, const struct bounds *b)
{
    uint64_t busiest = 0, senders = 0;
    int i;

    for (i = 0; i < plan->options.process_count; i++) {
        busiest = larger(busiest, b->forced[i].sent);
        busiest = larger(busiest, b->forced[i].received);
        senders += b->sends[i];
    }
    return senders > 0 ? larger(busiest, (b->moved + senders - 1) / senders)
                       : busiest;
}

static void
set_certificate(struct dtx_plan *plan, const struct bounds *b)
{
    struct dtx_plan_certificate *c = &plan->certificate;
    int i;

    c->read = (struct dtx_plan_claim){plan->totals.read, b->read};
    c->moved = (struct dtx_plan_claim){plan->totals.moved, b->moved};
    c->written =
        (struct dtx_plan_claim){plan->totals.written, plan->totals.written};
    c->busiest = (struct dtx_plan_claim){0, busiest_at_least(plan, b)};
    for (i = 0; i < plan->options.process_count; i++) {
        const struct dtx_process_cost *p = &plan->processes[i];

        c->busiest.bytes =
            larger(c->busiest.bytes, larger(p->sent, p->received));
    }
}

int
dtx_plan_certify(struct dtx_plan *plan)
{
    size_t count = (size_t)plan->options.process_count;
    struct bounds b = {.forced = dtx_alloc(count, sizeof *b.forced),
                       .sends = dtx_alloc(count, sizeof *b.sends)};
    int i, failed = b.forced == NULL || b.sends == NULL;

    for (i = 0; i < plan->class_count && !failed; i++) {
        add_class(&b, plan->classes[i]);
    }
    if (!failed) {
        set_certificate(plan, &b);
    }
    dtx_free(b.forced);
    dtx_free(b.sends);
    return failed ? -1 : 0;
}
