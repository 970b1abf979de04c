#include "transport/thread_job.h"

#include <limits.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

struct dtx_thread_job *
dtx_thread_job_create(int process_count)
{
    struct dtx_thread_job *job = dtx_alloc(1, sizeof(*job));
    size_t count = (size_t)process_count;

    if (job == NULL) {
        return NULL;
    }
    job->process_count = process_count;
    job->mailboxes = dtx_alloc(count, sizeof(*job->mailboxes));
    job->exhibits = dtx_alloc(count, sizeof(*job->exhibits));
    job->nodes = dtx_alloc(count, sizeof(*job->nodes));
    if (job->mailboxes == NULL || job->exhibits == NULL || job->nodes == NULL ||
        pthread_mutex_init(&job->lock, NULL) != 0) {
        dtx_free(job->mailboxes);
        dtx_free(job->exhibits);
        dtx_free(job->nodes);
        dtx_free(job);
        return NULL;
    }
    for (int p = 0; p < process_count; p++) {
        job->mailboxes[p].first_free = -1;
        job->mailboxes[p].first_waiting = -1;
        job->mailboxes[p].last_waiting = -1;
    }
    return job;
}

void
dtx_thread_job_destroy(struct dtx_thread_job *job)
{
    if (job == NULL) {
        return;
    }
    for (int p = 0; p < job->process_count; p++) {
        dtx_free(job->mailboxes[p].messages);
    }
    (void)pthread_mutex_destroy(&job->lock);
    dtx_free(job->mailboxes);
    dtx_free(job->exhibits);
    dtx_free(job->nodes);
    dtx_free(job);
}

void
dtx_thread_job_set_nodes(struct dtx_thread_job *job, const int *nodes)
{
    memcpy(job->nodes, nodes, (size_t)job->process_count * sizeof(*nodes));
}

static enum dtx_status
grow_mailbox(struct dtx_thread_mailbox *box, struct dtx_error *err)
{
    int count = box->count == 0 ? 64 : 2 * box->count;
    struct dtx_thread_message *messages;

    if (box->count > INT_MAX / 2) {
        return dtx_error_set(err, DTX_ERR_LIMIT, "too many messages at once");
    }
    messages = dtx_realloc(box->messages, (size_t)count, sizeof(*messages));
    if (messages == NULL) {
        return dtx_error_memory(err);
    }
    for (int i = box->count; i < count; i++) {
        messages[i] =
            (struct dtx_thread_message){.next = i + 1 < count ? i + 1 : -1};
    }
    box->first_free = box->count;
    box->messages = messages;
    box->count = count;
    return DTX_OK;
}

static void
append_waiting(struct dtx_thread_mailbox *box, int index)
{
    box->messages[index].next = -1;
    if (box->last_waiting < 0) {
        box->first_waiting = index;
    } else {
        box->messages[box->last_waiting].next = index;
    }
    box->last_waiting = index;
}

static void
remove_waiting(struct dtx_thread_mailbox *box, int index, int before)
{
    int next = box->messages[index].next;

    if (before < 0) {
        box->first_waiting = next;
    } else {
        box->messages[before].next = next;
    }
    if (box->last_waiting == index) {
        box->last_waiting = before;
    }
}

/* Takes the first message out of a box that waits for this one, or NULL. */
static struct dtx_thread_message *
take_counterpart(struct dtx_thread_mailbox *box, int owner,
                 const struct dtx_thread_message *message)
{
    int before = -1;

    for (int i = box->first_waiting; i >= 0; i = box->messages[i].next) {
        struct dtx_thread_message *candidate = &box->messages[i];

        if (candidate->is_receive != message->is_receive &&
            candidate->peer == owner && candidate->tag == message->tag) {
            remove_waiting(box, i, before);
            return candidate;
        }
        before = i;
    }
    return NULL;
}

/* Copies a message to where it goes; both ends are then done. */
static void
deliver(struct dtx_thread_message *send, struct dtx_thread_message *receive)
{
    if (send->bytes > receive->bytes) {
        receive->is_too_long = true;
    } else if (send->bytes > 0) {
        memcpy(receive->buffer, send->buffer, send->bytes);
    }
    receive->bytes = send->bytes;
    send->bytes = 0;
    send->state = DTX_MESSAGE_DONE;
    receive->state = DTX_MESSAGE_DONE;
}

static enum dtx_status
start_locked(struct dtx_thread_job *job, int process,
             const struct dtx_thread_message *wanted, int *request_out,
             struct dtx_error *err)
{
    struct dtx_thread_mailbox *box = &job->mailboxes[process];
    struct dtx_thread_message *message;
    struct dtx_thread_message *other;
    int index;

    if (box->first_free < 0 && grow_mailbox(box, err) != DTX_OK) {
        return err->status;
    }
    index = box->first_free;
    message = &box->messages[index];
    box->first_free = message->next;
    *message = *wanted;
    message->state = DTX_MESSAGE_WAITING;
    other = take_counterpart(&job->mailboxes[message->peer], process, message);
    if (other == NULL) {
        append_waiting(box, index);
    } else if (message->is_receive) {
        deliver(other, message);
    } else {
        deliver(message, other);
    }
    *request_out = index;
    return DTX_OK;
}

enum dtx_status
dtx_thread_job_start(struct dtx_thread_job *job, int process,
                     const struct dtx_thread_message *message, int *request_out,
                     struct dtx_error *err)
{
    enum dtx_status status;

    if (message->peer < 0 || message->peer >= job->process_count) {
        return dtx_error_set(err, DTX_ERR_COMM, "there is no process %d",
                             message->peer);
    }
    (void)pthread_mutex_lock(&job->lock);
    status = start_locked(job, process, message, request_out, err);
    (void)pthread_mutex_unlock(&job->lock);
    return status;
}

bool
dtx_thread_job_take(struct dtx_thread_job *job, int process, int request,
                    struct dtx_thread_message *message_out)
{
    struct dtx_thread_mailbox *box = &job->mailboxes[process];
    struct dtx_thread_message *message;
    bool is_done;

    (void)pthread_mutex_lock(&job->lock);
    message = &box->messages[request];
    is_done = message->state == DTX_MESSAGE_DONE;
    if (is_done) {
        *message_out = *message;
        *message = (struct dtx_thread_message){.next = box->first_free};
        box->first_free = request;
    }
    (void)pthread_mutex_unlock(&job->lock);
    return is_done;
}

void
dtx_thread_job_arrive(struct dtx_thread_job *job,
                      struct dtx_thread_meeting *meeting, unsigned round,
                      int64_t value)
{
    int *arrivals = &meeting->arrivals[round % 2];
    int64_t *maximum = &meeting->maximum[round % 2];

    (void)pthread_mutex_lock(&job->lock);
    if (*arrivals == job->process_count) {
        *arrivals = 0; /* left over from the round before last */
    }
    if (*arrivals == 0 || value > *maximum) {
        *maximum = value;
    }
    *arrivals += 1;
    (void)pthread_mutex_unlock(&job->lock);
}

bool
dtx_thread_job_met(struct dtx_thread_job *job,
                   const struct dtx_thread_meeting *meeting, unsigned round,
                   int64_t *maximum_out)
{
    bool is_full;

    (void)pthread_mutex_lock(&job->lock);
    is_full = meeting->arrivals[round % 2] == job->process_count;
    if (is_full) {
        *maximum_out = meeting->maximum[round % 2];
    }
    (void)pthread_mutex_unlock(&job->lock);
    return is_full;
}
