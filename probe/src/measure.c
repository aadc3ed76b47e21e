// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "schedule.h"

#define STACK_BYTES ((size_t)256 * 1024)
#define STACK_USED ((size_t)64 * 1024)

int64_t measure_interval_ns(const struct options *options, size_t place)
{
    return (int64_t)(options->interval + place * options->distance);
}

int64_t measure_start_ns(const struct run *run, size_t place)
{
    return run->start_ns + (int64_t)(place * run->options->align);
}

static void prefault_stack(void)
{
    unsigned char stack[STACK_USED];

    memset(stack, 0, sizeof stack);
    __asm__ volatile("" ::"r"(stack) : "memory");
}

// End the run because of something that happened to this thread; what was measured stays.
static void give_up(struct measure *measure, const char *remedy, const char *message)
{
    failure_set(&measure->failure, EXIT_FAILED, remedy, "the thread of CPU %d %s", measure->cpu, message);
    atomic_store(&measure->run->stop, true);
}

static void check_sample(struct measure *measure, const struct sample *sample)
{
    const struct options *options = measure->run->options;

    if (sample->flags & JITTERSTREAM_BROKE_LIMIT) {
        atomic_store(&measure->run->broke, true);
        atomic_store(&measure->run->stop, true);
    }
    if (sample->cpu != measure->cpu && options->policy != POLICY_DEADLINE)
        give_up(measure, "keep CPUs online, and cpusets and affinities unchanged, during a run",
                "was moved to another one: it went offline, or someone changed the affinity");
}

// Wait for the next period and record how late it was. False if the run has been stopped meanwhile.
static bool take_sample(struct measure *measure, int64_t limit_ns, uint16_t flags)
{
    const atomic_bool *stop = &measure->run->stop;
    struct pace *pace = &measure->pace;
    struct sample sample;
    int64_t now;
    int64_t late_ns;
    int error;

    do {
        error = wake_wait(&measure->wake, pace, &measure->clock, stop, &now);
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return false;
    } while (error == -EINTR);
    if (error) {
        give_up(measure, "choose another --wake", "cannot wait for its timer");
        return false;
    }
    if (pace->period > UINT32_MAX) {
        give_up(measure, "choose a longer interval",
                "has missed so many periods that their number overflows");
        return false;
    }
    sample = (struct sample){
        .period = (uint32_t)pace->period,
        .cpu = (uint16_t)sched_getcpu(),
        .flags = flags,
        .latency = now - clock_ticks_at(&measure->clock, pace->due_ns),
    };
    measure->period = pace->period;
    late_ns = clock_ns(&measure->clock, sample.latency);
    if (late_ns > limit_ns)
        sample.flags |= JITTERSTREAM_BROKE_LIMIT;
    recorder_add(&measure->recorder, sample, late_ns);
    check_sample(measure, &sample);
    wake_advance(&measure->wake, pace, pace->due_ns + late_ns);
    return true;
}

static void warm_up(struct measure *measure)
{
    while (measure->warmup < measure->run->options->warmup &&
           take_sample(measure, INT64_MAX, JITTERSTREAM_WARMUP))
        measure->warmup++;
}

// Take samples until there are enough, it is time, or the run is stopped.
static void take_samples(struct measure *measure)
{
    const struct options *options = measure->run->options;
    const uint64_t wanted = options->samples ? options->samples : UINT64_MAX;
    const int64_t until_ns = options->duration ? measure->begin_ns + (int64_t)options->duration : INT64_MAX;
    const int64_t limit_ns = options->break_limit ? (int64_t)options->break_limit : INT64_MAX;
    uint64_t first = 0;

    while (measure->taken < wanted && measure->pace.due_ns < until_ns && take_sample(measure, limit_ns, 0)) {
        if (measure->taken++ == 0)
            first = measure->period;
    }
    if (measure->taken)
        measure->missed = measure->period - first + 1 - measure->taken;
}

static void measured_part(struct measure *measure)
{
    struct usage begin;
    struct usage end;

    usage_begin(&begin, &measure->counters);
    wake_catch_up(&measure->wake, &measure->pace);
    measure->begin_ns = measure->pace.due_ns;
    take_samples(measure);
    usage_end(&end, &measure->counters);
    measure->end_ns = jitterstream_now_ns();
    measure->usage = usage_between(&begin, &end);
}

static void configure(struct measure *measure)
{
    const struct options *options = measure->run->options;
    struct usage usage;
    int64_t interval_ns = measure->pace.interval_ns;

    prefault_stack();
    counters_open(&measure->counters);
    if (schedule_apply(options, measure->cpu, (uint64_t)interval_ns, &measure->failure) < 0)
        return;
    text_add(&measure->effective, "{");
    schedule_add_effective(&measure->effective);
    // Once, so that everything on the way has been touched.
    usage_begin(&usage, &measure->counters);
    usage_end(&usage, &measure->counters);
}

static void measure(struct measure *measure)
{
    if (wake_init(&measure->wake, measure->run->options, &measure->pace) < 0) {
        give_up(measure, "choose --wake nanosleep", "cannot have a timerfd");
    } else {
        warm_up(measure);
        measured_part(measure);
    }
    wake_free(&measure->wake);
}

static void *measure_run(void *argument)
{
    struct measure *self = argument;
    struct run *run = self->run;
    const uint64_t one = 1;
    sigset_t wakeup;

    sigemptyset(&wakeup);
    sigaddset(&wakeup, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &wakeup, NULL);
    configure(self);
    sem_post(&run->configured);
    measure_wait(&run->started);
    if (!atomic_load(&run->stop))
        measure(self);
    counters_close(&self->counters);
    (void)!write(run->finished, &one, sizeof one);
    return NULL;
}

int measure_start(struct measure *measure)
{
    pthread_attr_t attributes;
    int error;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    error = pthread_create(&measure->thread, &attributes, measure_run, measure);
    pthread_attr_destroy(&attributes);
    measure->running = error == 0;
    return -error;
}

void measure_wait(sem_t *semaphore)
{
    while (sem_wait(semaphore) < 0)
        continue;
}
