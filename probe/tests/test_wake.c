// SPDX-License-Identifier: Apache-2.0
#include "wake.h"

#include <unistd.h>

#include "check.h"

static const atomic_bool running = false;

static struct clock monotonic(void)
{
    struct clock clock;
    struct failure failure;

    CHECK(clock_init(&clock, CLOCK_KIND_MONOTONIC, &failure) == 0);
    return clock;
}

static void periods_that_are_over_are_left_out(void)
{
    struct wake wake = {.kind = WAKE_NANOSLEEP, .timer = -1};
    struct pace pace = {.start_ns = 1000, .interval_ns = 100, .due_ns = 1000};

    wake_advance(&wake, &pace, 1000);
    CHECK(pace.period == 1 && pace.due_ns == 1100);
    wake_advance(&wake, &pace, 1199);
    CHECK(pace.period == 2 && pace.due_ns == 1200);
    wake_advance(&wake, &pace, 1300);
    CHECK(pace.period == 4 && pace.due_ns == 1400);
    wake_advance(&wake, &pace, 2050);
    CHECK(pace.period == 11 && pace.due_ns == 2100);
}

static void nobody_wakes_early(int kind)
{
    struct options options = {.wake = kind, .spin = 200000};
    struct clock clock = monotonic();
    struct pace pace = {.start_ns = jitterstream_now_ns() + 1000000, .interval_ns = 1000000};
    struct wake wake;
    uint64_t last = UINT64_MAX;

    pace.due_ns = pace.start_ns;
    CHECK(wake_init(&wake, &options, &pace) == 0);
    for (int i = 0; i < 20; i++) {
        int64_t now;

        CHECK(wake_wait(&wake, &pace, &clock, &running, &now) == 0);
        CHECK(now >= pace.due_ns);
        CHECK(pace.due_ns == pace.start_ns + (int64_t)pace.period * pace.interval_ns);
        CHECK(pace.period > last || last == UINT64_MAX);
        last = pace.period;
        wake_advance(&wake, &pace, now);
    }
    wake_free(&wake);
}

// Skipping what the timer has counted already would make the next latency negative.
static void a_timer_that_expired_often_is_counted_once(void)
{
    struct options options = {.wake = WAKE_TIMERFD};
    struct clock clock = monotonic();
    struct pace pace = {.start_ns = jitterstream_now_ns(), .interval_ns = 1000000};
    struct wake wake;
    int64_t now;

    pace.due_ns = pace.start_ns;
    CHECK(wake_init(&wake, &options, &pace) == 0);
    usleep(5500);
    CHECK(wake_wait(&wake, &pace, &clock, &running, &now) == 0);
    // The stall counts from the first period that was missed: 5.5 ms, not what is over of the last.
    CHECK(pace.period == 0 && now - pace.due_ns >= 5500000);
    wake_advance(&wake, &pace, now);
    CHECK(pace.period >= 6);
    CHECK(wake_wait(&wake, &pace, &clock, &running, &now) == 0);
    CHECK(now >= pace.due_ns);
    usleep(3500);
    wake_advance(&wake, &pace, now);
    CHECK(wake_catch_up(&wake, &pace) == 0);
    CHECK(wake_wait(&wake, &pace, &clock, &running, &now) == 0);
    CHECK(now >= pace.due_ns && pace.period >= 9);
    wake_free(&wake);
}

static void spinning_ends_when_the_run_does(void)
{
    const atomic_bool stop = true;
    struct wake wake = {.kind = WAKE_SPIN, .timer = -1};
    struct clock clock = monotonic();
    struct pace pace = {.due_ns = INT64_MAX, .interval_ns = 1};
    int64_t now;

    CHECK(wake_wait(&wake, &pace, &clock, &stop, &now) < 0);
}

int main(void)
{
    periods_that_are_over_are_left_out();
    nobody_wakes_early(WAKE_NANOSLEEP);
    nobody_wakes_early(WAKE_TIMERFD);
    nobody_wakes_early(WAKE_SLEEP_SPIN);
    nobody_wakes_early(WAKE_SPIN);
    a_timer_that_expired_often_is_counted_once();
    spinning_ends_when_the_run_does();
    return 0;
}
