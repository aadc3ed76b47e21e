// SPDX-License-Identifier: Apache-2.0
// One measuring thread: set up, wait for the start, warm up, measure.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "clock.h"
#include "counters.h"
#include "options.h"
#include "recorder.h"
#include "usage.h"
#include "wake.h"

// What all threads of a run share.
struct run {
    const struct options *options;
    sem_t configured; // a thread is as asked for, or has failed
    sem_t started;    // a thread may go: its start is known, or stop is set
    int64_t start_ns;
    atomic_bool stop;
    atomic_bool broke; // a latency was larger than --break
    int finished;      // eventfd: each thread adds one when it is done
};

struct measure {
    struct recorder recorder;
    struct run *run;
    struct clock clock;
    struct failure failure; // status 0: none
    struct text effective;
    struct counters counters;
    struct wake wake;
    struct pace pace;
    struct usage usage; // of the measured part
    pthread_t thread;
    bool running; // the thread was started and not joined
    int cpu;
    uint64_t period; // of the last sample
    uint64_t warmup;
    uint64_t taken; // measured samples, stored or lost
    uint64_t missed;
    int64_t begin_ns; // of the measured part
    int64_t end_ns;
};

// The interval and the start of the thread at that place among the others.
int64_t measure_interval_ns(const struct options *options, size_t place);
int64_t measure_start_ns(const struct run *run, size_t place);

// Start the thread; its stack is small and its pages are there before it measures. 0 or a negative errno.
int measure_start(struct measure *measure);
// Wait for a semaphore, whatever signals come.
void measure_wait(sem_t *semaphore);
