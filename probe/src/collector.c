// SPDX-License-Identifier: Apache-2.0
#include "collector.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define DRAIN_NS 10000000
#define STACK_BYTES ((size_t)256 * 1024)

static void drain(struct collector *collector, size_t place)
{
    struct ring *ring = &collector->measures[place]->recorder.ring;
    const struct sample *rows;
    size_t n;

    while (!collector->error && (n = ring_peek(ring, &rows)) > 0) {
        collector->error =
            jitterstream_write_rows(collector->stream, 0, (uint16_t)place, rows, sizeof *rows, n);
        ring_release(ring, n);
    }
    if (collector->error)
        atomic_store(&collector->run->stop, true);
}

static void report(const struct collector *collector, uint64_t wanted)
{
    struct progress_sum sum = {0};

    for (size_t place = 0; place < collector->n; place++)
        progress_sum_add(&sum, &collector->measures[place]->recorder.progress);
    progress_print(&sum, wanted);
}

static uint64_t wanted(const struct collector *collector)
{
    const struct options *options = collector->run->options;

    return (options_periods(options) - options->warmup) * collector->n;
}

static void *collector_run(void *argument)
{
    struct collector *collector = argument;
    const struct options *options = collector->run->options;
    bool ring = options->record == RECORD_RING;
    int64_t every =
        ring && (!options->progress || options->progress > DRAIN_NS) ? DRAIN_NS : (int64_t)options->progress;
    int64_t print_ns = jitterstream_now_ns() + (int64_t)options->progress;
    struct pollfd ended = {.fd = collector->ended, .events = POLLIN};
    int ready;

    do {
        struct timespec timeout = {.tv_sec = (time_t)(every / 1000000000),
                                   .tv_nsec = (long)(every % 1000000000)};

        ready = ppoll(&ended, 1, &timeout, NULL);
        for (size_t place = 0; ring && place < collector->n; place++)
            drain(collector, place);
        if (options->progress && (ready > 0 || jitterstream_now_ns() >= print_ns)) {
            report(collector, wanted(collector));
            print_ns = jitterstream_now_ns() + (int64_t)options->progress;
        }
    } while (ready <= 0);
    return NULL;
}

int collector_start(struct collector *collector)
{
    const struct options *options = collector->run->options;
    pthread_attr_t attributes;
    int error;

    collector->ended = -1;
    if (options->record != RECORD_RING && !options->progress)
        return 0;
    collector->ended = eventfd(0, EFD_CLOEXEC);
    if (collector->ended < 0)
        return -errno;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    error = pthread_create(&collector->thread, &attributes, collector_run, collector);
    pthread_attr_destroy(&attributes);
    return -error;
}

int collector_finish(struct collector *collector)
{
    const uint64_t one = 1;

    if (collector->ended < 0)
        return 0;
    (void)!write(collector->ended, &one, sizeof one);
    pthread_join(collector->thread, NULL);
    close(collector->ended);
    return collector->error;
}
