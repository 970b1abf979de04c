#include <string.h>

#include "options.h"

static const uint64_t start_hash = 0xCBF29CE484222325;

/* FNV-1a. */
static uint64_t
mix(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ at[i]) * 0x100000001B3;
    }
    return hash;
}

static uint64_t
mix_number(uint64_t hash, uint64_t number)
{
    return mix(hash, &number, sizeof(number));
}

/* With its NUL, so that the ends of strings count. */
static uint64_t
mix_string(uint64_t hash, const char *string)
{
    return string != NULL ? mix(hash, string, strlen(string) + 1)
                          : mix_number(hash, 0);
}

static uint64_t
mix_globs(uint64_t hash, const struct globs *globs)
{
    hash = mix_number(hash, globs->count);
    for (size_t i = 0; i < globs->count; i++) {
        hash = mix_string(hash, globs->items[i]);
    }
    return hash;
}

static uint64_t
mix_processes(uint64_t hash, const struct processes *list)
{
    hash = mix_number(hash, list->count);
    return list->count > 0
               ? mix(hash, list->items, list->count * sizeof(*list->items))
               : hash;
}

int64_t
arguments_fingerprint(const struct arguments *arguments)
{
    const bool switches[] = {arguments->is_cached,   arguments->is_dry_run,
                             arguments->is_json,     arguments->is_forced,
                             arguments->is_verified, arguments->is_resumed,
                             arguments->is_quiet,    arguments->is_verbose,
                             arguments->wants_help,  arguments->wants_version};
    uint64_t hash = start_hash;

    hash = mix_number(hash, arguments->strategy);
    hash = mix_number(hash, arguments->map);
    hash = mix_number(hash, arguments->transport);
    hash = mix_number(hash, arguments->device);
    hash = mix_number(hash, arguments->memory_bytes);
    hash = mix_number(hash, (uint64_t)arguments->process_count);
    hash = mix_number(hash, arguments->progress);
    hash = mix_number(hash, arguments->check_replicas);
    hash = mix_number(hash, (uint64_t)arguments->checkpoint_seconds);
    hash = mix(hash, switches, sizeof(switches));
    hash = mix_processes(hash, &arguments->src_procs);
    hash = mix_processes(hash, &arguments->dst_procs);
    hash = mix_globs(hash, &arguments->include);
    hash = mix_globs(hash, &arguments->exclude);
    hash = mix_string(hash, arguments->transfers);
    hash = mix_string(hash, arguments->html);
    hash = mix_string(hash, arguments->rankfile);
    hash = mix_string(hash, arguments->hosts.path);
    hash = mix_string(hash, arguments->machine);
    for (int i = 0; i < arguments->mesh.axis_count; i++) {
        hash = mix_string(hash, arguments->mesh.names[i]);
        hash = mix_number(hash, (uint64_t)arguments->mesh.sizes[i]);
    }
    hash = mix_string(hash, arguments->like);
    hash = mix_string(hash, arguments->catalog);
    hash = mix_string(hash, arguments->path);
    hash = mix_string(hash, arguments->output);
    hash = mix_string(hash, arguments->tensor);
    for (int i = 0; i < arguments->operand_count; i++) {
        hash = mix_string(hash, arguments->operands[i]);
    }
    return (int64_t)(hash >> 1);
}

int64_t
text_fingerprint(const char *text)
{
    return (int64_t)(mix_string(start_hash, text) >> 1);
}

int64_t
plan_fingerprint(const struct dtx_plan *plan)
{
    const struct dtx_plan_totals *totals = dtx_plan_totals(plan);
    int count = dtx_plan_tensor_count(plan);
    uint64_t hash = start_hash;

    hash = mix_number(hash, totals->read);
    hash = mix_number(hash, totals->kept);
    hash = mix_number(hash, totals->moved);
    hash = mix_number(hash, totals->written);
    for (int i = 0; i < count; i++) {
        struct dtx_plan_tensor t;

        dtx_plan_tensor(plan, i, &t);
        hash = mix_string(hash, t.source_name);
        hash = mix_string(hash, t.name);
        hash = mix_number(hash, t.source_type.dtype);
        hash = mix_number(hash, t.type.dtype);
        hash = mix(hash, t.shape, (size_t)t.ndim * sizeof(*t.shape));
        hash = mix_string(hash, t.from);
        hash = mix_string(hash, t.to);
    }
    return (int64_t)(hash >> 1);
}
