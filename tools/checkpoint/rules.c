#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "util/error.h"
#include "util/glob.h"
#include "util/math.h"
#include "util/names.h"
#include "util/text.h"

/* What the rules are made for. */
struct recipe {
    const struct options *options;
    const char *axes[ROLE_COUNT]; /* NULL: the mesh has none */
    int tp_size;                  /* 0: not known */
    struct dtx_arena arena;
    struct dtx_text mesh;
};

static const char *const role_names[ROLE_COUNT] = {
    [ROLE_TP] = "tp", [ROLE_FSDP] = "fsdp", [ROLE_PP] = "pp", [ROLE_EP] = "ep"};

/* An axis of the mesh: it takes the role of its name, unless another axis was
 * named for that. */
static void
take_axis(struct recipe *recipe, const char *name, int size)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (recipe->axes[role] == NULL && strcmp(name, role_names[role]) == 0) {
            recipe->axes[role] = name;
        }
    }
    if (recipe->axes[ROLE_TP] != NULL &&
        strcmp(recipe->axes[ROLE_TP], name) == 0) {
        recipe->tp_size = size;
    }
    dtx_text_format(&recipe->mesh, "%s%s: %d",
                    recipe->mesh.length == 0 ? "" : ", ", name, size);
}

/* "dp=2,tp=4" */
static enum dtx_status
read_mesh(struct recipe *recipe, struct dtx_error *err)
{
    char *text = dtx_arena_string(&recipe->arena, recipe->options->mesh);

    while (text != NULL && *text != '\0') {
        char *equals = strchr(text, '=');
        char *end = text;
        long size = 0;

        if (equals != NULL && equals > text) {
            *equals = '\0';
            size = strtol(equals + 1, &end, 10);
        }
        if (size < 1 || size > 1 << 24 || (*end != ',' && *end != '\0')) {
            return dtx_error_set(err, DTX_ERR_INVALID,
                                 "'%s' is no mesh; write dp=2,tp=4",
                                 recipe->options->mesh);
        }
        take_axis(recipe, text, (int)size);
        text = *end == ',' ? end + 1 : end;
    }
    return text == NULL ? dtx_error_memory(err) : DTX_OK;
}

/*
 * Adds the name of an entry as a glob: keys become `*`, and the key
 * `numbered`, where there is one, {n}; after it anything may follow.
 */
static void
add_glob(struct recipe *recipe, const struct table_entry *entry,
         const char *numbered, struct dtx_text *glob)
{
    const char *at = entry->name;

    while (*at != '\0') {
        size_t literal = strcspn(at, "{");
        const char *part =
            dtx_arena_format(&recipe->arena, "%.*s", (int)literal, at);
        size_t key = strcspn(at + literal, "}");

        dtx_glob_quote(glob, part == NULL ? "" : part);
        glob->failed = glob->failed || part == NULL;
        at += literal;
        if (*at == '\0') {
            return;
        }
        if (numbered != NULL && strncmp(at + 1, numbered, key - 1) == 0 &&
            strlen(numbered) == key - 1) {
            dtx_text_add(glob, at[key + 1] == '.' ? "{n}.**" : "{n}**");
            return;
        }
        dtx_text_add(glob, "*");
        at += at[key] == '}' ? key + 1 : key;
    }
}

/* The key that counts layers: the first that doesn't count experts. */
static const struct table_key *
layer_key(const struct table_entry *entry)
{
    for (int i = 0; i < entry->key_count; i++) {
        if (entry->ep_index == NULL ||
            strcmp(entry->keys[i].name, entry->ep_index) != 0) {
            return &entry->keys[i];
        }
    }
    return NULL;
}

static const struct table_key *
expert_key(const struct table_entry *entry)
{
    for (int i = 0; i < entry->key_count; i++) {
        if (entry->ep_index != NULL &&
            strcmp(entry->keys[i].name, entry->ep_index) == 0) {
            return &entry->keys[i];
        }
    }
    return NULL;
}

/* The largest number that a key of the same glob reaches in the table. */
static int64_t
last_number(struct recipe *recipe, const struct table *table, const char *glob,
            const struct table_key *(*find)(const struct table_entry *))
{
    int64_t last = 0;

    for (int i = 0; i < table->entry_count; i++) {
        const struct table_key *key = find(&table->entries[i]);
        struct dtx_text other = {0};

        if (key != NULL) {
            add_glob(recipe, &table->entries[i], key->name, &other);
            if (other.data != NULL && strcmp(other.data, glob) == 0) {
                last = dtx_max(last, key->last);
            }
        }
        dtx_text_finish(&other);
    }
    return last;
}

/* The `numbered` entries of one axis, each glob once. */
static void
add_numbered(struct recipe *recipe, const struct table *table, enum role role,
             const struct table_key *(*find)(const struct table_entry *),
             struct dtx_text *text)
{
    struct dtx_names globs = {0};

    for (int i = 0; i < table->entry_count && recipe->axes[role] != NULL; i++) {
        const struct table_key *key = find(&table->entries[i]);
        struct dtx_text glob = {0};
        int count = globs.count;

        if (key == NULL) {
            continue;
        }
        add_glob(recipe, &table->entries[i], key->name, &glob);
        if (glob.failed || glob.data == NULL ||
            dtx_names_add(&globs, glob.data) < 0) {
            text->failed = true;
        } else if (globs.count > count) {
            dtx_text_add(text, text->length == 0 ? "numbered:\n" : "");
            dtx_text_add(text, "  - name: ");
            dtx_text_quote(text, glob.data);
            dtx_text_format(
                text, "\n    axis: %s\n    held: %lld\n", recipe->axes[role],
                (long long)last_number(recipe, table, glob.data, find) + 1);
        }
        dtx_text_finish(&glob);
    }
    dtx_names_finish(&globs);
}

/* "{shard: 0, segments: [8, 8]}", "{shard: 0, block: 128}" or "shard(0)". */
static void
add_tp(const struct recipe *recipe, const struct table_entry *entry,
       struct dtx_text *text)
{
    int dim = entry->tp_dim;
    int64_t extent =
        scale_extent(&recipe->options->scale, dim, entry->shape[dim]);

    if (entry->fused_count > 0) {
        dtx_text_format(text, "{shard: %d, segments: [", dim);
        for (int i = 0; i < entry->fused_count; i++) {
            dtx_text_format(text, "%s%lld", i == 0 ? "" : ", ",
                            (long long)(extent / entry->fused_count));
        }
        dtx_text_add(text, "]}");
    } else if (entry->heads > 0 && entry->head_dim > 0 && recipe->tp_size > 0 &&
               entry->heads % recipe->tp_size != 0) {
        dtx_text_format(text, "{shard: %d, block: %lld}", dim,
                        (long long)scale_extent(&recipe->options->scale, dim,
                                                entry->head_dim));
    } else {
        dtx_text_format(text, "shard(%d)", dim);
    }
}

/* tp before fsdp: sharded data parallel over tensor parallel. */
static void
add_placements(const struct recipe *recipe, const struct table_entry *entry,
               struct dtx_text *text)
{
    const char *between = "";

    dtx_text_add(text, "    placements: {");
    if (recipe->axes[ROLE_TP] != NULL && entry->tp_dim >= 0) {
        dtx_text_format(text, "%s: ", recipe->axes[ROLE_TP]);
        add_tp(recipe, entry, text);
        between = ", ";
    }
    if (recipe->axes[ROLE_FSDP] != NULL && entry->ndim > 0) {
        dtx_text_format(text, "%s%s: shard(0)", between,
                        recipe->axes[ROLE_FSDP]);
    }
    dtx_text_add(text, "}\n");
}

/* True where the last rule, for all that have none, says the same. */
static bool
is_usual(const struct recipe *recipe, const struct table_entry *entry)
{
    return (recipe->axes[ROLE_TP] == NULL || entry->tp_dim < 0) &&
           (recipe->axes[ROLE_PP] == NULL || entry->stage == STAGE_ANY) &&
           (recipe->axes[ROLE_FSDP] == NULL || entry->ndim > 0);
}

static void
add_rule(struct recipe *recipe, const struct table_entry *entry,
         struct dtx_text *text)
{
    struct dtx_text glob = {0};

    add_glob(recipe, entry, NULL, &glob);
    dtx_text_add(text, "  - name: ");
    dtx_text_quote(text, glob.failed ? "" : glob.data);
    dtx_text_add(text, "\n");
    if (recipe->axes[ROLE_PP] != NULL && entry->stage != STAGE_ANY) {
        dtx_text_format(text, "    where: {%s: %d}\n", recipe->axes[ROLE_PP],
                        entry->stage == STAGE_FIRST ? 0 : -1);
    }
    add_placements(recipe, entry, text);
    text->failed = text->failed || glob.failed;
    dtx_text_finish(&glob);
}

static void
add_rules(struct recipe *recipe, const struct table *table,
          struct dtx_text *text)
{
    const struct table_entry any = {.name = "**", .ndim = 1, .tp_dim = -1};

    dtx_text_add(text, "tensors:\n");
    for (int i = 0; i < table->entry_count; i++) {
        if (!is_usual(recipe, &table->entries[i])) {
            add_rule(recipe, &table->entries[i], text);
        }
    }
    dtx_text_add(text, "  - name: \"**\"\n");
    add_placements(recipe, &any, text);
}

static enum dtx_status
print_recipe(struct recipe *recipe, const struct table *table,
             struct dtx_error *err)
{
    struct dtx_text numbered = {0};
    struct dtx_text text = {0};
    bool failed;

    add_numbered(recipe, table, ROLE_PP, layer_key, &numbered);
    add_numbered(recipe, table, ROLE_EP, expert_key, &numbered);
    add_rules(recipe, table, &text);
    failed = numbered.failed || text.failed || recipe->mesh.failed;
    if (!failed) {
        printf("# %s\n",
               table->model == NULL ? table->document.path : table->model);
        if (recipe->options->mesh != NULL) {
            printf("mesh: {%s}\n",
                   recipe->mesh.data == NULL ? "" : recipe->mesh.data);
        }
        printf("%s%s", numbered.data == NULL ? "" : numbered.data, text.data);
    }
    dtx_text_finish(&numbered);
    dtx_text_finish(&text);
    return failed ? dtx_error_memory(err) : DTX_OK;
}

enum dtx_status
rules_print(const struct options *options, struct dtx_error *err)
{
    struct recipe recipe = {.options = options};
    struct table table;
    enum dtx_status status = table_read(options->table, &table, err);

    memcpy(recipe.axes, options->axes, sizeof(recipe.axes));
    if (status == DTX_OK && options->mesh != NULL) {
        status = read_mesh(&recipe, err);
    }
    if (status == DTX_OK) {
        status = print_recipe(&recipe, &table, err);
    }
    dtx_text_finish(&recipe.mesh);
    dtx_arena_finish(&recipe.arena);
    table_finish(&table);
    return status;
}
