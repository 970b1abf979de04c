/*
 * Talking with the guard: whole messages through its socket, none of which is
 * waited for without end.
 *
 * The guard may stand still anywhere, in the middle of a message too: it has
 * crashed, was stopped, or lost its way. So every piece is waited for by the
 * same rules:
 *  - Once this process is asked to stop, talk goes on for a little while, over
 *    however many messages: then it has ended.
 *  - In the middle of a message there is nothing that takes long, and silence
 *    has a limit. Before an answer there is none: the guard may wait for a file
 *    system, and limits its computing itself.
 * Once talk has ended, nothing goes through any more.
 */
#ifndef DTX_STORAGE_GUARD_GUARD_TALK_H
#define DTX_STORAGE_GUARD_GUARD_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum guard_talk_end {
    GUARD_TALKS,   /* it goes on */
    GUARD_GONE,    /* the guard has closed its end */
    GUARD_STUCK,   /* what it says can't be understood, or has no end */
    GUARD_UNWANTED /* this process was asked to stop */
};

struct guard_talk {
    int socket;         /* borrowed */
    int silence_s;      /* the most in the middle of a message */
    int64_t stop_at_ms; /* 0: not asked to stop, as far as was noticed */
    enum guard_talk_end end;
};

/* False where talk has ended. */
bool dtx_guard_talk_send(struct guard_talk *talk, const void *bytes,
                         size_t count);
bool dtx_guard_talk_receive(struct guard_talk *talk, void *bytes, size_t count);

/* Waits until an answer begins, or talk has ended. */
void dtx_guard_talk_await(struct guard_talk *talk);

#endif
