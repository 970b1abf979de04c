/*
 * Messages between the processes of an MPI job.
 *
 * Counts are MPI_Count throughout, so that no message is too long.
 */
#include <limits.h>

#include <dtx/mpi.h>

#include "transport/mpi_job.h"
#include "transport/pause.h"
#include "util/alloc.h"
#include "util/error.h"

/* A request under way, or a link in the list of free slots. */
struct slot {
    MPI_Request request;
    bool is_receive;
    bool is_used;
    int next_free; /* -1: the last */
};

/* So many slots are there from the beginning: more than a run ever has under
 * way. A process that found itself short of memory between messages could not
 * send or receive what others wait for. */
enum { FIRST_SLOTS = 512 };

/* The slots grow by doubling and are reused, so that no message allocates. */
struct mpi_transport {
    struct dtx_mpi_job job;
    struct slot *slots;
    int slot_count;
    int first_free; /* -1: none */
};

static struct mpi_transport *
self_of(struct dtx_transport *transport)
{
    return (struct mpi_transport *)transport;
}

static enum dtx_status
grow_slots(struct mpi_transport *self, struct dtx_error *err)
{
    int count = self->slot_count == 0 ? FIRST_SLOTS : 2 * self->slot_count;
    struct slot *slots;

    if (self->slot_count > INT_MAX / 2) {
        return dtx_error_set(err, DTX_ERR_LIMIT, "too many messages at once");
    }
    slots = dtx_realloc(self->slots, (size_t)count, sizeof(*slots));
    if (slots == NULL) {
        return dtx_error_memory(err);
    }
    for (int i = self->slot_count; i < count; i++) {
        slots[i] = (struct slot){.request = MPI_REQUEST_NULL,
                                 .next_free = i + 1 < count ? i + 1 : -1};
    }
    self->first_free = self->slot_count;
    self->slots = slots;
    self->slot_count = count;
    return DTX_OK;
}

/* Takes a slot for a request that has started. */
static int
take_slot(struct mpi_transport *self, MPI_Request request, bool is_receive)
{
    int index = self->first_free;
    struct slot *slot = &self->slots[index];

    self->first_free = slot->next_free;
    *slot = (struct slot){
        .request = request, .is_receive = is_receive, .is_used = true};
    return index;
}

static void
free_slot(struct mpi_transport *self, int index)
{
    self->slots[index] = (struct slot){.request = MPI_REQUEST_NULL,
                                       .next_free = self->first_free};
    self->first_free = index;
}

static enum dtx_status
mpi_receive(struct dtx_transport *transport, int peer, int tag, void *buffer,
            size_t bytes, int *request_out, struct dtx_error *err)
{
    struct mpi_transport *self = self_of(transport);
    MPI_Request request;
    int code;

    if (self->first_free < 0 && grow_slots(self, err) != DTX_OK) {
        return err->status;
    }
    code = MPI_Irecv_c(buffer, (MPI_Count)bytes, MPI_BYTE, peer, tag,
                       self->job.comm, &request);
    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, "receive", code);
    }
    *request_out = take_slot(self, request, true);
    return DTX_OK;
}

static enum dtx_status
mpi_send(struct dtx_transport *transport, int peer, int tag, const void *buffer,
         size_t bytes, int *request_out, struct dtx_error *err)
{
    struct mpi_transport *self = self_of(transport);
    MPI_Request request;
    int code;

    if (self->first_free < 0 && grow_slots(self, err) != DTX_OK) {
        return err->status;
    }
    code = MPI_Isend_c(buffer, (MPI_Count)bytes, MPI_BYTE, peer, tag,
                       self->job.comm, &request);
    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, "send", code);
    }
    *request_out = take_slot(self, request, false);
    return DTX_OK;
}

static enum dtx_status
mpi_test(struct dtx_transport *transport, int request, bool *done_out,
         size_t *bytes_out, struct dtx_error *err)
{
    struct mpi_transport *self = self_of(transport);
    struct slot *slot = &self->slots[request];
    bool is_receive = slot->is_receive;
    MPI_Status status;
    MPI_Count count = 0;
    int is_done = 0;
    int code = MPI_Test(&slot->request, &is_done, &status);

    if (code == MPI_SUCCESS && !is_done) {
        *done_out = false;
        return DTX_OK;
    }
    free_slot(self, request);
    if (code == MPI_SUCCESS && is_receive) {
        code = MPI_Get_count_c(&status, MPI_BYTE, &count);
    }
    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, is_receive ? "receive" : "send", code);
    }
    *bytes_out = (size_t)count; /* 0 for a send */
    *done_out = true;
    return DTX_OK;
}

static void
mpi_pause(struct dtx_transport *transport, int idle)
{
    (void)transport;
    dtx_pause(idle);
}

/* Transports there are, and what the world's handler was before the first. */
static int transport_count;
static MPI_Errhandler world_handler;

/*
 * Has errors returned that MPI lays to the world rather than to the duplicate:
 * MPICH does so with a truncated message once its request is complete.
 */
static void
calm_world(void)
{
    if (transport_count++ == 0) {
        (void)MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world_handler);
        (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
}

static void
leave_world(void)
{
    if (--transport_count == 0) {
        (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_handler);
        (void)MPI_Errhandler_free(&world_handler);
    }
}

/* What is still under way after a failure is let go, so that MPI can end. */
static void
mpi_destroy(struct dtx_transport *transport)
{
    struct mpi_transport *self = self_of(transport);

    for (int i = 0; i < self->slot_count; i++) {
        if (!self->slots[i].is_used) {
            continue;
        }
        if (self->slots[i].is_receive) {
            (void)MPI_Cancel(&self->slots[i].request);
        }
        (void)MPI_Request_free(&self->slots[i].request);
    }
    (void)MPI_Comm_free(&self->job.comm);
    leave_world();
    dtx_free(self->job.base.nodes);
    dtx_free(self->job.exchange_counts);
    dtx_free(self->job.exchange_offsets);
    dtx_free(self->slots);
    dtx_free(self);
}

static const struct dtx_transport_ops mpi_ops = {
    .receive = mpi_receive,
    .send = mpi_send,
    .test = mpi_test,
    .pause = mpi_pause,
    .agree = dtx_mpi_agree,
    .test_agree = dtx_mpi_test_agree,
    .exchange = dtx_mpi_exchange,
    .test_exchange = dtx_mpi_test_exchange,
    .broadcast = dtx_mpi_broadcast,
    .gather = dtx_mpi_gather,
    .destroy = mpi_destroy,
};

static enum dtx_status
check_mpi(struct dtx_error *err)
{
    int is_initialized = 0;
    int thread_level = MPI_THREAD_SINGLE;

    (void)MPI_Initialized(&is_initialized);
    if (!is_initialized) {
        return dtx_error_set(err, DTX_ERR_COMM, "MPI is not initialized");
    }
    (void)MPI_Query_thread(&thread_level);
    if (thread_level < MPI_THREAD_FUNNELED) {
        return dtx_error_set(err, DTX_ERR_COMM,
                             "MPI was initialized without MPI_THREAD_FUNNELED");
    }
    return DTX_OK;
}

/* Duplicates a communicator, for errors to be returned; of both groups of an
 * intercommunicator it makes one. Collective. */
static enum dtx_status
join(MPI_Comm comm, MPI_Comm *comm_out, struct dtx_error *err)
{
    const char *what = "duplicate the communicator";
    MPI_Request request = MPI_REQUEST_NULL;
    int has_two_groups = 0;
    int code = MPI_Comm_test_inter(comm, &has_two_groups);

    if (code == MPI_SUCCESS && has_two_groups) {
        code = MPI_Intercomm_merge(comm, 0, comm_out);
    } else if (code == MPI_SUCCESS) {
        code = MPI_Comm_idup(comm, comm_out, &request);
    }
    if (code != MPI_SUCCESS) {
        return dtx_mpi_fail(err, what, code);
    }
    if (dtx_mpi_finish(&request, what, err) != DTX_OK) {
        return err->status;
    }
    (void)MPI_Comm_set_errhandler(*comm_out, MPI_ERRORS_RETURN);
    return DTX_OK;
}

/* Makes the transport of a communicator, which is its own from then on. */
static enum dtx_status
create_self(MPI_Comm comm, struct mpi_transport **self_out,
            struct dtx_error *err)
{
    struct mpi_transport *self = dtx_alloc(1, sizeof(*self));
    int *nodes = NULL;
    int process_count;
    bool is_short;
    enum dtx_status status;

    (void)MPI_Comm_size(comm, &process_count);
    nodes = dtx_alloc((size_t)process_count, sizeof(*nodes));
    is_short = self == NULL || nodes == NULL || grow_slots(self, err) != DTX_OK;
    status = dtx_mpi_fail_where_short(comm, is_short, err);
    if (status == DTX_OK && !is_short) {
        self->job.base.ops = &mpi_ops;
        self->job.base.process_count = process_count;
        self->job.base.nodes = nodes;
        self->job.comm = comm;
        self->job.agreement = MPI_REQUEST_NULL;
        self->job.exchange = MPI_REQUEST_NULL;
        (void)MPI_Comm_rank(comm, &self->job.base.process);
        self->job.base.reads_device = dtx_mpi_reads_device();
        status = dtx_mpi_find_nodes(&self->job, nodes, err);
    }
    if (status != DTX_OK) {
        if (self != NULL) {
            dtx_free(self->slots);
        }
        dtx_free(nodes);
        dtx_free(self);
        return status;
    }
    *self_out = self;
    return DTX_OK;
}

enum dtx_status
dtx_transport_create_comm(MPI_Comm program_comm,
                          struct dtx_transport **transport_out,
                          struct dtx_error *err)
{
    struct mpi_transport *self;
    MPI_Comm comm;
    enum dtx_status status = check_mpi(err);

    if (status == DTX_OK) {
        status = join(program_comm, &comm, err);
    }
    if (status != DTX_OK) {
        return status;
    }
    status = create_self(comm, &self, err);
    if (status != DTX_OK) {
        (void)MPI_Comm_free(&comm);
        return status;
    }
    calm_world();
    *transport_out = &self->job.base;
    return DTX_OK;
}

enum dtx_status
dtx_transport_create_fint(MPI_Fint comm, struct dtx_transport **transport_out,
                          struct dtx_error *err)
{
    return dtx_transport_create_comm(MPI_Comm_f2c(comm), transport_out, err);
}

enum dtx_status
dtx_transport_create_mpi(struct dtx_transport **transport_out,
                         struct dtx_error *err)
{
    return dtx_transport_create_comm(MPI_COMM_WORLD, transport_out, err);
}
