// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include <string.h>

#include "check.h"

static struct recorder *prepared(struct options options)
{
    struct recorder *recorder = aligned_alloc(64, sizeof *recorder);

    CHECK(recorder);
    memset(recorder, 0, sizeof *recorder);
    options.interval = 1000;
    CHECK(recorder_init(recorder, &options) == 0);
    return recorder;
}

static void add(struct recorder *recorder, uint16_t flags, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        recorder_add(recorder, (struct sample){.period = i, .flags = flags, .latency = i}, i);
}

static uint64_t in_progress(const struct recorder *recorder)
{
    static struct progress_sum sum;

    sum = (struct progress_sum){0};
    progress_sum_add(&sum, &recorder->progress);
    return sum.samples;
}

static void what_finds_no_room_is_lost_and_counted(void)
{
    struct recorder *raw = prepared((struct options){.record = RECORD_RAW, .samples = 8, .warmup = 2});
    struct recorder *queue = prepared((struct options){.record = RECORD_RING, .ring = 16});

    add(raw, JITTERSTREAM_WARMUP, 2);
    add(raw, 0, 11);
    CHECK(atomic_load(&raw->used) == 10 && raw->lost == 3 && in_progress(raw) == 11);
    CHECK(raw->rows[1].flags == JITTERSTREAM_WARMUP && raw->rows[9].period == 7);
    add(queue, JITTERSTREAM_WARMUP, 20);
    CHECK(queue->lost == 0);
    add(queue, 0, 5);
    CHECK(queue->lost == 5 && in_progress(queue) == 5);
    recorder_free(raw);
    recorder_free(queue);
    free(raw);
    free(queue);
}

static void warm_up_is_not_in_the_counts(void)
{
    struct recorder *recorder = prepared((struct options){.record = RECORD_COUNTS, .worst = 4});
    struct counts_row *rows;
    size_t n;

    add(recorder, JITTERSTREAM_WARMUP, 1000);
    add(recorder, 0, 10);
    rows = counts_rows(&recorder->counts, &n);
    CHECK(n == 10 && rows[9].value == 9 && rows[9].count == 1);
    CHECK(recorder->worst.used == 4 && recorder->worst.rows[0].latency == 6);
    CHECK(recorder->lost == 0);
    free(rows);
    recorder_free(recorder);
    free(recorder);
}

static void what_is_lost_is_not_among_the_worst(void)
{
    struct recorder *recorder = prepared((struct options){.record = RECORD_COUNTS, .worst = 1});
    struct counts_row *rows;
    size_t n;

    for (size_t i = 0; i < 2 * COUNTS_SLOTS; i++)
        recorder_add(recorder, (struct sample){.latency = (int64_t)(COUNTS_DENSE + i)}, 0);
    rows = counts_rows(&recorder->counts, &n);
    CHECK(recorder->lost == 2 * COUNTS_SLOTS - n);
    CHECK(recorder->worst.rows[0].latency == rows[n - 1].value);
    free(rows);
    recorder_free(recorder);
    free(recorder);
}

int main(void)
{
    what_finds_no_room_is_lost_and_counted();
    warm_up_is_not_in_the_counts();
    what_is_lost_is_not_among_the_worst();
    return 0;
}
