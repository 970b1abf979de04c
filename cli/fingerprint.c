#include <string.h>

#include "options.h"

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

int64_t
arguments_fingerprint(const struct arguments *arguments)
{
    const bool switches[] = {arguments->is_dry_run,   arguments->is_json,
                             arguments->is_forced,    arguments->is_quiet,
                             arguments->is_verbose,   arguments->wants_help,
                             arguments->wants_version};
    uint64_t hash = 0xCBF29CE484222325;

    hash = mix_number(hash, arguments->strategy);
    hash = mix_number(hash, arguments->map);
    hash = mix_number(hash, arguments->memory_bytes);
    hash = mix_number(hash, (uint64_t)arguments->process_count);
    hash = mix_number(hash, arguments->progress);
    hash = mix_number(hash, arguments->check_replicas);
    hash = mix(hash, switches, sizeof(switches));
    hash = mix_globs(hash, &arguments->include);
    hash = mix_globs(hash, &arguments->exclude);
    hash = mix_string(hash, arguments->transfers);
    for (int i = 0; i < arguments->operand_count; i++) {
        hash = mix_string(hash, arguments->operands[i]);
    }
    return (int64_t)(hash >> 1);
}
