// SPDX-License-Identifier: Apache-2.0
// Where one thread's samples go while it measures: no allocation, no system call, no waiting.
#pragma once

#include <stdatomic.h>

#include "counts.h"
#include "options.h"
#include "progress.h"
#include "ring.h"
#include "sample.h"
#include "worst.h"

struct recorder {
    enum record_kind kind;
    uint64_t lost;
    struct progress progress;
    struct sample *rows;  // raw
    size_t capacity;      // raw
    atomic_size_t used;   // raw: rows in front of it are complete
    struct counts counts; // counts
    struct worst worst;   // counts
    struct ring ring;     // ring
};

// 0, or a negative errno.
int recorder_init(struct recorder *recorder, const struct options *options);
void recorder_free(struct recorder *recorder);
// Bytes of memory that one recorder needs with these options.
uint64_t recorder_bytes(const struct options *options);

static inline bool recorder_store(struct recorder *recorder, struct sample sample)
{
    size_t used;

    switch (recorder->kind) {
    case RECORD_RAW:
        used = atomic_load_explicit(&recorder->used, memory_order_relaxed);
        if (used == recorder->capacity)
            return false;
        recorder->rows[used] = sample;
        atomic_store_explicit(&recorder->used, used + 1, memory_order_release);
        return true;
    case RECORD_RING:
        return ring_push(&recorder->ring, sample);
    case RECORD_COUNTS:
        if (sample.flags & JITTERSTREAM_WARMUP)
            return true;
        if (!counts_add(&recorder->counts, sample.latency))
            return false;
        worst_add(&recorder->worst, sample);
        return true;
    }
    return false;
}

// Keep a sample, or count it as lost; measured ones show in the progress either way.
static inline void recorder_add(struct recorder *recorder, struct sample sample, int64_t latency_ns)
{
    bool stored = recorder_store(recorder, sample);

    if (sample.flags & JITTERSTREAM_WARMUP)
        return;
    recorder->lost += !stored;
    progress_add(&recorder->progress, latency_ns);
}
