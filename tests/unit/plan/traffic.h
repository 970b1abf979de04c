/*
 * Traffic: all steps of a plan between so many processes that their elements
 * can't be looked at one by one. Every box has a number instead, from which
 * boxes put together have theirs.
 */
#ifndef TESTS_PLAN_TRAFFIC_H
#define TESTS_PLAN_TRAFFIC_H

#include "plan/plan.h"

struct traffic {
    int64_t messages;   /* of all steps */
    int64_t most_peers; /* of which a process ever takes messages at a time */
    int64_t most_links; /* of which it gets messages in one step */
    /* By rounds in which each open message moves: of all steps, and of each
     * step's busiest process alone, if all its messages were always open. */
    int64_t rounds, rounds_at_least;
    /* The bytes of the busiest link of each step: what a node sends others or
     * gets from them, or a process where all are on one node. */
    uint64_t busiest_bytes;
};

/*
 * Runs a plan on simulated processes and links. Ends the test
 * unless steps stay within the schedule's bytes, both ends of each message
 * agree on what it holds (not of whole tensors, of which a process takes its
 * part), what is passed on has come before and isn't written
 * over, also where a step is read while the one before travels, every element
 * is written once in each shard, and all messages arrive with
 * DTX_STEP_PEERS_MOST of them open at each process, in any order.
 *
 * seed  of the links: which of the open messages move first
 */
struct traffic traffic_run(const struct dtx_plan *plan, uint64_t seed);

#endif
