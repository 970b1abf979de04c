/*
 * What both ends of a guard's socket know.
 */
#ifndef DTX_STORAGE_GUARD_GUARD_FORM_H
#define DTX_STORAGE_GUARD_GUARD_FORM_H

#include <stdint.h>

enum guard_request {
    GUARD_SCAN,   /* path -> listing */
    GUARD_READ,   /* file, index, dataset, box -> data in the window */
    GUARD_DIGEST, /* file, dataset -> its digest */
    GUARD_CARRY,  /* list -> image */
    GUARD_FORGET  /* -> nothing */
};

/* Stands before each request and each answer. */
struct guard_head {
    uint64_t word;   /* a request, or a status */
    uint64_t bytes;  /* that follow; of a failure, a struct dtx_error */
    uint64_t serial; /* an answer has its request's */
};

/* With what status the guard leaves by itself. */
enum guard_exit {
    GUARD_SERVED, /* the other end has closed */
    GUARD_FULL    /* there is no memory for the window */
};

/* What the guard has of its process. */
struct guard_ends {
    int socket;
    int window; /* shared memory */
    int seconds;
};

/* Answers requests until the other end closes; doesn't return. */
_Noreturn void dtx_guard_serve(const struct guard_ends *ends);

#endif
