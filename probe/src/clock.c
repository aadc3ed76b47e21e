// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALIBRATION_NS 200000000
#define FOLLOW_NS 10000000
#define PAIR_ATTEMPTS 50
#define FOLLOW_ATTEMPTS 3
#define BATCHES 101
#define READS_PER_BATCH 100
#define STEPS 256

// Both clocks together: the best of some attempts, bracketed by two readings of CLOCK_MONOTONIC.
static int64_t read_pair(struct clock_pair *pair, int attempts)
{
    int64_t best = INT64_MAX;

    *pair = (struct clock_pair){0};
    for (int i = 0; i < attempts; i++) {
        int64_t before = jitterstream_now_ns();
        int64_t ticks = clock_cycles();
        int64_t after = jitterstream_now_ns();

        if (after - before < best) {
            best = after - before;
            *pair = (struct clock_pair){before + (after - before) / 2, ticks};
        }
    }
    return best;
}

// Which steps between two readings were seen, in ticks.
struct steps {
    int64_t smallest; // but for 0
    bool repeated;    // two readings were the same
    bool seen[STEPS];
};

static void note_step(struct steps *steps, int64_t step)
{
    if (step == 0)
        steps->repeated = true;
    else if (step < steps->smallest)
        steps->smallest = step;
    if (step > 0 && step < STEPS)
        steps->seen[step] = true;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

// Where readings repeat, the smallest step is the resolution. Else steps are as long as a reading takes, and
// the clock is finer than that: then it is the median distance between neighbouring lengths of steps (a
// median, because a clock that counts in 10.01 ns and is rounded to 1 ns shows steps of 30 and of 31 ns).
static int64_t resolution_ticks(const struct steps *steps)
{
    int64_t distances[STEPS];
    int64_t last = 0;
    size_t n = 0;

    for (int64_t step = 1; step < STEPS; step++) {
        if (!steps->seen[step])
            continue;
        if (last)
            distances[n++] = step - last;
        last = step;
    }
    if (steps->repeated || n == 0)
        return steps->smallest;
    qsort(distances, n, sizeof distances[0], compare_numbers);
    return distances[n / 2];
}

// The median over batches of the mean cost of a reading, and the resolution.
static void measure_readings(struct clock *clock)
{
    struct steps steps = {.smallest = INT64_MAX};
    int64_t costs[BATCHES];
    int64_t median;

    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t first = clock_now(clock);
        int64_t last = first;

        for (int i = 0; i < READS_PER_BATCH; i++) {
            int64_t now = clock_now(clock);

            note_step(&steps, now - last);
            last = now;
        }
        costs[batch] = last - first;
    }
    qsort(costs, BATCHES, sizeof costs[0], compare_numbers);
    median = costs[BATCHES / 2];
    clock->facts.overhead_ns = (double)median / READS_PER_BATCH * clock->ns_per_tick;
    clock->facts.resolution_ns = (double)resolution_ticks(&steps) * clock->ns_per_tick;
}

#if defined(__x86_64__)
#include <cpuid.h>

// The kernel takes a TSC out of its list when it finds that CPUs disagree or the rate changes.
static bool kernel_trusts_tsc(void)
{
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    char names[256];
    bool trusted = true;

    if (!file)
        return true;
    if (fgets(names, sizeof names, file))
        trusted = strncmp(names, "tsc", 3) == 0 || strstr(names, " tsc");
    fclose(file);
    return trusted;
}

static const char *cycles_unusable(void)
{
    unsigned int a;
    unsigned int b;
    unsigned int c;
    unsigned int d;

    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d & (1U << 27)))
        return "this processor has no RDTSCP";
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1U << 8)))
        return "the TSC of this processor does not run at a constant rate";
    if (!kernel_trusts_tsc())
        return "the kernel found the TSC of this machine unstable";
    return NULL;
}
#elif defined(__aarch64__)
static const char *cycles_unusable(void)
{
    return NULL;
}
#else
static const char *cycles_unusable(void)
{
    return "this architecture lets no user program read its cycle counter";
}
#endif

// The rate since both were last read together: one over a longer time would lag behind when NTP slews
// CLOCK_MONOTONIC.
static void learn(struct clock *clock, struct clock_pair now)
{
    double ticks = (double)(now.ticks - clock->base.ticks);
    double ns = (double)(now.ns - clock->base.ns);

    clock->base = now;
    clock->ticks_per_ns = ticks / ns;
    clock->ns_per_tick = ns / ticks;
}

static int calibrate(struct clock *clock)
{
    struct clock_pair end;

    clock->bracket_ns = read_pair(&clock->origin, PAIR_ATTEMPTS);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = CALIBRATION_NS}, NULL);
    read_pair(&end, PAIR_ATTEMPTS);
    if (end.ticks <= clock->origin.ticks)
        return -1;
    clock->base = clock->origin;
    learn(clock, end);
    return 0;
}

int clock_init(struct clock *clock, enum clock_kind kind, struct failure *failure)
{
    const char *reason;

    *clock = (struct clock){
        .kind = kind,
        .facts = {.name = "CLOCK_MONOTONIC"},
        .ticks_per_ns = 1,
        .ns_per_tick = 1,
    };
    if (kind == CLOCK_KIND_CYCLES) {
        reason = cycles_unusable();
        if (!reason && calibrate(clock) < 0)
            reason = "its cycle counter stands still";
        if (reason)
            return failure_set(failure, EXIT_NOT_AVAILABLE, "use --clock monotonic", "--clock cycles: %s",
                               reason);
#ifdef CLOCK_CYCLES_NAME
        clock->facts.name = CLOCK_CYCLES_NAME;
#endif
    }
    clock->facts.tick_hz = llrint(clock->ticks_per_ns * 1e9);
    measure_readings(clock);
    return 0;
}

void jitterstream_clock_monotonic(struct jitterstream_clock *clock)
{
    struct clock monotonic;
    struct failure never;

    clock_init(&monotonic, CLOCK_KIND_MONOTONIC, &never);
    *clock = monotonic.facts;
}

int64_t clock_ticks_at(const struct clock *clock, int64_t ns)
{
    if (clock->kind == CLOCK_KIND_MONOTONIC)
        return ns;
    return clock->base.ticks + llrint((double)(ns - clock->base.ns) * clock->ticks_per_ns);
}

int64_t clock_ns(const struct clock *clock, int64_t ticks)
{
    if (clock->kind == CLOCK_KIND_MONOTONIC)
        return ticks;
    return llrint((double)ticks * clock->ns_per_tick);
}

void clock_follow(struct clock *clock, int64_t now_ns)
{
    struct clock_pair pair;

    if (clock->kind == CLOCK_KIND_MONOTONIC || now_ns - clock->base.ns < FOLLOW_NS)
        return;
    // An interrupt between the readings would look like drift, and a short time would give no rate: such a
    // pair is left out.
    if (read_pair(&pair, FOLLOW_ATTEMPTS) > 2 * clock->bracket_ns || pair.ns - clock->base.ns < FOLLOW_NS)
        return;
    learn(clock, pair);
}

int64_t clock_drift_ns(const struct clock *clock)
{
    struct clock_pair now;

    if (clock->kind == CLOCK_KIND_MONOTONIC)
        return 0;
    read_pair(&now, PAIR_ATTEMPTS);
    return llrint((double)(now.ticks - clock->origin.ticks) * clock->ns_per_tick) -
           (now.ns - clock->origin.ns);
}
