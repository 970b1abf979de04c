/*
 * Simulation: all steps of all processes, with the numbers of elements in
 * place of their bytes.
 */
#ifndef TESTS_PLAN_SIMULATION_H
#define TESTS_PLAN_SIMULATION_H

#include "planned.h"

/*
 * Runs a plan on paper. Every claim that fails ends the test: steps stay
 * within the schedule's bytes, both ends of each message agree, every element
 * is read where it stands and at most once by a process, and arrives in each
 * dataset of the target just once; the steps' counts add up to the plan's.
 */
void simulate(const struct planned *p);

#endif
