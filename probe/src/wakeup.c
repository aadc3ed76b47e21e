// SPDX-License-Identifier: Apache-2.0
#include "wakeup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collector.h"
#include "description.h"
#include "ending.h"
#include "guard_isolation.h"
#include "lock.h"
#include "machine.h"
#include "measure.h"
#include "options.h"

// Time between the decision to start and the first wakeup, so that every thread is waiting by then.
#define LEAD_NS 20000000

// A run of the workload, from its options to its stream.
struct wakeup {
    struct options options;
    struct run run;
    struct measure **measures;
    size_t n;
    struct clock clock;
    cpu_set_t main_cpus;
    char not_locked[256];
    struct jitterstream stream;
    struct collector collector;
    bool released; // the threads were let go
    bool interrupted;
};

static int prepare_measure(struct wakeup *wakeup, int cpu, struct failure *failure)
{
    struct measure *measure = aligned_alloc(64, sizeof *measure);
    int error;

    if (!measure)
        return failure_set(failure, EXIT_FAILED, "", "out of memory");
    *measure = (struct measure){
        .run = &wakeup->run,
        .clock = wakeup->clock,
        .cpu = cpu,
        .wake.timer = -1,
        .pace.interval_ns = measure_interval_ns(&wakeup->options, wakeup->n),
    };
    wakeup->measures[wakeup->n++] = measure;
    error = recorder_init(&measure->recorder, &wakeup->options);
    if (!error)
        error = measure_start(measure);
    if (error)
        return failure_set(failure, EXIT_NOT_AVAILABLE, "record fewer samples, or use --record counts",
                           "cannot set up the thread of CPU %d: %s", cpu, strerror(-error));
    return 0;
}

// Start all threads, wait until they are as asked for, and lock memory.
static int prepare(struct wakeup *wakeup, struct failure *failure)
{
    const cpu_set_t *cpus = &wakeup->options.cpus;
    unsigned int n = (unsigned int)CPU_COUNT(cpus);

    lock_need_little();
    wakeup->measures = calloc(n, sizeof(struct measure *));
    wakeup->run.finished = eventfd(0, EFD_CLOEXEC);
    if (!wakeup->measures || wakeup->run.finished < 0)
        return failure_set(failure, EXIT_FAILED, "", "cannot set up: %s", strerror(errno));
    for (int cpu = cpus_next(cpus, -1); cpu >= 0; cpu = cpus_next(cpus, cpu))
        if (prepare_measure(wakeup, cpu, failure) < 0)
            return -1;
    for (size_t i = 0; i < wakeup->n; i++)
        measure_wait(&wakeup->run.configured);
    for (size_t i = 0; i < wakeup->n; i++)
        if (wakeup->measures[i]->failure.status) {
            *failure = wakeup->measures[i]->failure;
            return -1;
        }
    if (wakeup->options.lock == LOCK_NO)
        snprintf(wakeup->not_locked, sizeof wakeup->not_locked, "not asked for (--lock no)");
    else if (lock_memory(wakeup->not_locked, sizeof wakeup->not_locked) < 0 &&
             wakeup->options.lock == LOCK_YES)
        return failure_set(failure, EXIT_NOT_AVAILABLE, "or use --lock auto and measure with unlocked memory",
                           "cannot lock memory: %s", wakeup->not_locked);
    return 0;
}

static struct description describe(struct wakeup *wakeup)
{
    return (struct description){
        .run = &wakeup->run,
        .measures = wakeup->measures,
        .n = wakeup->n,
        .clock = &wakeup->clock,
        .main_cpus = &wakeup->main_cpus,
        .not_locked = wakeup->not_locked[0] ? wakeup->not_locked : NULL,
    };
}

static int not_written(const struct wakeup *wakeup, int error, struct failure *failure)
{
    return failure_set(failure, EXIT_FAILED, "what was written in front of this stays valid",
                       "cannot write the stream to '%.200s': %s", wakeup->options.output, strerror(-error));
}

static void release(struct wakeup *wakeup)
{
    wakeup->released = true;
    for (size_t i = 0; i < wakeup->n; i++)
        sem_post(&wakeup->run.started);
}

// Open the stream, write its head, and let the threads go.
static int start(struct wakeup *wakeup, struct failure *failure)
{
    struct description description = describe(wakeup);
    int error = jitterstream_open(&wakeup->stream, wakeup->options.output);

    if (error)
        return failure_set(failure, EXIT_USAGE, "name a file in a folder that can be written to",
                           "cannot create '%.200s': %s", wakeup->options.output, strerror(-error));
    wakeup->run.start_ns = jitterstream_now_ns() + LEAD_NS;
    for (size_t i = 0; i < wakeup->n; i++) {
        struct measure *measure = wakeup->measures[i];

        measure->pace.start_ns = measure_start_ns(&wakeup->run, i);
        measure->pace.due_ns = measure->pace.start_ns;
        text_add_key(&measure->effective, "locked");
        text_add(&measure->effective, "%s}", description.not_locked ? "false" : "true");
    }
    error = description_write_head(&description, &wakeup->stream);
    if (error)
        return not_written(wakeup, error, failure);
    wakeup->collector = (struct collector){
        .run = &wakeup->run,
        .measures = wakeup->measures,
        .n = wakeup->n,
        .stream = &wakeup->stream,
    };
    error = collector_start(&wakeup->collector);
    if (error)
        return failure_set(failure, EXIT_FAILED, "", "cannot start the writing thread: %s", strerror(-error));
    release(wakeup);
    return 0;
}

static int finish(struct wakeup *wakeup, struct failure *failure)
{
    struct description description = describe(wakeup);
    const char *end = "complete";
    int error = collector_finish(&wakeup->collector);

    for (size_t i = 0; i < wakeup->n; i++)
        if (wakeup->measures[i]->failure.status)
            *failure = wakeup->measures[i]->failure;
    if (failure->status)
        end = "error";
    else if (atomic_load(&wakeup->run.broke))
        end = "break";
    else if (wakeup->interrupted)
        end = "interrupted";
    if (!error)
        error = description_write_rows(&description, &wakeup->stream);
    if (!error)
        error = description_write_tail(&description, &wakeup->stream, end,
                                       failure->status ? failure->message : NULL);
    if (!error)
        error = jitterstream_close(&wakeup->stream);
    if (error)
        return not_written(wakeup, error, failure);
    return failure->status ? -1 : 0;
}

static void join(struct wakeup *wakeup)
{
    for (size_t i = 0; i < wakeup->n; i++)
        if (wakeup->measures[i]->running)
            pthread_join(wakeup->measures[i]->thread, NULL);
}

static void free_all(struct wakeup *wakeup)
{
    for (size_t i = 0; i < wakeup->n; i++) {
        recorder_free(&wakeup->measures[i]->recorder);
        text_free(&wakeup->measures[i]->effective);
        free(wakeup->measures[i]);
    }
    free(wakeup->measures);
    close(wakeup->run.finished);
}

// From threads that wait for the start to a finished stream.
static int run_prepared(struct wakeup *wakeup, int signals, struct failure *failure)
{
    if (start(wakeup, failure) < 0)
        return -1;
    wakeup->interrupted = ending_wait(&wakeup->run, wakeup->measures, wakeup->n, signals);
    join(wakeup);
    ending_release();
    return finish(wakeup, failure);
}

static int run(struct wakeup *wakeup, struct failure *failure)
{
    struct machine machine = machine_read();
    int signals;
    int result;

    isolation_enter(&wakeup->options.cpus);
    if (machine_check(&machine, &wakeup->options, failure) < 0 ||
        clock_init(&wakeup->clock, (enum clock_kind)wakeup->options.clock, failure) < 0)
        return -1;
    signals = ending_catch();
    if (signals < 0)
        return failure_set(failure, EXIT_FAILED, "", "cannot catch signals: %s", strerror(-signals));
    wakeup->main_cpus = machine_leave_cpus(&wakeup->options.cpus);
    sem_init(&wakeup->run.configured, 0, 0);
    sem_init(&wakeup->run.started, 0, 0);
    result = prepare(wakeup, failure);
    if (result == 0)
        result = run_prepared(wakeup, signals, failure);
    if (result < 0 && !wakeup->released) {
        atomic_store(&wakeup->run.stop, true);
        release(wakeup);
        join(wakeup);
    }
    close(signals);
    free_all(wakeup);
    return result;
}

int wakeup_main(int argc, char **argv)
{
    struct wakeup wakeup = {0};
    struct failure failure = {0};

    if (options_parse(&wakeup.options, argc - 1, argv + 1, &failure) < 0)
        return failure_report(&failure);
    if (wakeup.options.help) {
        options_help();
        return EXIT_DONE;
    }
    wakeup.run.options = &wakeup.options;
    return run(&wakeup, &failure) < 0 ? failure_report(&failure) : EXIT_DONE;
}
