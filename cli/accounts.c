#include "accounts.h"

#include <inttypes.h>
#include <math.h>

enum { CONVERTED = 2, ACCOUNT_COUNT = 7 };

/* A kind of change. */
struct account {
    const char *key;
    const char *one;  /* what stands behind a 1 in the text */
    const char *many; /* behind another number */
    int64_t count;
};

static void
list_accounts(const struct dtx_plan_totals *totals, struct account *accounts)
{
    const struct account all[ACCOUNT_COUNT] = {
        {"objects", "other object copied whole", "other objects copied whole",
         totals->object_count},
        {"excluded", "tensor left out by name", "tensors left out by name",
         totals->excluded_count},
        {"converted", "tensor converted", "tensors converted",
         totals->converted_count},
        {"renamed", "tensor renamed", "tensors renamed", totals->renamed_count},
        {"padded", "tensor padded", "tensors padded", totals->padded_count},
        {"trimmed", "tensor without the padding that is stored",
         "tensors without the padding that is stored", totals->trimmed_count},
        {"reduced", "tensor put together from terms",
         "tensors put together from terms", totals->reduced_count},
    };

    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        accounts[i] = all[i];
    }
}

static const char *
tensor_of(const struct dtx_plan *plan,
          const struct dtx_conversion_error *conversion)
{
    struct dtx_plan_tensor tensor;

    if (conversion->tensor < 0) {
        return "";
    }
    dtx_plan_tensor(plan, conversion->tensor, &tensor);
    return tensor.name;
}

static void
add_conversion(struct dtx_text *text, const struct dtx_plan *plan,
               const struct dtx_conversion_error *conversion)
{
    if (conversion->tensor < 0) {
        return;
    }
    if (isinf(conversion->absolute)) {
        dtx_text_format(text, "; values of '%s' became infinite",
                        tensor_of(plan, conversion));
    } else {
        dtx_text_format(text, "; the largest error is %.3g, in '%s'",
                        conversion->absolute, tensor_of(plan, conversion));
    }
    if (!isinf(conversion->relative)) {
        dtx_text_format(text, "; relative to the value %.3g",
                        conversion->relative);
    }
}

void
accounts_text(struct dtx_text *text, const struct dtx_plan *plan,
              const struct dtx_reshard_summary *summary)
{
    struct account accounts[ACCOUNT_COUNT];

    list_accounts(dtx_plan_totals(plan), accounts);
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        const struct account *account = &accounts[i];

        if (account->count == 0) {
            continue;
        }
        dtx_text_format(text, "  %" PRId64 " %s", account->count,
                        account->count == 1 ? account->one : account->many);
        if (summary != NULL && i == CONVERTED) {
            add_conversion(text, plan, &summary->conversion);
        }
        dtx_text_add(text, "\n");
    }
}

void
accounts_json(struct json *json, const struct dtx_plan *plan)
{
    struct account accounts[ACCOUNT_COUNT];

    list_accounts(dtx_plan_totals(plan), accounts);
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        json_int(json, accounts[i].key, accounts[i].count);
    }
}

void
accounts_json_conversion(struct json *json, const struct dtx_plan *plan,
                         const struct dtx_reshard_summary *summary)
{
    const struct dtx_conversion_error *c = &summary->conversion;

    json_object(json, "conversion");
    json_real(json, "absolute", c->absolute);
    json_real(json, "relative", c->relative);
    json_bool(json, "overflows", isinf(c->absolute));
    if (c->tensor >= 0) {
        json_string(json, "tensor", tensor_of(plan, c));
    }
    json_object_end(json);
}
