#include <string.h>

#include <dtx/plan.h>

static const char *const strategy_names[DTX_STRATEGY_COUNT] = {
    [DTX_STRATEGY_AUTO] = "auto",
    [DTX_STRATEGY_OPTIMAL] = "optimal",
    [DTX_STRATEGY_REDISTRIBUTE] = "redistribute",
    [DTX_STRATEGY_MATERIALIZE] = "materialize",
    [DTX_STRATEGY_DIRECT] = "direct",
};

const char *
dtx_strategy_name(enum dtx_strategy strategy)
{
    return strategy_names[strategy];
}

bool
dtx_strategy_find(const char *name, enum dtx_strategy *out)
{
    int i;

    for (i = 0; i < DTX_STRATEGY_COUNT; i++) {
        if (strcmp(name, strategy_names[i]) == 0) {
            *out = (enum dtx_strategy)i;
            return true;
        }
    }
    return false;
}
