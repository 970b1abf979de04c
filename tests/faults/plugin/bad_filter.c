/*
 * A filter of HDF5's that does to a reader what a damaged file can do: its
 * first parameter says what. It writes everything as it is.
 */
#define _GNU_SOURCE /* setitimer */

/* HDF5 looks for two functions. */
#pragma GCC visibility push(default)

#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <H5PLextern.h>

enum {
    CRASH = 1,
    LOOP,        /* without end */
    LOOP_LONG,   /* as if it had been going on for long */
    VANISH,      /* as where the system has no memory left */
    FALL_SILENT, /* lives on, but hears and says nothing any more */
    FILL,        /* there is no memory for what is shared with the process */
    FAULT,       /* as where a page of the program can't be read */
    TAKE_LONG    /* a second, and nothing is wrong */
};

/* Lets go of all that it could be heard by. */
static void
fall_silent(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        close(fd);
    }
    for (;;) {
        pause();
    }
}

/* Puts a file of no bytes in the place of the shared memory, and writes. */
static void
fill(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    FILE *empty = tmpfile();
    char line[512];

    while (maps != NULL && empty != NULL &&
           fgets(line, sizeof line, maps) != NULL) {
        void *begin, *end;

        if (strstr(line, "dtx-window") != NULL &&
            sscanf(line, "%p-%p", &begin, &end) == 2) {
            mmap(begin, (size_t)((char *)end - (char *)begin),
                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(empty),
                 0);
            *(volatile char *)begin = 1;
        }
    }
}

static size_t
go_wrong(unsigned how)
{
    struct itimerval soon = {.it_value.tv_usec = 200000};
    volatile unsigned long count = 0;

    if (how == CRASH) {
        raise(SIGSEGV);
    }
    if (how == VANISH) {
        raise(SIGKILL);
    }
    if (how == FALL_SILENT) {
        fall_silent();
    }
    if (how == FILL) {
        fill();
    }
    if (how == FAULT) {
        raise(SIGBUS);
    }
    if (how == LOOP_LONG) {
        setitimer(ITIMER_PROF, &soon, NULL);
    }
    for (;;) {
        count++;
    }
    return 0;
}

static size_t
filter(unsigned flags, size_t value_count, const unsigned *values, size_t bytes,
       size_t *buffer_bytes, void **buffer)
{
    (void)buffer_bytes;
    (void)buffer;
    if (value_count > 0 && values[0] == TAKE_LONG) {
        sleep((flags & H5Z_FLAG_REVERSE) != 0 ? 1 : 0);
        return bytes;
    }
    if ((flags & H5Z_FLAG_REVERSE) != 0 && value_count > 0) {
        return go_wrong(values[0]);
    }
    return bytes;
}

static const H5Z_class2_t class = {
    .version = H5Z_CLASS_T_VERS,
    .id = 32123,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "bad",
    .filter = (H5Z_func_t)filter,
};

H5PL_type_t
H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

const void *
H5PLget_plugin_info(void)
{
    return &class;
}
