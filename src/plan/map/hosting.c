#include "plan/map/hosting.h"

#include <string.h>

#include "plan/map/hosting_gather.h"
#include "util/alloc.h"
#include "util/math.h"

/* Edges looked at in an assignment: a second or two. */
static const int64_t work_limit = 1000000000;

/* While units become positions on processes. */
struct placing {
    const struct dtx_gather *g;
    const struct dtx_assignment *assignment;
    int *processes; /* [positions] -1: not placed yet */
    int *room;      /* [processes that may] positions */
    int *wanted;    /* [columns] positions of the row that go there */
    int *next;      /* [columns] the member that may have room */
    int next_proc;  /* that may have room */
};

/* ------------------------------------------------------------------- units */

static int
placing_init(struct placing *p, const struct dtx_gather *g)
{
    int i;

    p->g = g;
    p->room = dtx_alloc((size_t)g->h->procs.count, sizeof *p->room);
    p->wanted = dtx_alloc((size_t)g->columns.kind_count, sizeof *p->wanted);
    p->next = dtx_alloc((size_t)g->columns.kind_count, sizeof *p->next);
    if (p->room == NULL || p->wanted == NULL || p->next == NULL) {
        return -1;
    }
    for (i = 0; i < g->h->procs.count; i++) {
        p->room[i] = g->h->procs.most;
    }
    for (i = 0; i < g->columns.kind_count; i++) {
        p->next[i] = g->columns.first[i];
    }
    for (i = 0; i < g->position_count; i++) {
        p->processes[i] = -1;
    }
    return 0;
}

static void
placing_finish(struct placing *p)
{
    dtx_free(p->room);
    dtx_free(p->wanted);
    dtx_free(p->next);
}

/* Adds to wanted, per column, the positions of a row that are not placed. */
static void
add_wanted(struct placing *p, int row, int sign)
{
    const struct dtx_gather *g = p->g;
    int64_t e;
    int i;

    for (e = g->edge_first[row]; e < g->edge_first[row + 1]; e++) {
        p->wanted[g->edges[e].column] +=
            sign * p->assignment->flows[e] * g->bundle;
    }
    for (i = g->rows.first[row]; i < g->rows.first[row + 1]; i++) {
        int process = p->processes[g->rows.members[i]];

        if (process >= 0) {
            p->wanted[g->columns.kinds[g->proc_index[process]]] -= sign;
        }
    }
}

/* Puts a bundle of a row, from its i-th member on, on a process. */
static void
place(struct placing *p, int member, int proc)
{
    const struct dtx_gather *g = p->g;
    int i;

    for (i = member; i < member + g->bundle; i++) {
        p->processes[g->rows.members[i]] = g->h->procs.processes[proc];
    }
    p->room[proc] -= g->bundle;
}

static int
home_of(const struct placing *p, int member)
{
    return p->g->proc_index[p->g->h->block[p->g->rows.members[member]]];
}

/* Leaves what may stay where `block` has it. */
static void
place_at_home(struct placing *p, int row)
{
    const struct dtx_gather *g = p->g;
    int i;

    add_wanted(p, row, 1);
    for (i = g->rows.first[row]; i < g->rows.first[row + 1]; i += g->bundle) {
        int proc = home_of(p, i), column = g->columns.kinds[proc];

        if (p->wanted[column] > 0 && p->room[proc] >= g->bundle) {
            place(p, i, proc);
            p->wanted[column] -= g->bundle;
        }
    }
    add_wanted(p, row, -1);
}

/* Puts the rest of a row's units on processes of their columns. */
static void
place_units(struct placing *p, int row)
{
    const struct dtx_gather *g = p->g;
    int member = g->rows.first[row];
    int64_t e;

    add_wanted(p, row, 1);
    for (e = g->edge_first[row]; e < g->edge_first[row + 1]; e++) {
        int column = g->edges[e].column;

        while (p->wanted[column] > 0) {
            while (p->processes[g->rows.members[member]] >= 0) {
                member += g->bundle;
            }
            while (p->room[g->columns.members[p->next[column]]] < g->bundle) {
                p->next[column]++;
            }
            place(p, member, g->columns.members[p->next[column]]);
            p->wanted[column] -= g->bundle;
        }
    }
}

/* Puts what may go anywhere on its home, or else on the first with room. */
static void
place_rest(struct placing *p, int row)
{
    const struct dtx_gather *g = p->g;
    int i;

    for (i = g->rows.first[row]; i < g->rows.first[row + 1]; i += g->bundle) {
        int proc = home_of(p, i);

        if (p->processes[g->rows.members[i]] >= 0) {
            continue;
        }
        if (p->room[proc] < g->bundle) {
            while (p->room[p->next_proc] < g->bundle) {
                p->next_proc++;
            }
            proc = p->next_proc;
        }
        place(p, i, proc);
    }
}

static int
place_all(const struct dtx_gather *g, const struct dtx_assignment *assignment,
          int *processes)
{
    struct placing p = {.assignment = assignment, .processes = processes};
    int failed = placing_init(&p, g), row;

    for (row = 0; row < g->rows.kind_count && !failed; row++) {
        place_at_home(&p, row);
    }
    for (row = 0; row < g->rows.kind_count && !failed; row++) {
        place_units(&p, row);
    }
    for (row = 0; row < g->rows.kind_count && !failed; row++) {
        place_rest(&p, row);
    }
    placing_finish(&p);
    return failed;
}

/* ------------------------------------------------------------------- proof */

/* The bytes by which an assignment may fall short of the best one. */
static uint64_t
find_excess(const struct dtx_gather *g, const struct dtx_assignment *a)
{
    int64_t found = 0, most = a->bound / g->scale, e;
    int row;

    if (!g->is_exact || g->bundle > 1) {
        return UINT64_MAX;
    }
    for (row = 0; row < g->rows.kind_count; row++) {
        int64_t price = a->row_prices[row] / g->scale;

        for (e = g->edge_first[row]; e < g->edge_first[row + 1]; e++) {
            found += a->flows[e] * (g->edges[e].weight / g->scale);
        }
        /* The row's price must cover edges that were left out, too. */
        most +=
            dtx_max(g->dropped[row] / g->unit - price, 0) * g->supplies[row];
    }
    return (uint64_t)(most - found) * (uint64_t)g->unit;
}

int
dtx_hosting_solve(const struct dtx_hosting *hosting, int *processes_out,
                  uint64_t *excess_out)
{
    const struct dtx_layout *layout =
        hosting->moves_target ? hosting->plan->target : hosting->plan->source;
    struct dtx_gather g = {.h = hosting,
                           .position_count = layout->mesh.position_count};
    struct dtx_assign_problem problem;
    struct dtx_assignment assignment = {0};
    int failed = dtx_gather_kinds(&g) != 0 || dtx_gather_edges(&g) != 0;

    if (!failed) {
        problem = (struct dtx_assign_problem){
            g.rows.kind_count, g.columns.kind_count, g.supplies,
            g.capacities,      g.edge_first,         g.edges,
            work_limit};
        failed = dtx_assign(&problem, &assignment);
    }
    if (!failed) {
        *excess_out = find_excess(&g, &assignment);
        failed = place_all(&g, &assignment, processes_out);
    }
    dtx_assignment_finish(&assignment);
    dtx_gather_finish(&g);
    return failed ? -1 : 0;
}
