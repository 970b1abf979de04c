/*
 * The guard's side: answers requests, and dies of a file if it must.
 */
#define _GNU_SOURCE /* prctl, setitimer, syscall */

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "storage/files.h"
#include "storage/guard/guard_form.h"
#include "storage/hdf5/hdf5_box.h"
#include "storage/hdf5/hdf5_carry.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_object.h"
#include "storage/hdf5/hdf5_scan.h"
#include "storage/socket.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"
#include "util/names.h"
#include "util/wire.h"

/* A box has this much more time for each so many bytes. */
enum { BYTES_PER_SECOND = 4 << 20 };

/* The least for a listing, and what it may take longer for a larger file. */
enum { SCAN_SECONDS = 20, SCAN_BYTES_PER_SECOND = 1 << 18 };

enum { REQUEST_BYTES_MOST = 1 << 30 };

static struct server {
    struct guard_ends ends;
    struct dtx_hdf5_handles sources;
    struct dtx_names paths; /* their addresses tell files apart */
    void *window;
    size_t window_bytes;
} server;

/* ---------------------------------------------------------------- setting */

/* gcc and clang say it in their own ways. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* Half of the machine's memory for itself, as far as that can be said: a
 * sanitizer reserves more than there is. */
static void
limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__)
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    struct rlimit limit;

    if (pages > 0 && page_bytes > 0 && getrlimit(RLIMIT_DATA, &limit) == 0) {
        rlim_t half = (rlim_t)pages / 2 * (rlim_t)page_bytes;

        limit.rlim_cur = limit.rlim_cur < half ? limit.rlim_cur : half;
        setrlimit(RLIMIT_DATA, &limit);
    }
#endif
}

/* Nobody cuts the window short; so what can't be put there has no memory, on
 * a full file system or in a full cgroup. All else crashes. */
static void
hear_bus_error(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    uintptr_t window = (uintptr_t)server.window;

    (void)context;
    if (info->si_code > 0 && at >= window &&
        at - window < server.window_bytes) {
        _exit(GUARD_FULL);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* What others send to stop a job is its process's to answer, and what crashes
 * must crash. */
static void
set_signals(void)
{
    static const int ignored[] = {SIGINT,  SIGTERM, SIGUSR1,
                                  SIGUSR2, SIGHUP,  SIGPIPE};
    static const int fatal[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGPROF};
    struct sigaction bus = {.sa_sigaction = hear_bus_error,
                            .sa_flags = SA_SIGINFO};
    struct rlimit no_core = {0, 0};

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        signal(ignored[i], SIG_IGN);
    }
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        signal(fatal[i], SIG_DFL);
    }
    sigaction(SIGBUS, &bus, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
}

/* Lets go of all that launchers wait for the end of. */
static void
close_others(const struct guard_ends *ends)
{
    int null = open("/dev/null", O_RDWR);
    unsigned low = (unsigned)dtx_min(ends->socket, ends->window);
    unsigned high = (unsigned)dtx_max(ends->socket, ends->window);

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        dup2(null, fd);
    }
    close_range(STDERR_FILENO + 1, low - 1, 0);
    close_range(low + 1, high - 1, 0);
    close_range(high + 1, UINT_MAX, 0);
}

static void
settle_down(const struct guard_ends *ends)
{
    prctl(PR_SET_NAME, "dtx-guard");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    set_signals();
    close_others(ends);
    limit_memory();
}

/* Starts the clock of a request anew: only its own computing counts. */
static void
allow_seconds(int64_t seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};

    setitimer(ITIMER_PROF, &timer, NULL);
}

/* ---------------------------------------------------------------- requests */

/* The one address of a path. NULL when out of memory. */
static const char *
intern(struct server *s, const char *path)
{
    int index = dtx_names_add(&s->paths, path);

    return index < 0 ? NULL : s->paths.strings[index];
}

/* A small file has not much to list. */
static enum dtx_status
scan(struct server *s, struct dtx_wire *wire, struct dtx_text *listing,
     struct dtx_error *err)
{
    const char *path = dtx_wire_string(wire);
    int64_t bytes = dtx_max(dtx_file_size(path), 0);

    allow_seconds(dtx_min((int64_t)s->ends.seconds,
                          SCAN_SECONDS + bytes / SCAN_BYTES_PER_SECOND));
    return dtx_hdf5_scan(path, listing, err);
}

static enum dtx_status
see_window(struct server *s, size_t bytes, struct dtx_error *err)
{
    struct stat info;
    void *window;

    if (bytes <= s->window_bytes) {
        return DTX_OK;
    }
    if (s->window != NULL) {
        munmap(s->window, s->window_bytes);
    }
    s->window = NULL;
    s->window_bytes = 0;
    if (fstat(s->ends.window, &info) != 0 || (size_t)info.st_size < bytes) {
        return dtx_error_memory(err);
    }
    window = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                  s->ends.window, 0);
    if (window == MAP_FAILED) {
        return dtx_error_memory(err);
    }
    s->window = window;
    s->window_bytes = bytes;
    return DTX_OK;
}

static enum dtx_status
read_box(struct server *s, struct dtx_wire *wire, struct dtx_error *err)
{
    int64_t shape[H5S_MAX_RANK], lo[H5S_MAX_RANK], len[H5S_MAX_RANK];
    struct dtx_hdf5_box box = {.shape = shape, .lo = lo, .len = len};
    struct dtx_hdf5_name name;
    enum dtx_status status;
    uint64_t ndim;

    name.file = intern(s, dtx_wire_string(wire));
    name.key = name.file;
    name.index = (int)dtx_wire_number(wire);
    name.dataset = intern(s, dtx_wire_string(wire));
    box.element_bytes = dtx_wire_number(wire);
    ndim = dtx_wire_number(wire);
    if (name.file == NULL || name.dataset == NULL || ndim > H5S_MAX_RANK) {
        return dtx_error_memory(err);
    }
    for (box.ndim = 0; box.ndim < (int)ndim; box.ndim++) {
        shape[box.ndim] = (int64_t)dtx_wire_number(wire);
        lo[box.ndim] = (int64_t)dtx_wire_number(wire);
        len[box.ndim] = (int64_t)dtx_wire_number(wire);
    }
    status = see_window(s, dtx_hdf5_box_bytes(&box), err);
    if (status != DTX_OK) {
        return status;
    }
    allow_seconds(s->ends.seconds +
                  (int64_t)(dtx_hdf5_box_bytes(&box) / BYTES_PER_SECOND));
    dtx_hdf5_lock();
    status = dtx_hdf5_read_box(&s->sources, name, &box, s->window, err);
    dtx_hdf5_unlock();
    return status;
}

static enum dtx_status
digest(struct server *s, struct dtx_wire *wire, struct dtx_text *answer,
       struct dtx_error *err)
{
    const char *file = intern(s, dtx_wire_string(wire));
    const char *dataset = dtx_wire_string(wire);
    uint64_t found = 0;
    enum dtx_status status;

    if (file == NULL) {
        return dtx_error_memory(err);
    }
    dtx_hdf5_lock();
    status = dtx_hdf5_object_digest(&s->sources, file, dataset, &found, err);
    dtx_hdf5_unlock();
    dtx_wire_add_number(answer, found);
    return status;
}

static enum dtx_status
carry(struct server *s, struct dtx_wire *wire, struct dtx_text *image,
      struct dtx_error *err)
{
    enum dtx_status status;

    dtx_hdf5_lock();
    status = dtx_hdf5_carry(&s->sources, &s->paths, wire, image, err);
    dtx_hdf5_unlock();
    return status;
}

static enum dtx_status
forget(struct server *s)
{
    dtx_hdf5_lock();
    dtx_hdf5_handles_finish(&s->sources);
    dtx_hdf5_unlock();
    dtx_names_finish(&s->paths);
    s->paths = (struct dtx_names){0};
    return DTX_OK;
}

static enum dtx_status
serve(struct server *s, uint64_t request, struct dtx_wire *wire,
      struct dtx_text *answer, struct dtx_error *err)
{
    allow_seconds(s->ends.seconds);
    switch (request) {
    case GUARD_SCAN:
        return scan(s, wire, answer, err);
    case GUARD_READ:
        return read_box(s, wire, err);
    case GUARD_DIGEST:
        return digest(s, wire, answer, err);
    case GUARD_CARRY:
        return carry(s, wire, answer, err);
    case GUARD_FORGET:
        return forget(s);
    default:
        return dtx_error_set(err, DTX_ERR_INTERNAL,
                             "a request that no guard knows");
    }
}

static bool
reply(const struct server *s, uint64_t serial, enum dtx_status status,
      const struct dtx_text *answer, const struct dtx_error *err)
{
    bool is_done = status == DTX_OK;
    struct guard_head head = {(uint64_t)status,
                              is_done ? answer->length : sizeof *err, serial};

    return dtx_socket_send(s->ends.socket, &head, sizeof head) &&
           dtx_socket_send(s->ends.socket,
                           is_done ? (const void *)answer->data
                                   : (const void *)err,
                           (size_t)head.bytes);
}

/* One request. False where the other end has gone. */
static bool
serve_next(struct server *s)
{
    struct dtx_text answer = {0};
    struct dtx_error err = {.process = -1};
    enum dtx_status status;
    struct guard_head head;
    struct dtx_wire wire;
    char *body;
    bool goes_on;

    if (!dtx_socket_receive(s->ends.socket, &head, sizeof head) ||
        head.bytes > REQUEST_BYTES_MOST) {
        return false;
    }
    body = dtx_alloc((size_t)head.bytes, 1);
    if (body == NULL ||
        !dtx_socket_receive(s->ends.socket, body, (size_t)head.bytes)) {
        dtx_free(body);
        return false;
    }
    wire = (struct dtx_wire){body, (size_t)head.bytes, false};
    status = serve(s, head.word, &wire, &answer, &err);
    if (status == DTX_OK && answer.failed) {
        status = dtx_error_memory(&err);
    }
    goes_on = reply(s, head.serial, status, &answer, &err);
    dtx_text_finish(&answer);
    dtx_free(body);
    return goes_on;
}

_Noreturn void
dtx_guard_serve(const struct guard_ends *ends)
{
    struct dtx_error err;

    server.ends = *ends;
    settle_down(ends);
    if (dtx_hdf5_start(&err) == DTX_OK) {
        while (serve_next(&server)) {
        }
    }
    _exit(GUARD_SERVED);
}
