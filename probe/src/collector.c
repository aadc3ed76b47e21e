// SPDX-License-Identifier: Apache-2.0
#include "collector.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define DRAIN_NS 10000000
#define STACK_BYTES ((size_t)256 * 1024)

static void note(struct collector *collector, const struct sample *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(rows[i].flags & JITTERSTREAM_WARMUP))
            progress_add(&collector->progress, clock_ns(collector->clock, rows[i].latency), 1);
}

static void collect_raw(struct collector *collector, size_t place)
{
    struct recorder *recorder = &collector->measures[place]->recorder;
    size_t used = atomic_load_explicit(&recorder->used, memory_order_acquire);
    size_t seen = collector->seen[place];

    note(collector, recorder->rows + seen, used - seen);
    collector->seen[place] = used;
}

static void collect_ring(struct collector *collector, size_t place)
{
    struct ring *ring = &collector->measures[place]->recorder.ring;
    const struct sample *rows;
    size_t n;

    while (!collector->error && (n = ring_peek(ring, &rows)) > 0) {
        if (collector->run->options->progress)
            note(collector, rows, n);
        collector->error =
            jitterstream_write_rows(collector->stream, 0, (uint16_t)place, rows, sizeof *rows, n);
        ring_release(ring, n);
    }
    if (collector->error)
        atomic_store(&collector->run->stop, true);
}

static void collect_counts(struct collector *collector, size_t place)
{
    size_t n;
    struct counts_row *rows = counts_rows(&collector->measures[place]->recorder.counts, &n);

    for (size_t i = 0; i < n; i++)
        progress_add(&collector->progress, clock_ns(collector->clock, rows[i].value), rows[i].count);
    free(rows);
}

static void collect(struct collector *collector)
{
    if (collector->run->options->record == RECORD_COUNTS)
        collector->progress = (struct progress){0};
    for (size_t place = 0; place < collector->n; place++)
        switch (collector->run->options->record) {
        case RECORD_RAW:
            collect_raw(collector, place);
            break;
        case RECORD_RING:
            collect_ring(collector, place);
            break;
        default:
            collect_counts(collector, place);
        }
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
        collect(collector);
        if (options->progress && (ready > 0 || jitterstream_now_ns() >= print_ns)) {
            progress_print(&collector->progress, wanted(collector));
            print_ns += (int64_t)options->progress;
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
    collector->seen = calloc(collector->n, sizeof *collector->seen);
    collector->ended = eventfd(0, EFD_CLOEXEC);
    if (!collector->seen || collector->ended < 0)
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
    free(collector->seen);
    return collector->error;
}
