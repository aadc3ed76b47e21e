// SPDX-License-Identifier: Apache-2.0
// The ways to wait until a period is due.
#pragma once

#include <stdatomic.h>

#include "clock.h"
#include "options.h"

// Where a thread stands in its periods: period k is due at start + k x interval (CLOCK_MONOTONIC).
struct pace {
    int64_t start_ns;
    int64_t interval_ns;
    uint64_t period;
    int64_t due_ns;
};

struct wake {
    enum wake_kind kind;
    int64_t spin_ns;
    int timer;            // timerfd: its descriptor
    uint64_t expirations; // timerfd: periods that had become due at the last waiting, that one included
};

int wake_init(struct wake *wake, const struct options *options, const struct pace *pace);
void wake_free(struct wake *wake);
// Wait until the period is due, and read the clock, which then follows CLOCK_MONOTONIC outside of what is
// measured. Returns -EINTR when a signal ended the waiting or `stop` was set while spinning.
int wake_wait(struct wake *wake, const struct pace *pace, struct clock *clock, const atomic_bool *stop,
              int64_t *now);
// Go on to the next period: the first one that is due after now, or the first that the timer has not counted
// yet.
void wake_advance(const struct wake *wake, struct pace *pace, int64_t now_ns);
// Leave out the periods that were due while the thread did something else.
int wake_catch_up(struct wake *wake, struct pace *pace);
