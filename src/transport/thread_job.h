/*
 * The job behind simulated processes: all its state, under one lock.
 *
 * A send is copied straight into the receive that it meets, by whoever comes
 * second, and is not done before that: nothing is buffered, so that an
 * exchange which leans on buffering hangs here rather than on a cluster.
 */
#ifndef DTX_TRANSPORT_THREAD_JOB_H
#define DTX_TRANSPORT_THREAD_JOB_H

#include <pthread.h>

#include "transport/thread_transport.h"

enum dtx_thread_message_state {
    DTX_MESSAGE_FREE,
    DTX_MESSAGE_WAITING,
    DTX_MESSAGE_DONE
};

/* A message under way, on the side of its sender or receiver. */
struct dtx_thread_message {
    enum dtx_thread_message_state state;
    bool is_receive;
    int peer;
    int tag;
    char *buffer; /* only read for a send */
    size_t bytes; /* of the buffer; once done, of what came */
    bool is_too_long;
    int next; /* in the list of free or of waiting messages; -1: the last */
};

/* The messages of one process; what waits is in the order of its start. */
struct dtx_thread_mailbox {
    struct dtx_thread_message *messages;
    int count;
    int first_free; /* -1: none */
    int first_waiting;
    int last_waiting;
};

/*
 * Meetings: each process brings a value, all get the maximum. Two rounds are
 * enough: nobody can come to the round after next before all have left this.
 */
struct dtx_thread_meeting {
    int arrivals[2];
    int64_t maximum[2];
};

/* What a process shows to the others during a broadcast or gather. */
struct dtx_thread_exhibit {
    const void *bytes;
    size_t count;
};

struct dtx_thread_job {
    pthread_mutex_t lock;
    int process_count;
    struct dtx_thread_mailbox *mailboxes; /* [process_count] */
    struct dtx_thread_exhibit *exhibits;  /* [process_count] */
    int *nodes;                           /* [process_count] */
    struct dtx_thread_meeting agreement;  /* of the seam's agree */
    struct dtx_thread_meeting collective; /* of broadcast and gather */
};

/* Starts a message of a process; request_out is its number. */
enum dtx_status dtx_thread_job_start(struct dtx_thread_job *job, int process,
                                     const struct dtx_thread_message *message,
                                     int *request_out, struct dtx_error *err);

/* Takes a message's result and frees its number; false if it isn't done. */
bool dtx_thread_job_take(struct dtx_thread_job *job, int process, int request,
                         struct dtx_thread_message *message_out);

/* Brings a value to a round of a meeting of the job. */
void dtx_thread_job_arrive(struct dtx_thread_job *job,
                           struct dtx_thread_meeting *meeting, unsigned round,
                           int64_t value);

/* True, with the maximum of the values, once all have come to the round. */
bool dtx_thread_job_met(struct dtx_thread_job *job,
                        const struct dtx_thread_meeting *meeting,
                        unsigned round, int64_t *maximum_out);

#endif
