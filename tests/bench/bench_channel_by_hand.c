#include "bench_channel.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- alltoallw */

void
make_types(const struct bench *b, struct types *types)
{
    for (int t = 0; t < b->r->tensor_count; t++) {
        for (int p = 0; p < b->process_count; p++) {
            types->types[t][0][p] = types->types[t][1][p] = MPI_BYTE;
        }
    }
    for (int i = 0; i < b->move_count; i++) {
        const struct move *m = &b->moves[i];

        for (int e = 0; e < 2; e++) {
            int own = e == 0 ? m->src : m->dst;
            int peer = e == 0 ? m->dst : m->src;

            if (own == b->process) {
                MPI_Type_create_subarray(2, m->sizes[e], m->len, m->starts[e],
                                         MPI_ORDER_C, MPI_FLOAT,
                                         &types->types[m->tensor][e][peer]);
                MPI_Type_commit(&types->types[m->tensor][e][peer]);
                types->counts[e][peer] = 1;
            }
        }
    }
}

void
free_types(const struct bench *b, struct types *types)
{
    for (int t = 0; t < b->r->tensor_count; t++) {
        for (int p = 0; p < b->process_count; p++) {
            for (int e = 0; e < 2; e++) {
                if (types->types[t][e][p] != MPI_BYTE) {
                    MPI_Type_free(&types->types[t][e][p]);
                }
            }
        }
    }
}

void
run_alltoallw(struct bench *b)
{
    const struct types *types = b->types;

    for (int t = 0; t < b->r->tensor_count; t++) {
        MPI_Alltoallw(b->arrays[0][t], types->counts[0], types->zeros,
                      types->types[t][0], b->arrays[1][t], types->counts[1],
                      types->zeros, types->types[t][1], MPI_COMM_WORLD);
    }
}

/* ---------------------------------------------------------------- by hand */

static float *
row_of(const struct bench *b, const struct move *m, int end, int row)
{
    return b->arrays[end][m->tensor] +
           (size_t)(m->starts[end][0] + row) * (size_t)m->sizes[end][1] +
           m->starts[end][1];
}

static size_t
row_bytes(const struct move *m)
{
    return (size_t)m->len[1] * sizeof(float);
}

/* Copies a message's rows to or from the arrays; returns its bytes. */
static size_t
copy_message(const struct bench *b, int src, int dst, int end, char *buffer)
{
    size_t at = 0;

    for (int i = 0; i < b->move_count; i++) {
        const struct move *m = &b->moves[i];

        for (int row = 0; row < m->len[0] && m->src == src && m->dst == dst;
             row++) {
            if (buffer != NULL && end == 0) {
                memcpy(buffer + at, row_of(b, m, 0, row), row_bytes(m));
            } else if (buffer != NULL) {
                memcpy(row_of(b, m, 1, row), buffer + at, row_bytes(m));
            }
            at += row_bytes(m);
        }
    }
    return at;
}

static void
copy_own(const struct bench *b)
{
    for (int i = 0; i < b->move_count; i++) {
        const struct move *m = &b->moves[i];

        for (int row = 0; row < m->len[0] && m->src == m->dst; row++) {
            memcpy(row_of(b, m, 1, row), row_of(b, m, 0, row), row_bytes(m));
        }
    }
}

void
run_by_hand(struct bench *b)
{
    MPI_Request sends[PROCESSES_MOST], receives[PROCESSES_MOST];
    MPI_Status statuses[PROCESSES_MOST];
    size_t places[PROCESSES_MOST], out = 0, in = 0;
    int left = b->process_count;

    for (int p = 0; p < b->process_count; p++) {
        size_t bytes = copy_message(b, p, b->process, 1, NULL);

        places[p] = in;
        receives[p] = sends[p] = MPI_REQUEST_NULL;
        if (bytes > 0 && p != b->process) {
            MPI_Irecv(b->in + in, (int)bytes, MPI_BYTE, p, 0, MPI_COMM_WORLD,
                      &receives[p]);
            in += bytes;
        }
    }
    for (int k = 1; k < b->process_count; k++) {
        int p = (b->process + k) % b->process_count;
        size_t bytes = copy_message(b, b->process, p, 0, b->out + out);

        if (bytes > 0) {
            MPI_Isend(b->out + out, (int)bytes, MPI_BYTE, p, 0, MPI_COMM_WORLD,
                      &sends[p]);
        }
        out += bytes;
    }
    copy_own(b);
    while (left-- > 0) {
        int p;

        MPI_Waitany(b->process_count, receives, &p, MPI_STATUS_IGNORE);
        if (p == MPI_UNDEFINED) {
            break;
        }
        copy_message(b, p, b->process, 1, b->in + places[p]);
    }
    MPI_Waitall(b->process_count, sends, statuses);
}
