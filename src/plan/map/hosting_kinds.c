
#include "plan/map/hosting_gather.h"
#include "util/alloc.h"
#include "util/sort.h"

/* ------------------------------------------------------------------- views */

static int
index_procs(struct dtx_gather *g)
{
    const struct dtx_procs *procs = &g->h->procs;
    int processes = g->h->plan->options.process_count, i;

    g->proc_index = dtx_alloc((size_t)processes, sizeof *g->proc_index);
    if (g->proc_index == NULL) {
        return -1;
    }
    for (i = 0; i < processes; i++) {
        g->proc_index[i] = -1;
    }
    for (i = 0; i < procs->count; i++) {
        g->proc_index[procs->processes[i]] = i;
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
        if (dtx_hosting_view_decides(view, g->proc_index, g->h->procs.count)) {
            g->view_count++;
        } else {
            dtx_hosting_view_finish(view);
        }
    }
    return 0;
}

/* ------------------------------------------------------------------- items */

/* What processes have of a view: of those that have something, which mostly
 * are few. */
struct proc_items {
    int count;
    int *procs; /* [count] their indices, ascending */
    int *first; /* [count + 1] into items */
    int *items; /* each process's ascending */
    int most;   /* of a process */
};

static int
compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left;
    int b = *(const int *)right;

    return a < b ? -1 : a > b;
}

/* Adds the uses [first, end) of one process. */
static void
list_proc(struct proc_items *list, const struct dtx_hosting_view *view,
          int proc, int first, int end)
{
    int start = list->first[list->count], i;

    for (i = first; i < end; i++) {
        list->items[start + i - first] = dtx_hosting_view_item(
            view, view->fixed, view->fixed->uses[i].shard);
    }
    dtx_sort(&list->items[start], (size_t)(end - first), sizeof(int),
             compare_ints);
    list->most = end - first > list->most ? end - first : list->most;
    list->procs[list->count++] = proc;
    list->first[list->count] = start + end - first;
}

/* Lists what the processes have; no more than processes that have something
 * and uses of the fixed side. */
static int
proc_items_init(struct proc_items *list, const struct dtx_gather *g,
                const struct dtx_hosting_view *view)
{
    size_t uses = (size_t)view->fixed->use_count;
    const struct dtx_use *use = view->fixed->uses;
    int first = 0, i;

    *list = (struct proc_items){0};
    list->procs = dtx_alloc(uses, sizeof *list->procs);
    list->first = dtx_alloc(uses + 1, sizeof *list->first);
    list->items = dtx_alloc(uses, sizeof *list->items);
    if (list->procs == NULL || list->first == NULL || list->items == NULL) {
        return -1;
    }
    for (i = 1; i <= view->fixed->use_count; i++) {
        if (i < view->fixed->use_count &&
            use[i].process == use[first].process) {
            continue;
        }
        if (g->proc_index[use[first].process] >= 0) {
            list_proc(list, view, g->proc_index[use[first].process], first, i);
        }
        first = i;
    }
    return 0;
}

static void
proc_items_finish(struct proc_items *list)
{
    dtx_free(list->procs);
    dtx_free(list->first);
    dtx_free(list->items);
}

/* ------------------------------------------------------------------- kinds */

/* Splits the processes by their first items, then by their second ones, … */
static int
split_procs(struct dtx_kinds *columns, const struct proc_items *list)
{
    size_t room = (size_t)list->count;
    int *procs = dtx_alloc(room, sizeof *procs);
    int *values = dtx_alloc(room, sizeof *values);
    int turn, i, count;

    for (turn = 0; turn < list->most && procs != NULL && values != NULL;
         turn++) {
        for (i = count = 0; i < list->count; i++) {
            if (list->first[i] + turn < list->first[i + 1]) {
                procs[count] = list->procs[i];
                values[count++] = list->items[list->first[i] + turn];
            }
        }
        dtx_kinds_split_some(columns, procs, values, count);
    }
    dtx_free(procs);
    dtx_free(values);
    return procs == NULL || values == NULL ? -1 : 0;
}

static int
split_columns(struct dtx_gather *g, const struct dtx_hosting_view *view)
{
    struct proc_items list;
    int failed;

    if (dtx_kinds_are_single(&g->columns)) {
        return 0;
    }
    failed = proc_items_init(&list, g, view) != 0 ||
             split_procs(&g->columns, &list) != 0;
    proc_items_finish(&list);
    return failed ? -1 : 0;
}

static int
make_kinds(struct dtx_gather *g)
{
    int i, failed = 0;

    if (dtx_kinds_init(&g->rows, g->position_count) != 0 ||
        dtx_kinds_init(&g->columns, g->h->procs.count) != 0) {
        return -1;
    }
    for (i = 0; i < g->view_count && !failed; i++) {
        failed = split_columns(g, &g->views[i]) != 0;
        dtx_kinds_split(&g->rows, g->views[i].items);
    }
    dtx_kinds_list(&g->rows);
    dtx_kinds_list(&g->columns);
    return failed ? -1 : 0;
}

/* ---------------------------------------------------------------- stocks */

/* True where a process's item at a place of its list is the same as before it.
 */
static bool
repeats(const struct proc_items *list, int proc, int at)
{
    return at > list->first[proc] && list->items[at] == list->items[at - 1];
}

/* The column of a process of the list, which stands for it; -1 where another
 * one does. */
static int
column_of(const struct dtx_gather *g, const struct proc_items *list, int proc)
{
    int column = g->columns.kinds[list->procs[proc]];
    int first = g->columns.members[g->columns.first[column]];

    return first == list->procs[proc] ? column : -1;
}

static void
count_stocks(const struct dtx_gather *g, const struct proc_items *list,
             struct dtx_hosting_view *view)
{
    int proc, i;

    for (proc = 0; proc < list->count; proc++) {
        if (column_of(g, list, proc) < 0) {
            continue;
        }
        for (i = list->first[proc]; i < list->first[proc + 1]; i++) {
            view->stock_first[list->items[i] + 1] += !repeats(list, proc, i);
        }
    }
    for (i = 0; i < view->item_count; i++) {
        view->stock_first[i + 1] += view->stock_first[i];
    }
}

/* ends  [items] where each item's stocks end so far */
static void
fill_stocks(const struct dtx_gather *g, const struct proc_items *list,
            struct dtx_hosting_view *view, int *ends)
{
    int proc, i;

    for (proc = 0; proc < list->count; proc++) {
        int column = column_of(g, list, proc);

        for (i = list->first[proc]; column >= 0 && i < list->first[proc + 1];
             i++) {
            int item = list->items[i];

            if (repeats(list, proc, i)) {
                view->stocks[ends[item] - 1].count++;
            } else {
                view->stocks[ends[item]++] = (struct dtx_stock){column, 1};
            }
        }
    }
}

static int
make_stocks(const struct dtx_gather *g, const struct proc_items *list,
            struct dtx_hosting_view *view)
{
    size_t items = (size_t)view->item_count;
    int *ends;

    view->stock_first = dtx_alloc(items + 1, sizeof *view->stock_first);
    if (view->stock_first == NULL) {
        return -1;
    }
    count_stocks(g, list, view);
    view->stocks =
        dtx_alloc((size_t)view->stock_first[items], sizeof *view->stocks);
    ends = dtx_alloc(items, sizeof *ends);
    if (view->stocks == NULL || ends == NULL) {
        dtx_free(ends);
        return -1;
    }
    for (size_t i = 0; i < items; i++) {
        ends[i] = view->stock_first[i];
    }
    fill_stocks(g, list, view, ends);
    dtx_free(ends);
    return 0;
}

int
dtx_gather_kinds(struct dtx_gather *g)
{
    int i, failed;

    failed = index_procs(g) != 0 || make_views(g) != 0 || make_kinds(g) != 0;
    for (i = 0; i < g->view_count && !failed; i++) {
        struct proc_items list;

        failed = proc_items_init(&list, g, &g->views[i]) != 0 ||
                 make_stocks(g, &list, &g->views[i]) != 0;
        proc_items_finish(&list);
    }
    return failed ? -1 : 0;
}
