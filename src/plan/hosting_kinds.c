#include <stdlib.h>

#include "plan/hosting_gather.h"
#include "util/alloc.h"

/* ------------------------------------------------------------------- views */

static int
index_hosts(struct dtx_gather *g)
{
    const struct dtx_hosts *hosts = &g->h->hosts;
    int processes = g->h->plan->options.process_count, i;

    g->host_index = dtx_alloc((size_t)processes, sizeof *g->host_index);
    if (g->host_index == NULL) {
        return -1;
    }
    for (i = 0; i < processes; i++) {
        g->host_index[i] = -1;
    }
    for (i = 0; i < hosts->count; i++) {
        g->host_index[hosts->processes[i]] = i;
    }
    return 0;
}

static int
make_views(struct dtx_gather *g)
{
    const struct dtx_plan *plan = g->h->plan;
    bool approximately = g->position_count > DTX_HOSTING_EXACT_MOST;
    int i;

    g->is_exact = true;
    g->views = dtx_alloc((size_t)plan->class_count, sizeof *g->views);
    if (g->views == NULL) {
        return -1;
    }
    for (i = 0; i < plan->class_count; i++) {
        struct dtx_hosting_view *view = &g->views[g->view_count];

        if (plan->classes[i]->elements == 0) {
            continue;
        }
        if (dtx_hosting_view_init(view, plan->classes[i], g->h->moves_target,
                                  approximately) != 0) {
            dtx_hosting_view_finish(view);
            return -1;
        }
        g->is_exact &= view->is_exact;
        if (dtx_hosting_view_decides(view, g->host_index, g->h->hosts.count)) {
            g->view_count++;
        } else {
            dtx_hosting_view_finish(view);
        }
    }
    return 0;
}

/* ------------------------------------------------------------------- items */

/* What the hosts have of a view. */
struct host_items {
    int *first; /* [hosts + 1] into items */
    int *items; /* each host's ascending */
    int most;   /* of a host */
};

static int
compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left;
    int b = *(const int *)right;

    return a < b ? -1 : a > b;
}

static void
list_host(const struct dtx_hosting_view *view, int process,
          struct host_items *list, int *count)
{
    int first, uses = dtx_side_uses(view->fixed, process, &first), i;
    int start = *count;

    for (i = first; i < first + uses; i++) {
        list->items[(*count)++] = dtx_hosting_view_item(
            view, view->fixed, view->fixed->uses[i].shard);
    }
    qsort(&list->items[start], (size_t)uses, sizeof(int), compare_ints);
    list->most = uses > list->most ? uses : list->most;
}

static int
host_items_init(struct host_items *list, const struct dtx_gather *g,
                const struct dtx_hosting_view *view)
{
    const struct dtx_hosts *hosts = &g->h->hosts;
    int i, count = 0;

    *list = (struct host_items){0};
    list->first = dtx_alloc((size_t)hosts->count + 1, sizeof *list->first);
    list->items =
        dtx_alloc((size_t)view->fixed->use_count, sizeof *list->items);
    if (list->first == NULL || list->items == NULL) {
        return -1;
    }
    for (i = 0; i < hosts->count; i++) {
        list->first[i] = count;
        list_host(view, hosts->processes[i], list, &count);
    }
    list->first[hosts->count] = count;
    return 0;
}

static void
host_items_finish(struct host_items *list)
{
    dtx_free(list->first);
    dtx_free(list->items);
}

/* ------------------------------------------------------------------- kinds */

/* Splits the hosts by their first items, then by their second ones, … */
static int
split_hosts(struct dtx_kinds *columns, const struct host_items *list)
{
    int *values = dtx_alloc((size_t)columns->thing_count, sizeof *values);
    int turn, i;

    if (values == NULL) {
        return -1;
    }
    for (turn = 0; turn < list->most; turn++) {
        for (i = 0; i < columns->thing_count; i++) {
            int at = list->first[i] + turn;

            values[i] = at < list->first[i + 1] ? list->items[at] : -1;
        }
        dtx_kinds_split(columns, values);
    }
    dtx_free(values);
    return 0;
}

static int
make_kinds(struct dtx_gather *g)
{
    int i, failed = 0;

    if (dtx_kinds_init(&g->rows, g->position_count) != 0 ||
        dtx_kinds_init(&g->columns, g->h->hosts.count) != 0) {
        return -1;
    }
    for (i = 0; i < g->view_count && !failed; i++) {
        struct host_items list;

        failed = host_items_init(&list, g, &g->views[i]) != 0 ||
                 split_hosts(&g->columns, &list) != 0;
        host_items_finish(&list);
        dtx_kinds_split(&g->rows, g->views[i].items);
    }
    dtx_kinds_list(&g->rows);
    dtx_kinds_list(&g->columns);
    return failed ? -1 : 0;
}

/* ---------------------------------------------------------------- holdings */

/* True where a host's item at a place of its list is the same as before it. */
static bool
repeats(const struct host_items *list, int host, int at)
{
    return at > list->first[host] && list->items[at] == list->items[at - 1];
}

static void
count_holdings(const struct dtx_gather *g, const struct host_items *list,
               struct dtx_hosting_view *view)
{
    int column, i;

    for (column = 0; column < g->columns.kind_count; column++) {
        int host = g->columns.members[g->columns.first[column]];

        for (i = list->first[host]; i < list->first[host + 1]; i++) {
            view->holding_first[list->items[i] + 1] += !repeats(list, host, i);
        }
    }
    for (i = 0; i < view->item_count; i++) {
        view->holding_first[i + 1] += view->holding_first[i];
    }
}

/* ends  [items] where each item's holdings end so far */
static void
fill_holdings(const struct dtx_gather *g, const struct host_items *list,
              struct dtx_hosting_view *view, int *ends)
{
    int column, i;

    for (column = 0; column < g->columns.kind_count; column++) {
        int host = g->columns.members[g->columns.first[column]];

        for (i = list->first[host]; i < list->first[host + 1]; i++) {
            int item = list->items[i];

            if (repeats(list, host, i)) {
                view->holdings[ends[item] - 1].count++;
            } else {
                view->holdings[ends[item]++] = (struct dtx_holding){column, 1};
            }
        }
    }
}

static int
make_holdings(const struct dtx_gather *g, const struct host_items *list,
              struct dtx_hosting_view *view)
{
    size_t items = (size_t)view->item_count;
    int *ends;

    view->holding_first = dtx_alloc(items + 1, sizeof *view->holding_first);
    if (view->holding_first == NULL) {
        return -1;
    }
    count_holdings(g, list, view);
    view->holdings =
        dtx_alloc((size_t)view->holding_first[items], sizeof *view->holdings);
    ends = dtx_alloc(items, sizeof *ends);
    if (view->holdings == NULL || ends == NULL) {
        dtx_free(ends);
        return -1;
    }
    for (size_t i = 0; i < items; i++) {
        ends[i] = view->holding_first[i];
    }
    fill_holdings(g, list, view, ends);
    dtx_free(ends);
    return 0;
}

int
dtx_gather_kinds(struct dtx_gather *g)
{
    int i, failed;

    failed = index_hosts(g) != 0 || make_views(g) != 0 || make_kinds(g) != 0;
    for (i = 0; i < g->view_count && !failed; i++) {
        struct host_items list;

        failed = host_items_init(&list, g, &g->views[i]) != 0 ||
                 make_holdings(g, &list, &g->views[i]) != 0;
        host_items_finish(&list);
    }
    return failed ? -1 : 0;
}
