// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

static void monotonic_needs_no_conversion(void)
{
    struct failure failure = {0};
    struct clock clock;

    CHECK(clock_init(&clock, CLOCK_KIND_MONOTONIC, &failure) == 0);
    CHECK(clock.facts.tick_hz == 1000000000);
    CHECK(clock_ticks_at(&clock, INT64_MAX) == INT64_MAX && clock_ns(&clock, INT64_MIN) == INT64_MIN);
    CHECK(clock_drift_ns(&clock) == 0);
    CHECK(clock.facts.overhead_ns > 0 && clock.facts.resolution_ns >= 1);
}

// Whatever interrupts this test, a reading of the counter lies between two of CLOCK_MONOTONIC around it.
static void cycles_are_as_late_as_monotonic(struct clock *clock)
{
    for (int i = 0; i < 1000; i++) {
        int64_t before = jitterstream_now_ns();
        int64_t ticks = clock_now(clock);
        int64_t after = jitterstream_now_ns();

        CHECK(clock_ns(clock, ticks - clock_ticks_at(clock, before)) > -2000);
        CHECK(clock_ns(clock, ticks - clock_ticks_at(clock, after)) < 2000);
        clock_follow(clock, after);
    }
}

// As when NTP begins to slew CLOCK_MONOTONIC: what was learnt before does not hold any more.
static void a_new_rate_is_followed(struct clock clock)
{
    const double rate = clock.ticks_per_ns;

    clock.ticks_per_ns *= 1.0003;
    clock.origin.ns -= 1000000000;
    clock.origin.ticks -= (int64_t)(1e9 * clock.ticks_per_ns);
    for (int i = 0; i < 5; i++) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 20000000}, NULL);
        clock_follow(&clock, jitterstream_now_ns());
    }
    CHECK(fabs(clock.ticks_per_ns / rate - 1) < 1e-4);
}

static void cycles_are_there_or_say_why_not(void)
{
    struct failure failure = {0};
    struct clock clock;

    if (clock_init(&clock, CLOCK_KIND_CYCLES, &failure) < 0) {
        CHECK(failure.status == EXIT_NOT_AVAILABLE && failure.message[0] && failure.remedy[0]);
        return;
    }
    CHECK(clock.facts.tick_hz > 1000000);
    CHECK(llabs(clock_ns(&clock, clock.facts.tick_hz) - 1000000000) < 1000);
    cycles_are_as_late_as_monotonic(&clock);
    a_new_rate_is_followed(clock);
    CHECK(llabs(clock_drift_ns(&clock)) < 1000000);
}

int main(void)
{
    monotonic_needs_no_conversion();
    cycles_are_there_or_say_why_not();
    return 0;
}
