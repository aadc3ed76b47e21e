// SPDX-License-Identifier: Apache-2.0
#include "wake.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

static void pace_set(struct pace *pace, uint64_t period)
{
    pace->period = period;
    pace->due_ns = pace->start_ns + (int64_t)period * pace->interval_ns;
}

int wake_init(struct wake *wake, const struct options *options, const struct pace *pace)
{
    struct itimerspec timer = {
        .it_value = to_timespec(pace->start_ns),
        .it_interval = to_timespec(pace->interval_ns),
    };

    *wake =
        (struct wake){.kind = (enum wake_kind)options->wake, .spin_ns = (int64_t)options->spin, .timer = -1};
    if (wake->kind != WAKE_TIMERFD)
        return 0;
    wake->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (wake->timer < 0 || timerfd_settime(wake->timer, TFD_TIMER_ABSTIME, &timer, NULL) < 0)
        return -errno;
    return 0;
}

void wake_free(struct wake *wake)
{
    if (wake->timer >= 0)
        close(wake->timer);
    wake->timer = -1;
}

static int sleep_until(int64_t ns)
{
    struct timespec due = to_timespec(ns);

    // A machine that has just booted may spin from before its clock began.
    if (ns < 0)
        return 0;
    return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

static int spin_until(int64_t ticks, const struct clock *clock, const atomic_bool *stop, int64_t *now)
{
    do {
        *now = clock_now(clock);
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return -EINTR;
    } while (*now < ticks);
    return 0;
}

static int wait_timer(struct wake *wake)
{
    if (read(wake->timer, &wake->expirations, sizeof wake->expirations) != sizeof wake->expirations)
        return -errno;
    return 0;
}

int wake_wait(struct wake *wake, const struct pace *pace, struct clock *clock, const atomic_bool *stop,
              int64_t *now)
{
    int error = 0;

    switch (wake->kind) {
    case WAKE_NANOSLEEP:
        error = sleep_until(pace->due_ns);
        break;
    case WAKE_TIMERFD:
        error = wait_timer(wake);
        break;
    case WAKE_SLEEP_SPIN:
        error = sleep_until(pace->due_ns - wake->spin_ns);
        if (error)
            return error;
        clock_follow(clock, pace->due_ns);
        return spin_until(clock_ticks_at(clock, pace->due_ns), clock, stop, now);
    case WAKE_SPIN:
        clock_follow(clock, pace->due_ns);
        return spin_until(clock_ticks_at(clock, pace->due_ns), clock, stop, now);
    }
    *now = clock_now(clock);
    clock_follow(clock, pace->due_ns);
    return error;
}

void wake_advance(const struct wake *wake, struct pace *pace, int64_t now_ns)
{
    if (wake->kind == WAKE_TIMERFD)
        pace_set(pace, pace->period + wake->expirations);
    else if (now_ns - pace->due_ns < pace->interval_ns)
        pace_set(pace, pace->period + 1);
    else
        pace_set(pace, (uint64_t)((now_ns - pace->start_ns) / pace->interval_ns) + 1);
}

int wake_catch_up(struct wake *wake, struct pace *pace)
{
    int64_t now_ns = jitterstream_now_ns();
    int error = 0;

    if (now_ns < pace->due_ns)
        return 0;
    if (wake->kind == WAKE_TIMERFD)
        error = wait_timer(wake);
    if (!error)
        wake_advance(wake, pace, now_ns);
    return error;
}
