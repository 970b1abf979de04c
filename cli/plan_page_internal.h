/*
 * The parts of a page's document that take some finding out.
 */
#ifndef DTX_CLI_PLAN_PAGE_INTERNAL_H
#define DTX_CLI_PLAN_PAGE_INTERNAL_H

#include <dtx/plan.h>

#include "json.h"

/*
 * Adds "traffic": what moves from process to process, in at most PAGE_BINS
 * groups of neighbours; null where there are too many transfers to list.
 * What a process has already stands on the diagonal.
 */
enum dtx_status page_add_traffic(struct json *json, const struct dtx_plan *plan,
                                 struct dtx_error *err);

/* Adds "kinds", tensors that move alike with the boxes of their shards, and
 * "tensors", the names. */
enum dtx_status page_add_tensors(struct json *json, const struct dtx_plan *plan,
                                 struct dtx_error *err);

#endif
