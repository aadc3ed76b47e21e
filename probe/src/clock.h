// SPDX-License-Identifier: Apache-2.0
// The clock that samples are taken with: CLOCK_MONOTONIC, or the cycle counter calibrated against it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "failure.h"
#include "jitterstream.h"

#if defined(__x86_64__)
#define CLOCK_CYCLES_NAME "tsc"
#elif defined(__aarch64__)
#define CLOCK_CYCLES_NAME "cntvct"
#endif

enum clock_kind { CLOCK_KIND_MONOTONIC, CLOCK_KIND_CYCLES };

// CLOCK_MONOTONIC and the counter read at the same moment.
struct clock_pair {
    int64_t ns;
    int64_t ticks;
};

struct clock {
    enum clock_kind kind;
    struct jitterstream_clock facts;
    double ticks_per_ns; // rate of late; the facts keep the one measured at the start
    double ns_per_tick;
    struct clock_pair origin; // where the first calibration began
    struct clock_pair base;   // last moment both were read together
    int64_t bracket_ns;       // between two readings of CLOCK_MONOTONIC around one of the counter, at best
};

static inline int64_t clock_cycles(void)
{
#if defined(__x86_64__)
    unsigned int cpu;
    int64_t ticks = (int64_t)__builtin_ia32_rdtscp(&cpu);

    // Later instructions wait, so that nothing of what follows is measured.
    __builtin_ia32_lfence();
    return ticks;
#elif defined(__aarch64__)
    int64_t ticks;

    __asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
    return ticks;
#else
    return 0;
#endif
}

static inline int64_t clock_now(const struct clock *clock)
{
    return clock->kind == CLOCK_KIND_MONOTONIC ? jitterstream_now_ns() : clock_cycles();
}

// Choose and measure a clock; the cycle counter takes 200 ms to calibrate.
int clock_init(struct clock *clock, enum clock_kind kind, struct failure *failure);
// What the clock shows at that moment of CLOCK_MONOTONIC.
int64_t clock_ticks_at(const struct clock *clock, int64_t ns);
int64_t clock_ns(const struct clock *clock, int64_t ticks);
// Read both clocks together again where that is due (a hundred times a second).
void clock_follow(struct clock *clock, int64_t now_ns);
// How far the calibration of the start would be off now; 0 for CLOCK_MONOTONIC.
int64_t clock_drift_ns(const struct clock *clock);
