#include "propose/style.h"

#include <stddef.h>
#include <string.h>

struct word {
    const char *text;
    int meaning;
};

static int
find_word(const struct word *words, size_t count, const char *text,
          size_t length)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (strlen(words[i].text) == length &&
            strncmp(words[i].text, text, length) == 0) {
            return words[i].meaning;
        }
    }
    return 0;
}

enum propose_style
propose_style_of(const char *axis)
{
    static const struct word words[] = {
        {"dp", STYLE_DATA},           {"ddp", STYLE_DATA},
        {"data", STYLE_DATA},         {"replica", STYLE_DATA},
        {"dp_replicate", STYLE_DATA}, {"fsdp", STYLE_SHARDED},
        {"zero", STYLE_SHARDED},      {"shard", STYLE_SHARDED},
        {"dp_shard", STYLE_SHARDED},  {"tp", STYLE_TENSOR},
        {"mp", STYLE_TENSOR},         {"tensor", STYLE_TENSOR},
        {"model", STYLE_TENSOR},      {"pp", STYLE_PIPELINE},
        {"pipe", STYLE_PIPELINE},     {"pipeline", STYLE_PIPELINE},
        {"stage", STYLE_PIPELINE},    {"ep", STYLE_EXPERT},
        {"expert", STYLE_EXPERT},     {"experts", STYLE_EXPERT}};

    return (enum propose_style)find_word(words, sizeof words / sizeof *words,
                                         axis, strlen(axis));
}

static enum propose_role
role_of(const char *leaf, size_t length)
{
    static const struct word words[] = {{"q_proj", ROLE_COLUMN},
                                        {"k_proj", ROLE_COLUMN},
                                        {"v_proj", ROLE_COLUMN},
                                        {"wq", ROLE_COLUMN},
                                        {"wk", ROLE_COLUMN},
                                        {"wv", ROLE_COLUMN},
                                        {"query", ROLE_COLUMN},
                                        {"key", ROLE_COLUMN},
                                        {"value", ROLE_COLUMN},
                                        {"c_attn", ROLE_COLUMN},
                                        {"qkv_proj", ROLE_COLUMN},
                                        {"Wqkv", ROLE_COLUMN},
                                        {"wqkv", ROLE_COLUMN},
                                        {"qkv", ROLE_COLUMN},
                                        {"query_key_value", ROLE_COLUMN},
                                        {"linear_qkv", ROLE_COLUMN},
                                        {"q_b_proj", ROLE_COLUMN},
                                        {"kv_b_proj", ROLE_COLUMN},
                                        {"w1", ROLE_COLUMN},
                                        {"w3", ROLE_COLUMN},
                                        {"gate_proj", ROLE_COLUMN},
                                        {"up_proj", ROLE_COLUMN},
                                        {"gate_up_proj", ROLE_COLUMN},
                                        {"gate_up", ROLE_COLUMN},
                                        {"w13", ROLE_COLUMN},
                                        {"c_fc", ROLE_COLUMN},
                                        {"fc1", ROLE_COLUMN},
                                        {"fc_in", ROLE_COLUMN},
                                        {"dense_h_to_4h", ROLE_COLUMN},
                                        {"linear_fc1", ROLE_COLUMN},
                                        {"o_proj", ROLE_ROW},
                                        {"wo", ROLE_ROW},
                                        {"w2", ROLE_ROW},
                                        {"down_proj", ROLE_ROW},
                                        {"c_proj", ROLE_ROW},
                                        {"out_proj", ROLE_ROW},
                                        {"fc2", ROLE_ROW},
                                        {"fc_out", ROLE_ROW},
                                        {"dense_4h_to_h", ROLE_ROW},
                                        {"linear_fc2", ROLE_ROW},
                                        {"linear_proj", ROLE_ROW},
                                        {"dense", ROLE_ROW},
                                        {"wte", ROLE_VOCAB},
                                        {"embed_tokens", ROLE_VOCAB},
                                        {"tok_embeddings", ROLE_VOCAB},
                                        {"word_embeddings", ROLE_VOCAB},
                                        {"lm_head", ROLE_VOCAB},
                                        {"embed_out", ROLE_VOCAB},
                                        {"output_layer", ROLE_VOCAB},
                                        {"output", ROLE_VOCAB},
                                        {"wpe", ROLE_WHOLE},
                                        {"gate", ROLE_WHOLE},
                                        {"router", ROLE_WHOLE},
                                        {"norm", ROLE_WHOLE}};

    return (enum propose_role)find_word(words, sizeof words / sizeof *words,
                                        leaf, length);
}

static enum propose_fusion
fusion_of(const char *leaf, size_t length)
{
    static const struct word words[] = {
        {"c_attn", FUSED_QKV},   {"qkv_proj", FUSED_QKV},
        {"Wqkv", FUSED_QKV},     {"wqkv", FUSED_QKV},
        {"qkv", FUSED_QKV},      {"gate_up_proj", FUSED_PAIR},
        {"gate_up", FUSED_PAIR}, {"w13", FUSED_PAIR}};

    return (enum propose_fusion)find_word(words, sizeof words / sizeof *words,
                                          leaf, length);
}

static bool
contains(const char *text, size_t length, const char *part)
{
    size_t size = strlen(part), i;

    for (i = 0; i + size <= length; i++) {
        if (strncmp(text + i, part, size) == 0) {
            return true;
        }
    }
    return false;
}

/* The last component before `end`, of length *length_out. */
static const char *
last_component(const char *name, const char *end, size_t *length_out)
{
    const char *at = end;

    while (at > name && at[-1] != '.' && at[-1] != '/') {
        at--;
    }
    *length_out = (size_t)(end - at);
    return at;
}

struct propose_convention
propose_convention_of(const char *name)
{
    struct propose_convention c = {0};
    const char *end = name + strlen(name);
    size_t length;
    const char *leaf = last_component(name, end, &length);

    c.is_bias = length == 4 && strncmp(leaf, "bias", length) == 0;
    if (leaf > name &&
        (c.is_bias || (length == 6 && strncmp(leaf, "weight", length) == 0))) {
        leaf = last_component(name, leaf - 1, &length);
    }
    c.role = role_of(leaf, length);
    c.fusion = fusion_of(leaf, length);
    if (c.role == ROLE_UNKNOWN &&
        (contains(leaf, length, "norm") || contains(leaf, length, "ln_"))) {
        c.role = ROLE_WHOLE;
    }
    return c;
}

int
propose_tensor_dim(struct propose_convention c, int ndim, bool inputs_first)
{
    switch (c.role) {
    case ROLE_UNKNOWN:
    case ROLE_WHOLE:
        return -1;
    case ROLE_VOCAB:
        return ndim == 0 || c.is_bias ? -1 : 0;
    case ROLE_COLUMN:
        if (c.is_bias || ndim == 1) {
            return 0;
        }
        return ndim == 2 || ndim < 0 ? inputs_first : -1;
    case ROLE_ROW:
        return !c.is_bias && (ndim == 2 || ndim < 0) ? !inputs_first : -1;
    }
    return -1;
}

int
propose_parts(struct propose_convention c, int64_t whole, int64_t width,
              int64_t *lengths_out)
{
    int count = c.fusion == FUSED_QKV ? 3 : 2, i;

    if (c.fusion == FUSED_NOT) {
        return 0;
    }
    if (c.fusion == FUSED_QKV && width > 0 && whole != 3 * width &&
        whole > width && (whole - width) % 2 == 0) {
        lengths_out[0] = width; /* fewer heads of keys and values */
        lengths_out[1] = lengths_out[2] = (whole - width) / 2;
        return 3;
    }
    if (whole <= 0 || whole % count != 0) {
        return 0;
    }
    for (i = 0; i < count; i++) {
        lengths_out[i] = whole / count;
    }
    return count;
}
