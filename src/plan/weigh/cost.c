#include "plan/weigh/cost.h"

#include "util/math.h"

/* What storage does with rows of short runs: it reads the gaps between them
 * too, where they aren't too long, in pieces of GAP_PIECE bytes. */
enum { GAP_RUN_MOST = 4096, GAP_FACTOR_MOST = 8, GAP_PIECE = 1 << 20 };

/* Summing a digest goes through bytes once, so much quicker than a copy; each
 * run of a tensor that it begins anew takes as long as so many bytes. */
static const double digest_share = 0.5;
static const double digest_run_bytes = 48;

static const struct dtx_machine default_machine = {
    .read_rate = 2e9,
    .read_rate_node = 8e9,
    .read_rate_total = 1e12,
    .write_rate = 1.5e9,
    .write_rate_node = 6e9,
    .write_rate_total = 1e12,
    .read_request_seconds = 2e-6,
    .write_request_seconds = 2e-6,
    .file_seconds = 2e-3,
    .dataset_seconds = 1e-4,
    .message_rate = 4e9,
    .network_rate = 12e9,
    .message_seconds = 5e-6,
    .network_seconds = 2e-5,
    .copy_rate = 5e9,
    .convert_rate = 2e9,
    .device_rate = 20e9,
    .device_copy_rate = 1e12,
    .step_seconds = 2e-4,
    .overlap_share = 0.25,
};

const struct dtx_machine *
dtx_machine_default(void)
{
    return &default_machine;
}

struct dtx_site
dtx_site_of(const struct dtx_plan *plan)
{
    const struct dtx_plan_options *options = &plan->options;

    return (struct dtx_site){
        .machine =
            options->machine != NULL ? options->machine : dtx_machine_default(),
        .process_count = options->process_count,
        .device = options->device,
        .goes_through_host = options->transport != DTX_CARRIER_CUDA,
        .nodes = plan->nodes};
}

/* ---------------------------------------------------------------- seconds */

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static int
node_of(const struct dtx_site *site, int process)
{
    return site->nodes != NULL ? site->nodes[process] : 0;
}

/* Both directions of a link work at once. */
static double
far_bytes(const struct dtx_work *w)
{
    return larger(w->far_sent, w->far_received);
}

/* Adds what it takes to bring bytes to a device and back. What a process keeps
 * mostly stays on the host. */
static void
add_device(const struct dtx_site *site, const struct dtx_process_cost *bytes,
           struct dtx_stage_seconds *s)
{
    double rate = site->machine->device_rate;

    s->read += (double)dtx_max(0, (int64_t)(bytes->read - bytes->kept)) / rate;
    s->write +=
        (double)dtx_max(0, (int64_t)(bytes->written - bytes->kept)) / rate;
    if (site->goes_through_host) {
        s->read += (double)bytes->sent / rate;
        s->write += (double)bytes->received / rate;
    }
}

static struct dtx_stage_seconds
process_stages(const struct dtx_site *site, const struct dtx_work *w)
{
    const struct dtx_machine *m = site->machine;
    bool is_apart = site->device == DTX_DEVICE_CUDA;
    double copy_rate = is_apart ? m->device_copy_rate : m->copy_rate;
    double convert_rate = is_apart ? m->device_copy_rate : m->convert_rate;
    double near = larger((double)w->bytes.sent - w->far_sent,
                         (double)w->bytes.received - w->far_received);
    struct dtx_stage_seconds s = {
        .read = w->fetched / m->read_rate +
                w->read_requests * m->read_request_seconds +
                w->read_digested / m->copy_rate,
        .travel = near / m->message_rate + far_bytes(w) / m->network_rate,
        .write = (double)w->bytes.written / m->write_rate +
                 w->write_requests * m->write_request_seconds};

    s.write += w->copied / copy_rate + w->write_digested / m->copy_rate +
               w->converted / convert_rate;
    if (is_apart) {
        add_device(site, &w->bytes, &s);
    }
    return s;
}

/* Raises the stages to what the processes of a node, or all, take together. */
static void
raise_to_shared(struct dtx_stage_seconds *s, const struct dtx_work *sum,
                const double *rates)
{
    s->read = larger(s->read, sum->fetched / rates[0]);
    s->write = larger(s->write, (double)sum->bytes.written / rates[1]);
    if (rates[2] > 0) {
        s->travel = larger(s->travel, far_bytes(sum) / rates[2]);
    }
}

static void
add_bytes(struct dtx_work *sum, const struct dtx_work *w)
{
    sum->fetched += w->fetched;
    sum->bytes.written += w->bytes.written;
    sum->far_sent += w->far_sent;
    sum->far_received += w->far_received;
}

/* The stages of the whole: of the busiest process, node, and of all. */
static struct dtx_stage_seconds
all_stages(const struct dtx_site *site, const struct dtx_work *works,
           const int *processes, int count)
{
    const struct dtx_machine *m = site->machine;
    double node_rates[] = {m->read_rate_node, m->write_rate_node,
                           m->network_rate};
    double total_rates[] = {m->read_rate_total, m->write_rate_total, 0};
    struct dtx_work total = {0};
    struct dtx_stage_seconds most = {0};
    int i;

    for (i = 0; i < count; i++) {
        int process = processes != NULL ? processes[i] : i;
        const struct dtx_work *w = &works[process];
        struct dtx_stage_seconds own = process_stages(site, w);

        most.read = larger(most.read, own.read);
        most.travel = larger(most.travel, own.travel);
        most.write = larger(most.write, own.write);
        add_bytes(&site->node_works[node_of(site, process)], w);
        add_bytes(&total, w);
    }
    for (i = 0; i < count; i++) {
        int process = processes != NULL ? processes[i] : i;
        struct dtx_work *node = &site->node_works[node_of(site, process)];

        raise_to_shared(&most, node, node_rates);
        *node = (struct dtx_work){0};
    }
    raise_to_shared(&most, &total, total_rates);
    return most;
}

double
dtx_cost_seconds(const struct dtx_site *site, const struct dtx_work *works,
                 const int *processes, int count, int64_t step_count,
                 struct dtx_stage_seconds *stages_out)
{
    const struct dtx_machine *machine = site->machine;
    struct dtx_stage_seconds s = all_stages(site, works, processes, count);
    double slowest = larger(s.read, larger(s.travel, s.write));
    double rest = s.read + s.travel + s.write - slowest;
    double shows = machine->overlap_share;
    double latency = machine->step_seconds;

    if (step_count > 0) { /* the first step's reading hides behind nothing */
        shows += (1 - shows) / (double)step_count;
    }
    if (site->nodes != NULL) {
        latency += machine->network_seconds;
    } else if (site->process_count > 1) {
        latency += machine->message_seconds;
    }
    if (stages_out != NULL) {
        *stages_out = s;
    }
    return slowest + rest * shows + (double)step_count * latency;
}

/* ---------------------------------------------------------------- work */

/* How a box that takes lengths[d] of an array's extents[d] stands in it. */
struct stretch {
    double run;    /* bytes that stand together */
    double stride; /* from one such run to the next */
};

static struct stretch
stretch_of(int ndim, const double *lengths, const double *extents, size_t size)
{
    struct stretch s = {(double)size, (double)size};
    int dim;

    for (dim = ndim - 1; dim >= 0; dim--) {
        double inner = s.run;

        s.run *= lengths[dim];
        s.stride = inner * extents[dim];
        if (lengths[dim] < extents[dim]) {
            break;
        }
    }
    s.run = larger(s.run, (double)size);
    s.stride = larger(s.stride, s.run);
    return s;
}

/* The mean extent of a dim's pieces, those that hold nothing left out. */
static double
mean_piece(const struct dtx_tiling_dim *dim)
{
    int64_t held = 0, filled = 0;
    int i;

    for (i = 0; i < dim->piece_count; i++) {
        filled += dim->piece_first[i + 1] > dim->piece_first[i];
    }
    held = dim->logical;
    return filled > 0 ? (double)held / (double)filled : 0;
}

/* The mean length of the spans at which the pieces of a dim meet. */
static double
mean_span(const struct dtx_overlap *o)
{
    int64_t length = 0, spans = 0;
    int i;

    for (i = 0; i < o->pair_count; i++) {
        length += o->pairs[i].length;
        spans += o->pairs[i].span_count;
    }
    return spans > 0 ? (double)length / (double)spans : 0;
}

/* The mean lengths of what one side of a class reads or writes at once, and
 * the extents of its datasets. */
static void
set_lengths(const struct dtx_class *c, const struct dtx_side *side,
            bool by_spans, bool is_global, double (*out)[DTX_NDIM_MAX])
{
    int dim;

    for (dim = 0; dim < c->ndim; dim++) {
        const struct dtx_tiling_dim *d = &side->tiling->dims[dim];
        double piece = mean_piece(d);

        out[0][dim] = by_spans ? mean_span(c->overlaps[dim]) : piece;
        out[1][dim] = is_global ? (double)d->logical : piece;
        if (is_global && d->tile_count > 0 && !by_spans) {
            out[0][dim] = (double)d->logical / (double)d->tile_count;
        }
    }
}

/* The ranges that reading asks for, and what comes with them. */
static void
set_reading(struct dtx_work *w, struct stretch s)
{
    double bytes = (double)w->bytes.read, factor = s.stride / s.run;

    w->fetched = bytes;
    w->read_requests = bytes / s.run;
    if (s.run < GAP_RUN_MOST && factor <= GAP_FACTOR_MOST) {
        w->fetched = bytes * factor;
        w->read_requests = w->fetched / GAP_PIECE;
    }
}

/* Bytes that take as long to copy as others to sum. */
static double
digest_work(uint64_t bytes, struct stretch s)
{
    return (double)bytes * digest_share * (1 + digest_run_bytes / s.run);
}

void
dtx_cost_add_work(const struct dtx_plan *plan, const struct dtx_class *c,
                  const int *processes, int count, struct dtx_work *works)
{
    bool direct = c->strategy == DTX_STRATEGY_DIRECT;
    bool converts = c->src_bytes != c->dst_bytes;
    double lengths[2][DTX_NDIM_MAX] = {{0}};
    struct stretch read, written, narrowest, summed[2];
    int i;

    set_lengths(c, c->src, direct, plan->source->view == DTX_VIEW_GLOBAL,
                lengths);
    read = stretch_of(c->ndim, lengths[0], lengths[1], c->src_bytes);
    set_lengths(c, c->final, false, plan->target->view == DTX_VIEW_GLOBAL,
                lengths);
    written = stretch_of(c->ndim, lengths[0], lengths[1], c->dst_bytes);
    set_lengths(c, c->final, true, false, lengths);
    narrowest = stretch_of(c->ndim, lengths[0], lengths[1], c->wire_bytes);
    set_lengths(c, c->src, direct, true, lengths);
    summed[0] = stretch_of(c->ndim, lengths[0], lengths[1], c->src_bytes);
    set_lengths(c, c->final, false, true, lengths);
    summed[1] = stretch_of(c->ndim, lengths[0], lengths[1], c->dst_bytes);
    for (i = 0; i < count; i++) {
        struct dtx_work *w = &works[processes[i]];
        double passed =
            (double)(w->bytes.kept + w->bytes.passed + w->bytes.received);

        set_reading(w, read);
        w->write_requests = (double)w->bytes.written / written.run;
        /* Short rows are copied slower than long ones. */
        w->copied = passed * (1 + 256 / (narrowest.run + 64));
        w->converted = converts ? (double)w->bytes.written : 0;
        w->read_digested = digest_work(w->bytes.read, summed[0]);
        w->write_digested = digest_work(w->bytes.written, summed[1]);
    }
}

void
dtx_cost_sum(struct dtx_work *sum, const struct dtx_work *work)
{
    sum->far_sent += work->far_sent;
    sum->far_received += work->far_received;
    sum->fetched += work->fetched;
    sum->read_requests += work->read_requests;
    sum->write_requests += work->write_requests;
    sum->copied += work->copied;
    sum->converted += work->converted;
    sum->read_digested += work->read_digested;
    sum->write_digested += work->write_digested;
}
