/*
 * A plan as a person, a program, or a log wants it.
 */
#ifndef DTX_CLI_PLAN_OUTPUT_H
#define DTX_CLI_PLAN_OUTPUT_H

#include <dtx/layout.h>
#include <dtx/plan.h>

#include "json.h"
#include "load.h"
#include "options.h"
#include "table.h"
#include "util/text.h"

/* Prints a plan in the form that the arguments ask for, and writes its
 * transfers where they ask for them. Local. */
enum dtx_status plan_print(const struct dtx_plan *plan,
                           const struct inputs *inputs,
                           const struct arguments *arguments,
                           struct dtx_error *err);

/* Prints the tables. */
enum dtx_status plan_print_text(const struct dtx_plan *plan,
                                const struct inputs *inputs,
                                struct dtx_error *err);

/* Prints the JSON document. */
enum dtx_status plan_print_json(const struct dtx_plan *plan,
                                const struct inputs *inputs,
                                struct dtx_error *err);

/* Writes every transfer, one JSON object a line, to a file, or to standard
 * output where path is "-". */
enum dtx_status plan_write_transfers(const struct dtx_plan *plan,
                                     const char *path, struct dtx_error *err);

/* Adds the mesh of a layout, "dp=2 tp=4", or "one rank" where there is no
 * axis. */
void plan_add_mesh(struct dtx_text *text, const struct dtx_layout *layout);

/* Adds to a JSON document what it begins with: what was planned, and what
 * becomes of all that the source holds. */
void plan_add_head(struct json *json, const struct dtx_plan *plan);

/* Adds a claim of the certificate to a JSON object. */
void plan_add_claim(struct json *json, const char *name,
                    const struct dtx_plan_claim *claim);

/* Adds a cell "41.0 s". */
void plan_add_seconds(struct table *table, double seconds);

/* Adds "[4, 16]". */
void plan_add_shape(struct dtx_text *text, int ndim, const int64_t *shape);

/* Prints one tensor of a plan: both tilings, what goes where, and by which
 * strategy. */
enum dtx_status plan_print_tensor(const struct dtx_plan *plan,
                                  const struct arguments *arguments,
                                  struct dtx_error *err);

#endif
