/*
 * Plans for random cases, and what must be so of each of them.
 */
#ifndef TESTS_PLAN_PLANNED_H
#define TESTS_PLAN_PLANNED_H

#include "plan/plan.h"
#include "support/claim.h"
#include "support/scene.h"

struct planned {
    const struct layout_case *text;
    struct scene scene;
    struct dtx_catalog *catalog;
    struct dtx_plan_options options;
    struct dtx_plan *plan; /* NULL after a refusal */
    enum dtx_status status;
    struct dtx_error err;
};

/* Plans a case. Layouts and catalog are made first; options are the caller's.
 */
void planned_begin(struct planned *p, const struct layout_case *text,
                   const struct dtx_plan_options *options);
/* Plans again, with other options. */
void planned_again(struct planned *p, const struct dtx_plan_options *options);
void planned_finish(struct planned *p);

/* All that helps to find out what the case was that was planned last. Static
 * text. */
const char *planned_now(void);

/* A claim about it. */
#define so(condition) claim(condition, "%s", planned_now())

/* A strategy, a map, a number of processes on some nodes and enough memory. The
 * nodes are static. */
struct dtx_plan_options random_options(struct random *random,
                                       int processes_most);

/* True where a pending tensor is needed by several processes: it goes in two
 * rounds, whose sums differ from those of one that are counted here; its bits
 * are held against a model end to end. */
bool planned_shares_terms(const struct planned *p);

/* Plans random cases, and checks each plan. */
typedef void plan_check(struct planned *p, struct random *random);
void each_random_plan(int count, int positions_most, int processes_most,
                      plan_check *check);

/* True where a process hosts a target position that needs the tensor's value:
 * at coordinate 0 alone of a pending sum or product. */
bool planned_needs(const struct planned *p, int tensor, int position);

/* The case's number of a plan's tensor. */
int planned_case_tensor(const struct planned *p, int tensor);

/* Bytes of an element on its way. */
uint64_t planned_wire_bytes(const struct planned *p, int tensor);

#endif
