/*
 * Meeting: both ends of a channel tell each other what they have.
 *
 * First everyone says in a few bytes which dtx it is and which ends it brings,
 * with a sum of each; then the lowest process of either end says it in full.
 * All then make the same plan, and compare that too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <dtx/version.h>

#include "channel/channel.h"
#include "channel/schema.h"
#include "layout/crc64.h"
#include "util/alloc.h"
#include "util/error.h"

enum { VERSION_BYTES = 32, DEFAULT_BUFFER_BYTES = 96 << 20 };

/* What each process says first. */
struct hello {
    char version[VERSION_BYTES];
    uint64_t sums[2]; /* of its ends; 0: it hasn't that one */
    int64_t strategy, carrier, has_machine;
    uint64_t buffer_bytes;
};

/* A meeting, on one process. */
struct meeting {
    struct dtx_transport *transport;
    const struct dtx_offer *offer;
    struct dtx_channel_options options; /* what is agreed on */
    struct dtx_machine machine;
    struct dtx_diagnostics *list;
    struct dtx_text own[2];  /* ends of this process, as bytes */
    struct dtx_text told[2]; /* both ends, as the lowest process tells them */
    struct schema schemas[2];
    int *processes[2]; /* [counts] that bring each end, ascending */
    int counts[2];
    struct dtx_arena arena;
    struct dtx_channel *channel;
};

/* ---------------------------------------------------------------- offers */

static enum dtx_status
check_end(const struct dtx_layout *layout, const struct dtx_catalog *catalog,
          bool needs_catalog, struct dtx_error *err)
{
    if (layout != NULL && !layout->is_memory) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the layout '%s' is of files, not of memory",
                             layout->file);
    }
    if (layout != NULL && needs_catalog && catalog == NULL) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "a source was offered without its tensors");
    }
    if (layout != NULL && catalog != NULL && catalog->file_count > 0) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the catalog is of files, not of memory");
    }
    return DTX_OK;
}

static enum dtx_status
check_offer(const struct meeting *m, struct dtx_error *err)
{
    const struct dtx_offer *o = m->offer;
    enum dtx_status status;

    if (o == NULL) { /* the program says why */
        return err->status != DTX_OK ? err->status : DTX_ERR_INVALID;
    }
    if (m->options.transport == DTX_CARRIER_CUDA &&
        dtx_cuda_check(err) != DTX_OK) {
        return DTX_ERR_DEVICE;
    }
    status = check_end(o->source, o->catalog, true, err);
    return status == DTX_OK ? check_end(o->target, o->expected, false, err)
                            : status;
}

/* Writes down what this process brings. */
static enum dtx_status
write_ends(struct meeting *m, struct dtx_error *err)
{
    const struct dtx_offer *o = m->offer;
    enum dtx_status status = check_offer(m, err);

    if (status != DTX_OK) {
        return status;
    }
    if (o->source != NULL) {
        schema_write(&m->own[DTX_SOURCE], o->source, o->source_map, o->catalog);
    }
    if (o->target != NULL) {
        schema_write(&m->own[DTX_TARGET], o->target, o->target_map,
                     o->expected);
    }
    return m->own[DTX_SOURCE].failed || m->own[DTX_TARGET].failed
               ? dtx_error_memory(err)
               : DTX_OK;
}

/* ---------------------------------------------------------------- hellos */

static uint64_t
sum_of(const struct dtx_text *bytes)
{
    return bytes->length == 0
               ? 0
               : dtx_crc64_append(DTX_CRC64_ONE, bytes->data, bytes->length) |
                     1;
}

static struct hello
say_hello(const struct meeting *m)
{
    struct hello hello = {
        .sums = {sum_of(&m->own[0]), sum_of(&m->own[1])},
        .strategy = (int64_t)m->options.strategy,
        .carrier = (int64_t)m->options.transport,
        .has_machine = m->options.machine != NULL,
        .buffer_bytes = m->options.buffer_bytes,
    };

    snprintf(hello.version, sizeof hello.version, "%s", dtx_version());
    return hello;
}

/* Holds an end of one process against that of the ones before it. */
static enum dtx_status
hear_end(struct meeting *m, int end, int process, uint64_t sum,
         uint64_t *first_sum, struct dtx_error *err)
{
    if (sum == 0) {
        return DTX_OK;
    }
    if (m->counts[end] > 0 && sum != *first_sum) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "processes %d and %d offer different %ss: other "
                             "layouts, tensors or maps",
                             m->processes[end][0], process,
                             end == DTX_SOURCE ? "source" : "target");
    }
    *first_sum = sum;
    m->processes[end][m->counts[end]++] = process;
    return DTX_OK;
}

/* Of options, what anyone wants counts, unless two want different things. */
static enum dtx_status
hear_options(struct meeting *m, const struct hello *hello, int process,
             struct dtx_error *err)
{
    enum dtx_strategy strategy = (enum dtx_strategy)hello->strategy;

    if (hello->strategy < 0 || hello->strategy >= DTX_STRATEGY_COUNT) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "process %d wants a strategy that there isn't",
                             process);
    }
    if (strategy != DTX_STRATEGY_AUTO) {
        if (m->options.strategy != DTX_STRATEGY_AUTO &&
            m->options.strategy != strategy) {
            return dtx_error_set(err, DTX_ERR_INVALID,
                                 "process %d wants the strategy '%s', others "
                                 "'%s'",
                                 process, dtx_strategy_name(strategy),
                                 dtx_strategy_name(m->options.strategy));
        }
        m->options.strategy = strategy;
    }
    if (hello->buffer_bytes > 0 &&
        (m->options.buffer_bytes == 0 ||
         hello->buffer_bytes < m->options.buffer_bytes)) {
        m->options.buffer_bytes = hello->buffer_bytes;
    }
    return DTX_OK;
}

/* Judges what all say, alike on all processes. */
static enum dtx_status
hear(struct meeting *m, const char *all, struct dtx_error *err)
{
    uint64_t sums[2] = {0, 0};
    struct hello first, hello;
    enum dtx_status status = DTX_OK;
    int i, end;

    memcpy(&first, all, sizeof first);
    m->options.strategy = DTX_STRATEGY_AUTO;
    m->options.buffer_bytes = 0;
    for (i = 0; i < m->transport->process_count && status == DTX_OK; i++) {
        memcpy(&hello, all + (size_t)i * sizeof hello, sizeof hello);
        if (memcmp(hello.version, first.version, sizeof first.version) != 0) {
            return dtx_error_set(err, DTX_ERR_INVALID,
                                 "process %d has dtx %.*s, process 0 has %.*s",
                                 i, VERSION_BYTES, hello.version, VERSION_BYTES,
                                 first.version);
        }
        status = hear_options(m, &hello, i, err);
        for (end = DTX_SOURCE; end <= DTX_TARGET && status == DTX_OK; end++) {
            status = hear_end(m, end, i, hello.sums[end], &sums[end], err);
        }
    }
    for (end = DTX_SOURCE; end <= DTX_TARGET && status == DTX_OK; end++) {
        if (m->counts[end] == 0) {
            status = dtx_error_set(err, DTX_ERR_INVALID, "nobody %s",
                                   end == DTX_SOURCE ? "sends" : "receives");
        }
    }
    m->options.machine = first.has_machine ? &m->machine : NULL;
    return status;
}

static enum dtx_status
greet(struct meeting *m, struct dtx_error *err)
{
    struct hello own = say_hello(m);
    char *all = NULL;
    enum dtx_status status = m->transport->ops->gather(
        m->transport, &own, sizeof own, NULL, &all, err);

    if (status == DTX_OK) {
        status = hear(m, all, err);
    }
    dtx_free(all);
    return status;
}

/* ---------------------------------------------------------------- telling */

/* Gets an end in full from the lowest process that brings it. */
static enum dtx_status
tell(struct meeting *m, int end, struct dtx_error *err)
{
    int root = m->processes[end][0];
    bool is_root = root == m->transport->process;
    struct dtx_text *told = &m->told[end];
    uint64_t length = m->own[end].length;
    enum dtx_status status = m->transport->ops->broadcast(
        m->transport, root, &length, sizeof length, err);

    if (status != DTX_OK) {
        return status;
    }
    if (is_root) {
        dtx_text_add_bytes(told, m->own[end].data, m->own[end].length);
    } else {
        told->data =
            length < SIZE_MAX ? dtx_alloc((size_t)length + 1, 1) : NULL;
        told->failed = told->data == NULL;
        told->length = told->failed ? 0 : (size_t)length;
    }
    status = dtx_transport_settle(
        m->transport, told->failed ? dtx_error_memory(err) : DTX_OK, err);
    return status == DTX_OK
               ? m->transport->ops->broadcast(m->transport, root, told->data,
                                              (size_t)length, err)
               : status;
}

static enum dtx_status
tell_machine(struct meeting *m, struct dtx_error *err)
{
    return m->options.machine == NULL
               ? DTX_OK
               : m->transport->ops->broadcast(m->transport, 0, &m->machine,
                                              sizeof m->machine, err);
}

/* ---------------------------------------------------------------- planning */

static enum dtx_status
read_end(struct meeting *m, int end, struct dtx_error *err)
{
    struct schema *schema = &m->schemas[end];
    enum dtx_status status = schema_read(m->told[end].data, m->told[end].length,
                                         &m->arena, schema, err);

    if (status == DTX_OK) {
        status = dtx_layout_parse(schema->text, schema->file, ".", DTX_MEMORY,
                                  m->list, &m->channel->layouts[end], err);
    }
    if (status == DTX_OK && schema->map != NULL &&
        schema->map_count != dtx_layout_rank_count(m->channel->layouts[end])) {
        status =
            dtx_error_set(err, DTX_ERR_INVALID, "a map doesn't fit its layout");
    }
    return status;
}

static enum dtx_status
make_plan(struct meeting *m, struct dtx_error *err)
{
    struct dtx_channel *channel = m->channel;
    struct dtx_plan_options options = {
        .strategy = m->options.strategy,
        .transport = m->options.transport,
        .process_count = m->transport->process_count,
        .memory_bytes = m->options.buffer_bytes > 0 ? m->options.buffer_bytes
                                                    : DEFAULT_BUFFER_BYTES,
        .map = DTX_MAP_BLOCK,
        .src_proc_count = m->counts[DTX_SOURCE],
        .src_procs = m->processes[DTX_SOURCE],
        .dst_proc_count = m->counts[DTX_TARGET],
        .dst_procs = m->processes[DTX_TARGET],
        .nodes = m->transport->nodes,
        .machine = m->options.machine};
    enum dtx_status status = read_end(m, DTX_SOURCE, err);

    if (status == DTX_OK) {
        status = read_end(m, DTX_TARGET, err);
    }
    if (status == DTX_OK) {
        status = dtx_catalog_create(m->schemas[DTX_SOURCE].specs,
                                    m->schemas[DTX_SOURCE].spec_count,
                                    &channel->catalog, err);
    }
    options.src_map = m->schemas[DTX_SOURCE].map;
    options.dst_map = m->schemas[DTX_TARGET].map;
    if (status == DTX_OK) {
        status = dtx_plan_create(channel->layouts[DTX_SOURCE],
                                 channel->layouts[DTX_TARGET], channel->catalog,
                                 &options, m->list, &channel->own_plan, err);
    }
    channel->plan = channel->own_plan;
    return status;
}

/* ---------------------------------------------------------------- expecting */

static enum dtx_status
expect_tensor(const struct dtx_plan *plan, const struct dtx_tensor_spec *spec,
              struct dtx_error *err)
{
    int index = dtx_plan_find_tensor(plan, DTX_TARGET, spec->name);
    const struct dtx_tensor *t = index < 0 ? NULL : &plan->tensors[index];

    if (t == NULL) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "a tensor that is expected isn't sent");
    } else if (t->dst_type.dtype != spec->dtype) {
        dtx_error_set(
            err, DTX_ERR_INVALID, "the tensor arrives as %s, expected is %s",
            dtx_dtype_name(t->dst_type.dtype), dtx_dtype_name(spec->dtype));
    } else if (t->ndim != spec->ndim ||
               memcmp(t->shape, spec->shape,
                      (size_t)t->ndim * sizeof *t->shape) != 0) {
        dtx_error_set(err, DTX_ERR_INVALID,
                      "the tensor arrives in another shape than is expected");
    } else {
        return DTX_OK;
    }
    dtx_error_tensor(err, "'%s'", spec->name);
    return DTX_ERR_INVALID;
}

/* Holds the plan against what the target expects. */
static enum dtx_status
expect(const struct meeting *m, struct dtx_error *err)
{
    const struct schema *schema = &m->schemas[DTX_TARGET];
    const struct dtx_plan *plan = m->channel->plan;
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < schema->spec_count && status == DTX_OK; i++) {
        status = expect_tensor(plan, &schema->specs[i], err);
    }
    if (status == DTX_OK && schema->has_specs &&
        schema->spec_count != plan->tensor_count) {
        status = dtx_error_set(err, DTX_ERR_INVALID,
                               "%d tensors are sent, %d are expected",
                               plan->tensor_count, schema->spec_count);
    }
    return status;
}

/* ---------------------------------------------------------------- meeting */

static enum dtx_status
make_room(struct meeting *m, struct dtx_error *err)
{
    size_t count = (size_t)m->transport->process_count;
    int end;

    m->channel = dtx_alloc(1, sizeof *m->channel);
    for (end = DTX_SOURCE; end <= DTX_TARGET; end++) {
        m->processes[end] = dtx_arena_alloc(&m->arena, count, sizeof(int));
        if (m->processes[end] == NULL || m->channel == NULL) {
            return dtx_error_memory(err);
        }
    }
    return DTX_OK;
}

static enum dtx_status
meet(struct meeting *m, struct dtx_error *err)
{
    enum dtx_status status = write_ends(m, err);

    if (status == DTX_OK) {
        status = make_room(m, err);
    }
    status = dtx_transport_settle(m->transport, status, err);
    if (status == DTX_OK) {
        status = greet(m, err);
    }
    if (status == DTX_OK) {
        status = tell(m, DTX_SOURCE, err);
    }
    if (status == DTX_OK) {
        status = tell(m, DTX_TARGET, err);
    }
    if (status == DTX_OK) {
        status = tell_machine(m, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    status = make_plan(m, err);
    if (status == DTX_OK) {
        status = expect(m, err);
    }
    return dtx_transport_settle(m->transport, status, err);
}

enum dtx_status
dtx_channel_meet(const struct dtx_offer *offer, struct dtx_transport *transport,
                 const struct dtx_channel_options *options,
                 struct dtx_diagnostics *list, struct dtx_channel **channel_out,
                 struct dtx_error *err)
{
    struct meeting m = {.transport = transport, .offer = offer, .list = list};
    enum dtx_status status;
    int end;

    if (options != NULL) {
        m.options = *options;
        if (options->machine != NULL) {
            m.machine = *options->machine;
        }
    }
    status = meet(&m, err);
    if (status == DTX_OK) {
        status = channel_prepare(m.channel, transport, DTX_OK, err);
    } else {
        dtx_channel_close(m.channel);
    }
    for (end = DTX_SOURCE; end <= DTX_TARGET; end++) {
        dtx_text_finish(&m.own[end]);
        dtx_text_finish(&m.told[end]);
    }
    dtx_arena_finish(&m.arena);
    if (status == DTX_OK) {
        *channel_out = m.channel;
    }
    return status;
}
