#include "manifest/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Readers of YAML 1.1 take some words for booleans or nothing. */
static bool
is_plain_name(const char *name)
{
    static const char *const taken[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcasecmp(name, taken[i]) == 0) {
            return false;
        }
    }
    for (const char *at = name; *at != '\0'; at++) {
        if (!isalpha((unsigned char)*at) &&
            !(at > name && (isdigit((unsigned char)*at) || *at == '_'))) {
            return false;
        }
    }
    return true;
}

void
manifest_add_name(struct dtx_text *text, const char *name)
{
    if (is_plain_name(name)) {
        dtx_text_add(text, name);
    } else {
        dtx_text_quote(text, name);
    }
}

void
manifest_add_list(struct dtx_text *text, const int64_t *values, int count)
{
    dtx_text_add(text, "[");
    for (int i = 0; i < count; i++) {
        dtx_text_format(text, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
    }
    dtx_text_add(text, "]");
}

static void
add_shard(struct dtx_text *text, const struct dtx_mesh *mesh,
          const struct dtx_placement *p)
{
    if (p->sizes == NULL && p->segment_count == 0 && p->block == 1 &&
        p->factor == 1) {
        dtx_text_format(text, "shard(%d)", p->dim);
        return;
    }
    dtx_text_format(text, "{shard: %d", p->dim);
    if (p->sizes != NULL) {
        dtx_text_add(text, ", sizes: ");
        manifest_add_list(text, p->sizes, mesh->sizes[p->axis]);
    }
    if (p->segment_count > 0) {
        dtx_text_add(text, ", segments: ");
        manifest_add_list(text, p->segments, p->segment_count);
    }
    if (p->block > 1) {
        dtx_text_format(text, ", block: %" PRId64, p->block);
    }
    if (p->factor > 1) {
        dtx_text_format(text, ", split_factor: %" PRId64, p->factor);
    }
    dtx_text_add(text, "}");
}

void
manifest_add_placement(struct dtx_text *text, const struct dtx_mesh *mesh,
                       const struct dtx_placement *placement)
{
    switch (placement->kind) {
    case DTX_REPLICATE:
        dtx_text_add(text, "replicate");
        break;
    case DTX_SHARD:
        add_shard(text, mesh, placement);
        break;
    case DTX_PARTIAL:
        dtx_text_format(text, "partial(%s)", dtx_op_names[placement->op]);
        break;
    }
}
