/*
 * Status and errors.
 *
 * Every function that can fail returns an enum dtx_status and fills a
 * struct dtx_error that the caller owns. The error is flat: it can be copied,
 * kept, and broadcast between processes as bytes. The numbers of the statuses
 * are the exit statuses of the dtx program.
 */
#ifndef DTX_STATUS_H
#define DTX_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define DTX_API __attribute__((visibility("default")))
#define DTX_NODISCARD __attribute__((warn_unused_result))
#define DTX_PRINTF(string, first) __attribute__((format(printf, string, first)))

enum dtx_status {
    DTX_OK = 0,
    DTX_ERR_DIFFERENT = 1,    /* verify or diff found a difference */
    DTX_ERR_INVALID = 2,      /* the command line or a layout is wrong */
    DTX_ERR_SOURCE = 3,       /* the source can't be read */
    DTX_ERR_TARGET = 4,       /* the target can't be written */
    DTX_ERR_DIGEST = 5,       /* data doesn't match its digest */
    DTX_ERR_LIMIT = 6,        /* memory, or a number too large */
    DTX_ERR_COMM = 7,         /* communication between processes */
    DTX_ERR_DEVICE = 8,       /* an accelerator */
    DTX_ERR_INTERNAL = 70,    /* a bug in dtx */
    DTX_ERR_INTERRUPTED = 75, /* stopped by a signal; can go on */
};

/*
 * What went wrong, in words for the user. Empty strings are left out when it
 * is shown; process is -1 where it doesn't matter.
 */
struct dtx_error {
    enum dtx_status status;
    int process;
    char message[1024]; /* one sentence without a final stop */
    char tensor[512];   /* the tensor, and the box where one is concerned */
    char where[256];    /* process, host, rank and coordinates */
    char hint[512];     /* one thing to try */
};

/* The status in two or three words, for logs. Never NULL. Local. */
DTX_API const char *dtx_status_name(enum dtx_status status);

#ifdef __cplusplus
}
#endif
#endif
