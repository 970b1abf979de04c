#define _GNU_SOURCE /* memfd_create */

#include "storage/guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/guard/guard_form.h"
#include "storage/guard/guard_talk.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/wire.h"

/* How long one that has closed its end, or was killed, has for ending: how it
 * ends says why. */
enum { LINGER_MS = 2000, LINGER_TICK_MS = 1 };

/* No file that is in order comes near this, in processor time. */
enum { SECONDS_MOST = 120 };

/* A listing of more bytes is of no file that is in order. */
static const uint64_t answer_bytes_most = (uint64_t)1 << 40;

static struct {
    pid_t pid;    /* 0: none */
    int lost_by;  /* the signal that ended it; 0: none */
    bool is_full; /* the system had no memory for the window */
    struct guard_ends ends;
    struct guard_talk talk;
    uint64_t serial; /* of the last request */
    void *window;
    size_t window_bytes;
    pthread_mutex_t mutex;
} guard = {.ends = {-1, -1, 0}, .mutex = PTHREAD_MUTEX_INITIALIZER};

bool
dtx_guard_is_on(void)
{
    return guard.pid != 0;
}

/* ---------------------------------------------------------------- life */

/* Shared memory that nobody can cut short under a reader. */
static int
make_window(void)
{
    int fd = memfd_create("dtx-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void
close_ends(void)
{
    if (guard.window != NULL) {
        munmap(guard.window, guard.window_bytes);
    }
    if (guard.ends.socket >= 0) {
        close(guard.ends.socket);
    }
    if (guard.ends.window >= 0) {
        close(guard.ends.window);
    }
    guard.window = NULL;
    guard.window_bytes = 0;
    guard.ends = (struct guard_ends){-1, -1, 0};
}

/* Forks; the guard keeps the other end of the socket and the memory. */
static bool
start(int seconds)
{
    int sockets[2];
    pid_t pid;

    guard.ends.window = make_window();
    if (guard.ends.window < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        return false;
    }
    guard.ends.socket = sockets[1];
    guard.ends.seconds = seconds > 0 ? seconds : SECONDS_MOST;
    pid = fork();
    if (pid == 0) {
        dtx_guard_serve(&guard.ends);
    }
    close(sockets[1]);
    guard.ends.socket = sockets[0];
    guard.talk = (struct guard_talk){.socket = sockets[0],
                                     .silence_s = guard.ends.seconds};
    guard.pid = pid < 0 ? 0 : pid;
    return pid > 0;
}

enum dtx_status
dtx_guard_start(int seconds, struct dtx_error *err)
{
    char reason[DTX_REASON_TEXT];
    int code;

    guard.is_full = false;
    guard.lost_by = 0;
    if (start(seconds)) {
        return DTX_OK;
    }
    code = errno;
    close_ends();
    return dtx_error_set(err, DTX_ERR_LIMIT,
                         "cannot start a process that reads sources: %s",
                         dtx_file_reason(code, reason));
}

/* False where it goes on for a while, though it was killed perhaps: a disk
 * that doesn't answer can hold it. Sets how it ended, if that can be said. */
static bool
ends_soon(int *status_out)
{
    const struct timespec tick = {0, LINGER_TICK_MS * 1000000L};
    int left_ms = LINGER_MS;
    pid_t pid;

    while ((pid = waitpid(guard.pid, status_out, WNOHANG)) == 0 &&
           left_ms > 0) {
        nanosleep(&tick, NULL);
        left_ms -= LINGER_TICK_MS;
    }
    return pid != 0;
}

void
dtx_guard_stop(void)
{
    int ignored;

    if (guard.pid == 0) {
        return;
    }
    close_ends();
    if (guard.talk.end == GUARD_TALKS) {
        kill(guard.pid, SIGKILL);
        (void)ends_soon(&ignored);
    }
    guard.pid = 0;
}

/* ---------------------------------------------------------------- losses */

/* What the last request was about, for a message. */
struct subject {
    const char *file;
    const char *dataset; /* NULL: the file */
    const char *target;  /* in place of both: what was being made */
};

static void
describe(const struct subject *subject, char *text, size_t size)
{
    if (subject->target != NULL) {
        snprintf(text, size, "carry attributes and objects over to '%s'",
                 subject->target);
    } else if (subject->dataset != NULL) {
        snprintf(text, size, "read dataset '%s' of '%s'", subject->dataset,
                 subject->file);
    } else {
        snprintf(text, size, "read '%s'", subject->file);
    }
}

static enum dtx_status
blame_file(const char *what, struct dtx_error *err)
{
    if (guard.talk.end == GUARD_STUCK) {
        dtx_error_set(err, DTX_ERR_SOURCE,
                      "cannot %s: the process that reads sources gives no "
                      "answer that can be understood",
                      what);
        dtx_error_hint(err, "the file may be damaged");
        return DTX_ERR_SOURCE;
    }
    if (guard.lost_by == SIGPROF) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "cannot %s: HDF5 finds no end in it; the file "
                             "is damaged",
                             what);
    }
    if (guard.lost_by == SIGBUS) { /* by what it read, or by the machine */
        dtx_error_set(err, DTX_ERR_SOURCE,
                      "cannot %s: HDF5 crashes on it (signal %d)", what,
                      guard.lost_by);
        dtx_error_hint(err, "the file may be damaged, or memory or a disk of "
                            "the system fails");
        return DTX_ERR_SOURCE;
    }
    return dtx_error_set(err, DTX_ERR_SOURCE,
                         "cannot %s: HDF5 crashes on it (signal %d); the file "
                         "is damaged",
                         what, guard.lost_by);
}

/* The failure of all requests from the loss of the guard on. */
static enum dtx_status
fail_lost(const struct subject *subject, struct dtx_error *err)
{
    char what[900];

    if (guard.talk.end == GUARD_UNWANTED && dtx_must_stop()) {
        return dtx_stopped(err);
    }
    describe(subject, what, sizeof what);
    if (guard.talk.end == GUARD_STUCK ||
        (guard.lost_by != 0 && guard.lost_by != SIGKILL &&
         guard.lost_by != SIGTERM)) {
        return blame_file(what, err);
    }
    if (guard.is_full) {
        return dtx_error_set(err, DTX_ERR_LIMIT,
                             "cannot %s: the system has no memory left for it",
                             what);
    }
    dtx_error_set(err, DTX_ERR_LIMIT,
                  "cannot %s: the process that reads sources was ended", what);
    dtx_error_hint(err, "the system ends processes where memory runs out");
    return DTX_ERR_LIMIT;
}

/* Ends the guard, with which talk has ended, and fails the request. One that
 * has gone says why by how it ends; if it doesn't end, it waits for something
 * else than for this process. */
static enum dtx_status
lose(const struct subject *subject, struct dtx_error *err)
{
    int status = 0;

    shutdown(guard.ends.socket, SHUT_RDWR);
    if (guard.talk.end == GUARD_GONE && !ends_soon(&status)) {
        guard.talk.end = GUARD_STUCK;
    }
    if (guard.talk.end != GUARD_GONE) {
        kill(guard.pid, SIGKILL);
        (void)ends_soon(&status);
    }
    guard.lost_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    guard.is_full = WIFEXITED(status) && WEXITSTATUS(status) == GUARD_FULL;
    return fail_lost(subject, err);
}

/* ---------------------------------------------------------------- requests */

/* The failure of a request whose answer can't be. */
static enum dtx_status
refuse(const struct subject *subject, struct dtx_error *err)
{
    if (guard.talk.end == GUARD_TALKS) {
        guard.talk.end = GUARD_STUCK;
    }
    return lose(subject, err);
}

static bool
is_failure(uint64_t word)
{
    return word == DTX_ERR_SOURCE || word == DTX_ERR_TARGET ||
           word == DTX_ERR_LIMIT || word == DTX_ERR_INTERNAL;
}

/* True where so long an answer can be one. */
static bool
fits(enum guard_request request, const struct guard_head *head)
{
    if (head->word != DTX_OK) {
        return is_failure(head->word) &&
               head->bytes == sizeof(struct dtx_error);
    }
    switch (request) {
    case GUARD_SCAN:
    case GUARD_CARRY:
        return head->bytes <= answer_bytes_most;
    case GUARD_DIGEST:
        return head->bytes == sizeof(uint64_t);
    case GUARD_READ:
    case GUARD_FORGET:
        return head->bytes == 0;
    }
    return false;
}

static enum dtx_status
receive_failure(const struct guard_head *head, const struct subject *subject,
                struct dtx_error *err)
{
    struct dtx_error told;

    if (!dtx_guard_talk_receive(&guard.talk, &told, sizeof told) ||
        (uint64_t)told.status != head->word || told.message[0] == '\0') {
        return refuse(subject, err);
    }
    told.process = -1;
    told.message[sizeof told.message - 1] = '\0';
    told.tensor[sizeof told.tensor - 1] = '\0';
    told.where[sizeof told.where - 1] = '\0';
    told.hint[sizeof told.hint - 1] = '\0';
    *err = told;
    return told.status;
}

static enum dtx_status
receive_bytes(const struct guard_head *head, const struct subject *subject,
              struct dtx_text *answer, struct dtx_error *err)
{
    char block[1 << 16];
    uint64_t left = head->bytes;

    while (left > 0) {
        size_t count = left < sizeof block ? (size_t)left : sizeof block;

        if (!dtx_guard_talk_receive(&guard.talk, block, count)) {
            return lose(subject, err);
        }
        dtx_text_add_bytes(answer, block, count);
        left -= count;
    }
    return answer != NULL && answer->failed ? dtx_error_memory(err) : DTX_OK;
}

/* Sends a request, and adds what comes back to the answer (NULL: nothing
 * does). Under the mutex. */
static enum dtx_status
ask(enum guard_request request, const struct dtx_text *body,
    const struct subject *subject, struct dtx_text *answer,
    struct dtx_error *err)
{
    struct guard_head head = {(uint64_t)request, body->length, ++guard.serial};
    struct guard_talk *talk = &guard.talk;

    if (talk->end != GUARD_TALKS) {
        return fail_lost(subject, err);
    }
    if (body->failed) {
        return dtx_error_memory(err);
    }
    if (!dtx_guard_talk_send(talk, &head, sizeof head) ||
        !dtx_guard_talk_send(talk, body->data, body->length)) {
        return lose(subject, err);
    }
    dtx_guard_talk_await(talk);
    if (!dtx_guard_talk_receive(talk, &head, sizeof head)) {
        return lose(subject, err);
    }
    if (head.serial != guard.serial || !fits(request, &head)) {
        return refuse(subject, err);
    }
    return head.word == DTX_OK ? receive_bytes(&head, subject, answer, err)
                               : receive_failure(&head, subject, err);
}

enum dtx_status
dtx_guard_scan(const char *path, struct dtx_text *listing,
               struct dtx_error *err)
{
    struct subject subject = {.file = path};
    struct dtx_text body = {0};
    enum dtx_status status;

    dtx_wire_add_string(&body, path);
    pthread_mutex_lock(&guard.mutex);
    status = ask(GUARD_SCAN, &body, &subject, listing, err);
    pthread_mutex_unlock(&guard.mutex);
    dtx_text_finish(&body);
    return status;
}

/* Makes the window at least so large. */
static enum dtx_status
widen_window(size_t bytes, struct dtx_error *err)
{
    void *window;

    if (bytes <= guard.window_bytes) {
        return DTX_OK;
    }
    if (guard.window != NULL) {
        munmap(guard.window, guard.window_bytes);
    }
    guard.window = NULL;
    guard.window_bytes = 0;
    if (dtx_file_set_length(guard.ends.window, bytes) != 0) {
        return dtx_error_memory(err);
    }
    window = mmap(NULL, bytes, PROT_READ, MAP_SHARED, guard.ends.window, 0);
    if (window == MAP_FAILED) {
        return dtx_error_memory(err);
    }
    guard.window = window;
    guard.window_bytes = bytes;
    return DTX_OK;
}

enum dtx_status
dtx_guard_read(const char *file, int index, const char *dataset,
               const struct dtx_hdf5_box *box, void *buffer,
               struct dtx_error *err)
{
    struct subject subject = {.file = file, .dataset = dataset};
    size_t bytes = dtx_hdf5_box_bytes(box);
    struct dtx_text body = {0};
    enum dtx_status status;
    int d;

    dtx_wire_add_string(&body, file);
    dtx_wire_add_number(&body, (uint64_t)index);
    dtx_wire_add_string(&body, dataset);
    dtx_wire_add_number(&body, box->element_bytes);
    dtx_wire_add_number(&body, (uint64_t)box->ndim);
    for (d = 0; d < box->ndim; d++) {
        dtx_wire_add_number(&body, (uint64_t)box->shape[d]);
        dtx_wire_add_number(&body, (uint64_t)box->lo[d]);
        dtx_wire_add_number(&body, (uint64_t)box->len[d]);
    }
    pthread_mutex_lock(&guard.mutex);
    status = widen_window(bytes, err);
    if (status == DTX_OK) {
        status = ask(GUARD_READ, &body, &subject, NULL, err);
    }
    if (status == DTX_OK) {
        memcpy(buffer, guard.window, bytes);
    }
    pthread_mutex_unlock(&guard.mutex);
    dtx_text_finish(&body);
    return status;
}

enum dtx_status
dtx_guard_digest(const char *file, const char *dataset, uint64_t *digest_out,
                 struct dtx_error *err)
{
    struct subject subject = {.file = file, .dataset = dataset};
    struct dtx_text body = {0}, answer = {0};
    enum dtx_status status;

    dtx_wire_add_string(&body, file);
    dtx_wire_add_string(&body, dataset);
    pthread_mutex_lock(&guard.mutex);
    status = ask(GUARD_DIGEST, &body, &subject, &answer, err);
    pthread_mutex_unlock(&guard.mutex);
    if (status == DTX_OK) {
        memcpy(digest_out, answer.data, sizeof *digest_out);
    }
    dtx_text_finish(&body);
    dtx_text_finish(&answer);
    return status;
}

enum dtx_status
dtx_guard_carry(const struct dtx_text *list, const char *target,
                struct dtx_text *image, struct dtx_error *err)
{
    struct subject subject = {.target = target};
    enum dtx_status status;

    pthread_mutex_lock(&guard.mutex);
    status = ask(GUARD_CARRY, list, &subject, image, err);
    pthread_mutex_unlock(&guard.mutex);
    return status;
}

void
dtx_guard_forget(void)
{
    struct dtx_text body = {0};
    struct subject subject = {.file = ""};
    struct dtx_error ignored;

    dtx_text_add(&body, "");
    pthread_mutex_lock(&guard.mutex);
    (void)ask(GUARD_FORGET, &body, &subject, NULL, &ignored);
    pthread_mutex_unlock(&guard.mutex);
    dtx_text_finish(&body);
}
