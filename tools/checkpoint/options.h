/*
 * The command line of dtx-checkpoint.
 */
#ifndef CHECKPOINT_OPTIONS_H
#define CHECKPOINT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <dtx/status.h>

#include "layout/limits.h"
#include "scale.h"

enum verb { VERB_WRITE, VERB_CHECK, VERB_LAYOUT, VERB_RULES, VERB_HELP };

/* What the axes of a mesh are for; a role without axis is NULL. */
enum role { ROLE_TP, ROLE_FSDP, ROLE_PP, ROLE_EP, ROLE_COUNT };

struct options {
    enum verb verb;
    const char *table;
    const char *layout;
    struct scale scale;
    bool is_scaled;
    const char *root; /* in place of the layout's folder; NULL: that */
    int jobs;
    uint64_t seed;
    bool any_padding; /* check: whatever stands in padding */
    bool for_target;  /* layout: leave out what only a source may have */
    const char *axes[ROLE_COUNT];
    const char *mesh; /* rules: "dp=2,tp=4", or NULL */
};

/* Reads the command line. DTX_ERR_INVALID says what is wrong with it. */
enum dtx_status options_parse(int argc, char **argv,
                              struct options *options_out,
                              struct dtx_error *err);

/* What `dtx-checkpoint help` prints. */
extern const char options_help[];

#endif
