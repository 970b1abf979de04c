#include <criterion/criterion.h>

#include <time.h>

#include "plan/map/assign.h"
#include "support/claim.h"
#include "support/random.h"

enum { EDGES_MOST = 1 << 22 };

/* A problem with memory of its own, built edge by edge, row by row. */
struct posed {
    struct dtx_assign_problem problem;
    int supplies[16384];
    int capacities[16384];
    int64_t first[16385];
    struct dtx_assign_edge edges[EDGES_MOST];
    struct dtx_assignment found;
};

static struct posed posed;

static void
pose(int rows, int columns)
{
    posed.problem = (struct dtx_assign_problem){.row_count = rows,
                                                .column_count = columns,
                                                .supplies = posed.supplies,
                                                .capacities = posed.capacities,
                                                .edge_first = posed.first,
                                                .edges = posed.edges,
                                                .work_limit = INT64_MAX};
    for (int i = 0; i < rows; i++) {
        posed.supplies[i] = 1;
    }
    for (int i = 0; i < columns; i++) {
        posed.capacities[i] = 1;
    }
    posed.first[0] = 0;
}

static void
begin_row(int row)
{
    posed.first[row + 1] = posed.first[row];
}

static void
add_edge(int row, int column, int limit, int64_t weight)
{
    posed.edges[posed.first[row + 1]++] =
        (struct dtx_assign_edge){column, limit, weight};
}

/* The units keep to supplies, capacities and limits. Returns their weight. */
static int64_t
check_units(void)
{
    static int in_columns[16384];
    const struct dtx_assign_problem *p = &posed.problem;
    int64_t weight = 0;

    memset(in_columns, 0, sizeof in_columns);
    for (int row = 0; row < p->row_count; row++) {
        int units = 0;

        for (int64_t e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
            int flow = posed.found.flows[e];

            claim(flow >= 0 && flow <= p->edges[e].limit, "edge %d", (int)e);
            units += flow;
            in_columns[p->edges[e].column] += flow;
            weight += flow * p->edges[e].weight;
        }
        claim(units <= p->supplies[row], "row %d", row);
    }
    for (int column = 0; column < p->column_count; column++) {
        claim(in_columns[column] <= p->capacities[column], "column %d", column);
    }
    return weight;
}

/* What the prices allow at most, by weak duality: of an edge that is worth
 * more than both prices, all that its limit takes counts. */
static int64_t
count_bound(void)
{
    const struct dtx_assign_problem *p = &posed.problem;
    int64_t bound = 0;

    for (int column = 0; column < p->column_count; column++) {
        claim(posed.found.column_prices[column] >= 0, "column %d", column);
        bound += posed.found.column_prices[column] * p->capacities[column];
    }
    for (int row = 0; row < p->row_count; row++) {
        claim(posed.found.row_prices[row] >= 0, "row %d", row);
        bound += posed.found.row_prices[row] * p->supplies[row];
        for (int64_t e = p->edge_first[row]; e < p->edge_first[row + 1]; e++) {
            int64_t over = p->edges[e].weight - posed.found.row_prices[row] -
                           posed.found.column_prices[p->edges[e].column];

            bound += over > 0 ? over * p->edges[e].limit : 0;
        }
    }
    return bound;
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
static const double slowness = 1;
#else
static const double slowness = 20; /* sanitizers, no optimization */
#endif

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may run, too */
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Solves it, and checks all but that it is optimal. Returns the seconds. */
static double
solve(void)
{
    double start = now();
    double seconds;

    claim(dtx_assign(&posed.problem, &posed.found) == 0, "memory");
    seconds = now() - start;
    cr_assert_eq(check_units(), posed.found.weight);
    cr_assert_eq(count_bound(), posed.found.bound);
    cr_assert_leq(posed.found.weight, posed.found.bound);
    return seconds;
}

static void
solve_to_the_end(double seconds_most)
{
    double seconds = solve();

    cr_assert_eq(posed.found.weight, posed.found.bound);
    fprintf(stderr, "%d rows, %lld edges: %.3f s\n", posed.problem.row_count,
            (long long)posed.first[posed.problem.row_count], seconds);
    cr_assert_lt(seconds, seconds_most * slowness);
    dtx_assignment_finish(&posed.found);
}

/* ------------------------------------------------------------- brute force */

static int left[16];

/* The most that rows from an edge on can add, by trying everything. */
static int64_t
most_from(int row, int64_t edge, int units)
{
    const struct dtx_assign_problem *p = &posed.problem;
    int64_t best = 0;

    if (row == p->row_count) {
        return 0;
    }
    if (edge == p->edge_first[row + 1] || units == 0) {
        return row + 1 == p->row_count
                   ? 0
                   : most_from(row + 1, p->edge_first[row + 1],
                               p->supplies[row + 1]);
    }
    for (int n = 0; n <= units && n <= p->edges[edge].limit &&
                    n <= left[p->edges[edge].column];
         n++) {
        int64_t weight;

        left[p->edges[edge].column] -= n;
        weight =
            n * p->edges[edge].weight + most_from(row, edge + 1, units - n);
        left[p->edges[edge].column] += n;
        best = weight > best ? weight : best;
    }
    return best;
}

static int64_t
most_by_trying(void)
{
    memcpy(left, posed.capacities, sizeof left);
    return most_from(0, 0, posed.supplies[0]);
}

Test(assign, small_linear_problems_get_the_best_of_all_assignments)
{
    struct random random = random_begin();

    for (int round = 0; round < 3000; round++) {
        int rows = 1 + (int)random_below(&random, round % 100 == 0 ? 8 : 6);
        int columns = 1 + (int)random_below(&random, round % 100 == 0 ? 8 : 6);
        uint64_t heaviest = random_below(&random, 3) == 0 ? 1u << 30 : 6;
        uint64_t density = 1 + random_below(&random, 4);

        pose(rows, columns);
        for (int i = 0; i < rows; i++) {
            begin_row(i);
            for (int j = 0; j < columns; j++) {
                if (random_below(&random, 4) < density) {
                    add_edge(i, j, 1,
                             1 + (int64_t)random_below(&random, heaviest));
                }
            }
        }
        solve();
        cr_assert_eq(posed.found.weight, posed.found.bound);
        cr_assert_eq(posed.found.weight, most_by_trying());
        dtx_assignment_finish(&posed.found);
    }
}

Test(assign, units_rooms_and_limits_get_the_best_of_all_assignments)
{
    struct random random = random_begin();

    for (int round = 0; round < 5000; round++) {
        int rows = 1 + (int)random_below(&random, 4);
        int columns = 1 + (int)random_below(&random, 4);

        pose(rows, columns);
        for (int j = 0; j < columns; j++) {
            posed.capacities[j] = (int)random_below(&random, 4);
        }
        for (int i = 0; i < rows; i++) {
            posed.supplies[i] = 1 + (int)random_below(&random, 3);
            begin_row(i);
            for (int j = 0; j < 2 * columns; j++) { /* some twice */
                if (random_below(&random, 2) == 0) {
                    add_edge(i, j % columns, 1 + (int)random_below(&random, 3),
                             1 + (int64_t)random_below(&random, 7));
                }
            }
        }
        solve();
        cr_assert_eq(posed.found.weight, posed.found.bound);
        cr_assert_eq(posed.found.weight, most_by_trying());
        dtx_assignment_finish(&posed.found);
    }
}

Test(assign, nothing_to_place_weighs_nothing)
{
    pose(0, 3);
    solve_to_the_end(1);
    pose(2, 0);
    begin_row(0);
    begin_row(1);
    solve_to_the_end(1);
}

/* ------------------------------------------------------------------- large */

static void
pose_dense(struct random *random, int n, uint64_t heaviest)
{
    pose(n, n);
    for (int i = 0; i < n; i++) {
        begin_row(i);
        for (int j = 0; j < n; j++) {
            uint64_t weight = random_below(random, heaviest);

            if (weight > 0) {
                add_edge(i, j, 1, (int64_t)weight);
            }
        }
    }
}

Test(assign, random_weights_of_2048_rows_take_less_than_a_second)
{
    struct random random = random_begin();

    pose_dense(&random, 2048, 1u << 20);
    solve_to_the_end(1);
    pose_dense(&random, 2048, (uint64_t)1 << 48);
    solve_to_the_end(1);
}

Test(assign, many_equal_weights_of_2048_rows_take_less_than_a_second)
{
    struct random random = random_begin();

    pose_dense(&random, 2048, 2);
    solve_to_the_end(1);
    pose_dense(&random, 2048, 100);
    solve_to_the_end(1);
}

/* Product weights (i + 1) * (j + 1), on which every row wants the same
 * columns. */
Test(assign, rows_that_all_want_the_same_columns_are_placed)
{
    pose(512, 512);
    for (int i = 0; i < 512; i++) {
        begin_row(i);
        for (int j = 0; j < 512; j++) {
            add_edge(i, j, 1, (i + 1) * (j + 1));
        }
    }
    solve_to_the_end(10);
}

Test(assign, sparse_problems_of_16384_rows_take_less_than_five_seconds)
{
    struct random random = random_begin();

    for (int kind = 0; kind < 3; kind++) {
        uint64_t heaviest = kind == 0 ? 4 : (uint64_t)1 << 40;
        int degree = kind == 2 ? 128 : 8;

        pose(16384, 16384);
        for (int i = 0; i < 16384; i++) {
            begin_row(i);
            for (int k = 0; k < degree; k++) {
                int near = (int)random_below(&random, 300);

                add_edge(i,
                         kind == 1 ? (i + near) % 16384
                                   : (int)random_below(&random, 16384),
                         1, 1 + (int64_t)random_below(&random, heaviest));
            }
        }
        solve_to_the_end(5);
    }
}

Test(assign, at_the_limit_of_work_the_bound_still_holds)
{
    struct random random = random_begin();
    int64_t best;

    pose_dense(&random, 300, 1000);
    solve();
    best = posed.found.weight;
    dtx_assignment_finish(&posed.found);
    for (int64_t limit = 0; limit < 2000000; limit += 100000) {
        posed.problem.work_limit = limit;
        solve();
        cr_assert_leq(posed.found.weight, best);
        cr_assert_geq(posed.found.bound, best);
        cr_assert_gt(posed.found.weight, best / 2);
        dtx_assignment_finish(&posed.found);
    }
}
