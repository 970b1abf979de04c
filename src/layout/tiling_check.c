#include "layout/tiling_check.h"

#include <inttypes.h>

#include "layout/codes.h"
#include "util/diagnostic.h"
#include "util/math.h"
#include "util/text.h"

enum { LISTED_MAX = 8 };

/* Adds a mistake; the message was built by the caller and is finished here. */
static void
report(const struct dtx_subject *s, struct dtx_diagnostic *d,
       struct dtx_text *message)
{
    d->severity = DTX_SEVERITY_ERROR;
    d->file = s->layout->file;
    d->text = s->layout->text;
    d->message = message->failed ? "out of memory" : message->data;
    dtx_diagnostics_add(s->list, d);
    dtx_text_finish(message);
}

/* Adds "2,2,1,0", cut short after a few. */
static void
add_lengths(struct dtx_text *text, const int64_t *lengths, int64_t count)
{
    int64_t i;

    for (i = 0; i < count && i < LISTED_MAX; i++) {
        dtx_text_format(text, "%s%" PRId64, i > 0 ? "," : "", lengths[i]);
    }
    if (count > LISTED_MAX) {
        dtx_text_add(text, ",…");
    }
}

int
dtx_dim_resolve(int dim, int ndim)
{
    if (dim < -ndim || dim >= ndim) {
        return -1;
    }
    return dim < 0 ? dim + ndim : dim;
}

/* "t: there is no dimension 2, the tensor has 2 (0 to 1, or -2 to -1)" */
static void
report_dim(const struct dtx_subject *s, int dim, struct dtx_mark mark)
{
    struct dtx_diagnostic d = {.code = LAYOUT_DIM, .mark = mark};
    struct dtx_text message = {0};
    struct dtx_text label = {0};

    dtx_text_format(&message, "%s: there is no dimension %d, its shape is ",
                    s->name, dim);
    dtx_text_list(&message, s->shape, s->ndim);
    if (s->ndim > 0) {
        dtx_text_format(&label, "0 to %d, or %d to -1", s->ndim - 1, -s->ndim);
    }
    d.label = label.data;
    report(s, &d, &message);
    dtx_text_finish(&label);
}

bool
dtx_check_dims(const struct dtx_subject *s)
{
    bool is_right = true;
    int i;

    for (i = 0; i < s->rule->placement_count; i++) {
        const struct dtx_placement *p = &s->rule->placements[i];

        if (p->kind != DTX_SHARD) {
            continue;
        }
        if (s->ndim == 0) {
            struct dtx_diagnostic d = {.code = LAYOUT_SCALAR,
                                       .mark = p->mark,
                                       .label = "it has no dimension",
                                       .help = "use replicate"};
            struct dtx_text message = {0};

            dtx_text_format(&message, "%s: a scalar can't be sharded", s->name);
            report(s, &d, &message);
            is_right = false;
        } else if (dtx_dim_resolve(p->dim, s->ndim) < 0) {
            report_dim(s, p->dim, p->mark);
            is_right = false;
        }
    }
    return is_right;
}

/* The stored extent of a padded dim, or -1 after a diagnostic. */
static int64_t
padded(const struct dtx_subject *s, const struct dtx_extent *pad, int dim)
{
    struct dtx_diagnostic d = {.code = LAYOUT_PAD_EXTENT, .mark = pad->mark};
    struct dtx_text message = {0};
    int64_t logical = s->shape[dim];
    int64_t stored = pad->extent;

    if (pad->multiple > 0) {
        if (!dtx_mul_overflows(dtx_ceil_div(logical, pad->multiple),
                               pad->multiple, &stored)) {
            return stored;
        }
        dtx_text_format(&message,
                        "%s: dimension %d, padded to a multiple of %" PRId64
                        ", is too long",
                        s->name, dim, pad->multiple);
    } else {
        if (stored >= logical) {
            return stored;
        }
        dtx_text_format(&message,
                        "%s: dimension %d has %" PRId64
                        " elements, more than its padded extent %" PRId64,
                        s->name, dim, logical, stored);
        d.help = "pad gives the length that is stored, not what is added";
    }
    report(s, &d, &message);
    return -1;
}

bool
dtx_check_pad(const struct dtx_subject *s, int64_t *stored_out)
{
    bool is_padded[DTX_NDIM_MAX] = {false};
    bool is_right = true;
    int i;

    for (i = 0; i < s->ndim; i++) {
        stored_out[i] = s->shape[i];
    }
    for (i = 0; i < s->rule->pad_count; i++) {
        const struct dtx_extent *pad = &s->rule->pad[i];
        int dim = dtx_dim_resolve(pad->dim, s->ndim);

        if (dim < 0) {
            report_dim(s, pad->dim, pad->mark);
            is_right = false;
        } else if (is_padded[dim]) {
            struct dtx_diagnostic d = {.code = LAYOUT_PAD_TWICE,
                                       .mark = pad->mark};
            struct dtx_text message = {0};

            dtx_text_format(&message, "%s: dimension %d is padded twice",
                            s->name, dim);
            report(s, &d, &message);
            is_right = false;
        } else {
            is_padded[dim] = true;
            stored_out[dim] = padded(s, pad, dim);
            is_right = is_right && stored_out[dim] >= 0;
        }
    }
    return is_right;
}

/* The sum of lengths, or -1 where it would not fit. */
static int64_t
sum(const int64_t *lengths, int64_t count)
{
    int64_t total = 0;
    int64_t i;

    for (i = 0; i < count; i++) {
        if (dtx_add_overflows(total, lengths[i], &total)) {
            return -1;
        }
    }
    return total;
}

/* "dimension 0 has 12 elements", or what it has once it is padded. */
static void
add_extent(const struct dtx_subject *s, struct dtx_text *text, int dim,
           int64_t stored)
{
    dtx_text_format(text, "dimension %d has %" PRId64 " element%s", dim, stored,
                    stored == 1 ? "" : "s");
    if (stored != s->shape[dim]) {
        dtx_text_format(text, " (%" PRId64 " and padding)", s->shape[dim]);
    }
}

static bool
check_sum(const struct dtx_subject *s, const struct dtx_placement *p, int dim,
          int64_t stored, enum dtx_shard_key key)
{
    struct dtx_diagnostic d = {.mark = p->mark};
    struct dtx_text message = {0};
    const struct dtx_shard_value *lengths = &p->keys[key];
    int64_t total = sum(lengths->list, lengths->number);

    if (lengths->list == NULL || total == stored) {
        return true;
    }
    dtx_text_format(&message, "%s: ", s->name);
    add_extent(s, &message, dim, stored);
    dtx_text_format(&message, ", its %s ", dtx_shard_key_forms[key].name);
    add_lengths(&message, lengths->list, lengths->number);
    if (total >= 0) {
        dtx_text_format(&message, " sum to %" PRId64, total);
    } else {
        dtx_text_add(&message, " sum to more than a dimension can have");
    }
    d.code = key == DTX_SHARD_SIZES ? LAYOUT_SIZES_SUM : LAYOUT_SEGMENTS_SUM;
    report(s, &d, &message);
    return false;
}

bool
dtx_check_lengths(const struct dtx_subject *s, const struct dtx_placement *p,
                  int dim, int64_t stored, bool is_first)
{
    bool is_right;

    if (p->keys[DTX_SHARD_SIZES].list != NULL && !is_first) {
        struct dtx_diagnostic d = {
            .code = LAYOUT_SIZES_FIRST,
            .mark = p->mark,
            .help = "sizes go with the first axis of a dimension"};
        struct dtx_text message = {0};

        dtx_text_format(&message,
                        "%s: axis %s has sizes, but another axis splits "
                        "dimension %d before it",
                        s->name, s->layout->mesh.names[p->axis], dim);
        report(s, &d, &message);
        return false;
    }
    is_right = check_sum(s, p, dim, stored, DTX_SHARD_SIZES);
    return check_sum(s, p, dim, stored, DTX_SHARD_SEGMENTS) && is_right;
}

/* Adds ", pieces would be 2,2,1,0". */
static void
add_pieces(struct dtx_text *text, const struct dtx_uneven *uneven)
{
    int64_t lengths[LISTED_MAX + 1];
    int64_t i;

    for (i = 0; i < uneven->parts && i <= LISTED_MAX; i++) {
        lengths[i] =
            dtx_split_length(DTX_SPLIT_EVEN, uneven->count, uneven->parts, i);
    }
    dtx_text_add(text, ", pieces would be ");
    add_lengths(text, lengths, (int)i);
}

void
dtx_report_uneven(const struct dtx_subject *s, const struct dtx_placement *p,
                  int dim, int64_t stored, const struct dtx_uneven *uneven)
{
    struct dtx_diagnostic d = {.code = LAYOUT_UNEVEN,
                               .mark = s->rule->split_mark,
                               .label = "asks for equal pieces",
                               .second_mark = p->mark,
                               .second_label = "splits the dimension",
                               .help = "use split: chunk, balanced or pad"};
    struct dtx_text message = {0};
    const int64_t *segments = p->keys[DTX_SHARD_SEGMENTS].list;
    int64_t block = p->keys[DTX_SHARD_BLOCK].number;

    dtx_text_format(&message, "%s: ", s->name);
    add_extent(s, &message, dim, stored);
    if (uneven->segment >= 0) {
        dtx_text_format(&message, ", segment %d of it %" PRId64,
                        uneven->segment, segments[uneven->segment]);
    }
    if (uneven->is_factor) {
        dtx_text_format(&message, ", split_factor is %" PRId64, uneven->parts);
    } else {
        dtx_text_format(&message, ", axis %s has %" PRId64 " coordinates",
                        s->layout->mesh.names[p->axis], uneven->parts);
    }
    if (uneven->count != stored) {
        dtx_text_format(&message, " for %" PRId64 " %s", uneven->count,
                        block > 1 && !uneven->is_factor ? "blocks"
                                                        : "of the elements");
    }
    add_pieces(&message, uneven);
    report(s, &d, &message);
}

void
dtx_report_too_many(const struct dtx_subject *s, const struct dtx_placement *p,
                    int dim)
{
    struct dtx_diagnostic d = {.code = LAYOUT_RUNS, .mark = p->mark};
    struct dtx_text message = {0};

    dtx_text_format(&message,
                    "%s: dimension %d would be cut into more than %d runs",
                    s->name, dim, (int)DTX_RUNS_MAX);
    report(s, &d, &message);
}

void
dtx_report_too_large(const struct dtx_subject *s)
{
    struct dtx_diagnostic d = {.code = LAYOUT_TOO_LARGE, .mark = s->rule->mark};
    struct dtx_text message = {0};

    dtx_text_format(&message, "%s: too large with its padding, its shape is ",
                    s->name);
    dtx_text_list(&message, s->shape, s->ndim);
    report(s, &d, &message);
}
