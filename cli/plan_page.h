/*
 * The plan as a page: one HTML file that needs nothing else.
 *
 * The page is plan_page.html, which the build puts into the program; what it
 * shows is in it as one JSON document. Beyond some hundred processes or ranks
 * that document holds sums, so that the page of a large plan is no larger than
 * a browser likes.
 */
#ifndef DTX_CLI_PLAN_PAGE_H
#define DTX_CLI_PLAN_PAGE_H

#include <dtx/plan.h>

#include "load.h"

/* Writes the page to a file, or to standard output where path is "-". */
enum dtx_status plan_write_page(const struct dtx_plan *plan,
                                const struct inputs *inputs, const char *path,
                                struct dtx_error *err);

#endif
