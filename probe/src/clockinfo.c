// SPDX-License-Identifier: Apache-2.0
#include "clockinfo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "recorder.h"
#include "text.h"

#define ROUNDS 201
#define SAMPLES 2000
// Latencies are usually below some tens of microseconds.
#define USUAL_TICKS 32768

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

// Time of one reading of the clock, and of storing it as a sample if there is a recorder, in ns.
static double cost_once(const struct clock *clock, struct recorder *recorder)
{
    int64_t begin = jitterstream_now_ns();

    for (uint32_t i = 0; i < SAMPLES; i++) {
        int64_t now = clock_now(clock);

        if (recorder) {
            int64_t latency = (now - clock_ticks_at(clock, begin)) % USUAL_TICKS;
            struct sample sample = {.period = i, .cpu = (uint16_t)sched_getcpu(), .latency = latency};

            recorder_add(recorder, sample, clock_ns(clock, latency));
        }
    }
    return (double)(jitterstream_now_ns() - begin) / SAMPLES;
}

static void empty(struct recorder *recorder)
{
    const struct sample *rows;

    if (recorder->kind == RECORD_RAW)
        atomic_store(&recorder->used, 0);
    else if (recorder->kind == RECORD_RING)
        ring_release(&recorder->ring, ring_peek(&recorder->ring, &rows));
}

// Median cost of a sample beyond reading the clock, taken in turns with readings alone; no number if there is
// no memory.
static double sample_cost(const struct clock *clock, enum record_kind kind)
{
    struct options options = {
        .record = (int)kind, .samples = SAMPLES, .ring = 2048, .worst = 1000, .interval = 1};
    struct recorder recorder = {0};
    double costs[ROUNDS];

    if (recorder_init(&recorder, &options) < 0)
        return NAN;
    cost_once(clock, &recorder);
    for (int i = 0; i < ROUNDS; i++) {
        double alone = cost_once(clock, NULL);

        empty(&recorder);
        costs[i] = cost_once(clock, &recorder) - alone;
    }
    recorder_free(&recorder);
    qsort(costs, ROUNDS, sizeof costs[0], compare_doubles);
    return costs[ROUNDS / 2];
}

static void add_clock(struct text *text, const char *name, enum clock_kind kind)
{
    struct clock clock;
    struct failure failure = {0};

    text_add_key(text, name);
    text_add(text, "{");
    if (clock_init(&clock, kind, &failure) < 0) {
        text_add_field(text, "not_available", failure.message);
    } else {
        text_add_field(text, "name", clock.facts.name);
        text_add_int(text, "tick_hz", clock.facts.tick_hz);
        text_add_number(text, "resolution_ns", clock.facts.resolution_ns);
        text_add_number(text, "overhead_ns", clock.facts.overhead_ns);
        text_add_int(text, "drift_ns", clock_drift_ns(&clock));
        text_add_key(text, "sample_cost_ns");
        text_add(text, "{");
        text_add_number(text, "raw", sample_cost(&clock, RECORD_RAW));
        text_add_number(text, "ring", sample_cost(&clock, RECORD_RING));
        text_add_number(text, "counts", sample_cost(&clock, RECORD_COUNTS));
        text_add(text, "}");
    }
    text_add(text, "}");
}

int clockinfo_main(int argc, char **argv)
{
    struct text text = {0};

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        puts("usage: jitter-probe clock\n\n"
             "Describe the clocks of this machine as JSON: rate, resolution, cost of a reading "
             "(overhead_ns), drift\n"
             "since calibration, and what recording a sample costs beyond reading the clock "
             "(sample_cost_ns).");
        return EXIT_DONE;
    }
    if (argc > 1) {
        fprintf(stderr, "error: clock takes no options\nremedy: see jitter-probe clock --help\n");
        return EXIT_USAGE;
    }
    text_add(&text, "{");
    add_clock(&text, "monotonic", CLOCK_KIND_MONOTONIC);
    add_clock(&text, "cycles", CLOCK_KIND_CYCLES);
    text_add(&text, "}");
    if (text_error(&text))
        return EXIT_FAILED;
    puts(text.data);
    text_free(&text);
    if (fflush(stdout) == 0)
        return EXIT_DONE;
    fprintf(stderr, "error: cannot write to the standard output: %s\n", strerror(errno));
    return EXIT_FAILED;
}
