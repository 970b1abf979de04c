/*
 * Cases of a guard that answers as its double does. Each has a process of its
 * own, and all of a test run at a time, because they wait.
 */
#ifndef DTX_TESTS_STORAGE_GUARD_CASE_H
#define DTX_TESTS_STORAGE_GUARD_CASE_H

#include <stdint.h>

#include "guard_double.h"
#include "storage/guard/guard.h"

struct guard_reply {
    enum dtx_status status;
    struct dtx_error err;
    int64_t took_ms;
};

struct guard_case {
    enum guard_request request;
    struct double_play play;
    bool (*claim)(const struct guard_case *c);
};

/* Asserts all claims; a case that hangs fails. At most CASE_COUNT_MOST. */
enum { CASE_COUNT_MOST = 64 };
void case_run_all(const struct guard_case *cases, int count);

/* In a case: starts the guard, and sends it a request of a kind. */
void case_begin(int seconds);
struct guard_reply case_ask(enum guard_request request);
int64_t case_now_ms(void);

/* Says of a claim that fails what the case was; returns the claim. */
bool case_hold(bool claim, const struct guard_case *c,
               const struct guard_reply *reply);

/* The failure of one that is of no use. */
bool case_is_given_up(const struct guard_case *c,
                      const struct guard_reply *reply);

#endif
