#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "util/suggest.h"

const char options_help[] =
    "usage: dtx-checkpoint write  TABLE LAYOUT [options]\n"
    "       dtx-checkpoint check  TABLE LAYOUT [options]\n"
    "       dtx-checkpoint layout LAYOUT --root DIR [options]\n"
    "       dtx-checkpoint rules  TABLE [options]\n"
    "\n"
    "Makes checkpoints whose every element is known, and checks them.\n"
    "TABLE is a tensor table as in tools/models, LAYOUT a layout file.\n"
    "\n"
    "  write    write all files of the layout; files that stand there are\n"
    "           replaced; padding holds garbage\n"
    "  check    compare all files of the layout, as written or after any\n"
    "           resharding; exit status 1 where they differ\n"
    "  layout   copy a layout, and the table that it names, to a folder\n"
    "  rules    print a layout's rules, from the hints in a table\n"
    "\n"
    "  --scale F          divide all dims by F, rounded up; or 0:4,1:2 to\n"
    "                     divide some (layout: also its segments and sizes)\n"
    "  --root DIR         in place of the layout's folder\n"
    "  --jobs N           processes; default: one for each processor\n"
    "  --seed S           other values for another number; default 0\n"
    "  --padding zero     check: padding must be zero (default), or\n"
    "  --padding any      may hold anything\n"
    "  --for-target       layout: leave out `catalog`\n"
    "  --mesh dp=2,tp=4   rules: the mesh; axes named tp, fsdp, pp and ep\n"
    "                     are for what their names say\n"
    "  --axis-tp NAME, --axis-fsdp NAME, --axis-pp NAME, --axis-ep NAME\n"
    "                     rules: the axis for tensors' tp_dim; for dim 0 of\n"
    "                     all; for layers; for experts\n";

enum option_id {
    OPTION_AXIS, /* + role */
    OPTION_SCALE = OPTION_AXIS + ROLE_COUNT,
    OPTION_ROOT,
    OPTION_JOBS,
    OPTION_SEED,
    OPTION_PADDING,
    OPTION_FOR_TARGET,
    OPTION_MESH
};

static const struct option long_options[] = {
    {"axis-tp", required_argument, NULL, OPTION_AXIS + ROLE_TP},
    {"axis-fsdp", required_argument, NULL, OPTION_AXIS + ROLE_FSDP},
    {"axis-pp", required_argument, NULL, OPTION_AXIS + ROLE_PP},
    {"axis-ep", required_argument, NULL, OPTION_AXIS + ROLE_EP},
    {"scale", required_argument, NULL, OPTION_SCALE},
    {"root", required_argument, NULL, OPTION_ROOT},
    {"jobs", required_argument, NULL, OPTION_JOBS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"padding", required_argument, NULL, OPTION_PADDING},
    {"for-target", no_argument, NULL, OPTION_FOR_TARGET},
    {"mesh", required_argument, NULL, OPTION_MESH},
    {NULL, 0, NULL, 0},
};

/* Which options each verb takes, as bits of option_id. */
#define BIT(id) (1U << (id))
static const struct {
    const char *name;
    int operands;
    unsigned options;
} verbs[] = {
    [VERB_WRITE] = {"write", 2,
                    BIT(OPTION_SCALE) | BIT(OPTION_ROOT) | BIT(OPTION_JOBS) |
                        BIT(OPTION_SEED)},
    [VERB_CHECK] = {"check", 2,
                    BIT(OPTION_SCALE) | BIT(OPTION_ROOT) | BIT(OPTION_JOBS) |
                        BIT(OPTION_SEED) | BIT(OPTION_PADDING)},
    [VERB_LAYOUT] = {"layout", 1,
                     BIT(OPTION_SCALE) | BIT(OPTION_ROOT) |
                         BIT(OPTION_FOR_TARGET)},
    [VERB_RULES] = {"rules", 1,
                    BIT(OPTION_SCALE) | BIT(OPTION_MESH) |
                        BIT(OPTION_AXIS + ROLE_TP) |
                        BIT(OPTION_AXIS + ROLE_FSDP) |
                        BIT(OPTION_AXIS + ROLE_PP) |
                        BIT(OPTION_AXIS + ROLE_EP)},
    [VERB_HELP] = {"help", 0, 0},
};

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

static enum dtx_status
parse_verb(const char *word, enum verb *verb_out, struct dtx_error *err)
{
    const char *names[VERB_COUNT];
    const char *close;

    if (word == NULL || strcmp(word, "--help") == 0) {
        *verb_out = VERB_HELP;
        return DTX_OK;
    }
    for (int i = 0; i < VERB_COUNT; i++) {
        names[i] = verbs[i].name;
        if (strcmp(word, names[i]) == 0) {
            *verb_out = (enum verb)i;
            return DTX_OK;
        }
    }
    dtx_error_set(err, DTX_ERR_INVALID, "there is no command '%s'", word);
    close = dtx_suggest(word, names, VERB_COUNT);
    dtx_error_hint(err, "did you mean '%s'?", close != NULL ? close : "help");
    return DTX_ERR_INVALID;
}

static bool
parse_number(const char *text, uint64_t *out)
{
    char *end;

    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

/* False where the value is no good. */
static bool
take_value(struct options *o, int id, const char *value)
{
    uint64_t number;

    switch (id) {
    case OPTION_SCALE:
        o->is_scaled = true;
        return scale_parse(value, &o->scale);
    case OPTION_ROOT:
        o->root = value;
        return *value != '\0';
    case OPTION_JOBS:
        o->jobs = parse_number(value, &number) ? (int)(number & 0xffff) : 0;
        return o->jobs >= 1;
    case OPTION_SEED:
        return parse_number(value, &o->seed);
    case OPTION_PADDING:
        o->any_padding = strcmp(value, "any") == 0;
        return o->any_padding || strcmp(value, "zero") == 0;
    case OPTION_FOR_TARGET:
        o->for_target = true;
        return true;
    case OPTION_MESH:
        o->mesh = value;
        return true;
    default:
        o->axes[id - OPTION_AXIS] = value;
        return *value != '\0';
    }
}

static const char *
option_name(int id)
{
    int i = 0;

    while (long_options[i].val != id) {
        i++;
    }
    return long_options[i].name;
}

static enum dtx_status
parse_options(int argc, char **argv, struct options *o, struct dtx_error *err)
{
    int id;

    opterr = 0;
    while ((id = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        if (id == ':') {
            return dtx_error_set(err, DTX_ERR_INVALID, "%s needs a value",
                                 argv[optind - 1]);
        }
        if (id == '?') {
            return dtx_error_set(err, DTX_ERR_INVALID, "there is no option %s",
                                 argv[optind - 1]);
        }
        if ((verbs[o->verb].options & BIT(id)) == 0) {
            return dtx_error_set(err, DTX_ERR_INVALID, "%s takes no --%s",
                                 verbs[o->verb].name, option_name(id));
        }
        if (!take_value(o, id, optarg)) {
            return dtx_error_set(err, DTX_ERR_INVALID,
                                 "'%s' is no value for --%s", optarg,
                                 option_name(id));
        }
    }
    return DTX_OK;
}

static int
processor_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count >= 1 && count < 0xffff ? (int)count : 1;
}

enum dtx_status
options_parse(int argc, char **argv, struct options *options_out,
              struct dtx_error *err)
{
    struct options o = {.jobs = processor_count()};
    enum dtx_status status;
    char **rest;

    scale_init(&o.scale);
    status = parse_verb(argc > 1 ? argv[1] : NULL, &o.verb, err);
    if (status == DTX_OK && argc > 1) {
        argc--;
        argv++;
        status = parse_options(argc, argv, &o, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    rest = argv + optind;
    if (o.verb != VERB_HELP && argc - optind != verbs[o.verb].operands) {
        return dtx_error_set(err, DTX_ERR_INVALID, "%s takes %d file%s, not %d",
                             verbs[o.verb].name, verbs[o.verb].operands,
                             verbs[o.verb].operands == 1 ? "" : "s",
                             argc - optind);
    }
    if (o.verb == VERB_LAYOUT && o.root == NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID, "layout needs --root");
    }
    if (o.verb != VERB_HELP) {
        o.table = o.verb == VERB_LAYOUT ? NULL : rest[0];
        o.layout = rest[verbs[o.verb].operands - 1];
    }
    *options_out = o;
    return DTX_OK;
}
