#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { LINE_MAX_BYTES = 1024, DIM_MAX = 4 };

/* A case of tests/data/placements.txt while it is read. */
struct case_reader {
    FILE *file;
    char line[LINE_MAX_BYTES];
    char id[32];
    struct fixture f;
    int64_t ranks[64];
    int ndim;
    int64_t shape[DIM_MAX];
    struct dtx_tiling *tiling;
    int case_count, shard_count;
};

/* Reads numbers until the end of the line. */
static int
read_numbers(const char *text, int64_t *out)
{
    int count = 0;
    char *end;

    for (;; text = end) {
        int64_t number = strtoll(text, &end, 10);

        if (end == text) {
            return count;
        }
        out[count++] = number;
    }
}

static void
read_placements(struct case_reader *r, char *text)
{
    int axis = 0;

    for (char *word = strtok(text, " "); word != NULL;
         word = strtok(NULL, " "), axis++) {
        int dim, factor = 1;

        if (strcmp(word, "R") == 0) {
            continue;
        }
        if (sscanf(word, "_S(%d,%d)", &dim, &factor) != 2) {
            cr_assert_eq(sscanf(word, "S(%d)", &dim), 1, "%s", word);
        }
        fixture_shard(&r->f, axis, dim)->keys[DTX_SHARD_FACTOR].number = factor;
    }
    r->tiling = fixture_tile(&r->f, r->ndim, r->shape);
    cr_assert_not_null(r->tiling, "%s", r->id);
}

/* Writes the runs of a piece as the file does. */
static void
write_runs(const struct dtx_tiling_dim *dim, int piece, char *out)
{
    int first = dim->piece_first[piece];

    strcpy(out, "-");
    for (int i = first; i < dim->piece_first[piece + 1]; i++) {
        const struct dtx_tile *tile = &dim->tiles[dim->piece_tiles[i]];

        out += sprintf(out, "%s%lld-%lld", i > first ? "," : "",
                       (long long)tile->lo, (long long)tile->hi);
    }
}

static void
check_shard(struct case_reader *r, char *text)
{
    int64_t rank = strtoll(strtok(text, " "), NULL, 10);
    int position = 0;
    char runs[LINE_MAX_BYTES];
    char *word;

    while (dtx_mesh_rank(&r->f.layout.mesh, position) != rank) {
        position++;
    }
    for (int dim = 0; (word = strtok(NULL, " ")) != NULL; dim++) {
        int piece =
            dtx_tiling_piece(r->tiling, &r->f.layout.mesh, dim, position);

        write_runs(&r->tiling->dims[dim], piece, runs);
        cr_expect_str_eq(runs, word, "%s rank %lld dim %d: %s, should be %s",
                         r->id, (long long)rank, dim, runs, word);
    }
    r->shard_count++;
}

static void
read_line(struct case_reader *r, const char *key, char *value)
{
    int64_t numbers[DTX_AXIS_MAX];
    int sizes[DTX_AXIS_MAX];
    int count;

    if (strcmp(key, "case") == 0) {
        sscanf(value, "%31s", r->id);
        r->case_count++;
    } else if (strcmp(key, "mesh") == 0) {
        count = read_numbers(value, numbers);
        for (int i = 0; i < count; i++) {
            sizes[i] = (int)numbers[i];
        }
        fixture_begin(&r->f, count, sizes);
    } else if (strcmp(key, "ranks") == 0) {
        read_numbers(value, r->ranks);
        r->f.layout.mesh.ranks = r->ranks;
    } else if (strcmp(key, "shape") == 0) {
        r->ndim = read_numbers(value, r->shape);
    } else if (strcmp(key, "placements") == 0) {
        read_placements(r, value);
    } else {
        cr_assert_str_eq(key, "shard");
        check_shard(r, value);
    }
}

Test(placements, public_test_suites_agree)
{
    struct case_reader r = {.file = fopen(TEST_DATA "/placements.txt", "r")};

    cr_assert_not_null(r.file);
    while (fgets(r.line, sizeof(r.line), r.file) != NULL) {
        char *value;

        r.line[strcspn(r.line, "\n")] = '\0';
        if (r.line[0] == '#') {
            continue;
        }
        if (r.line[0] == '\0') {
            if (r.tiling != NULL) {
                fixture_finish(&r.f);
                r.tiling = NULL;
            }
            continue;
        }
        value = r.line + strcspn(r.line, " ");
        if (*value != '\0') {
            *value++ = '\0';
        }
        read_line(&r, r.line, value);
    }
    fixture_finish(&r.f);
    fclose(r.file);
    cr_assert_eq(r.case_count, 34);
    cr_assert_gt(r.shard_count, 150);
}
