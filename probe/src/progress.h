// SPDX-License-Identifier: Apache-2.0
// What a thread has seen so far, for others to look at while it measures: exact below 64 ns, and to 1.6 %
// above.
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_BUCKETS ((size_t)64 * 60)

// Written by one thread; another one sees each number as it was a moment ago.
struct progress {
    atomic_uint buckets[PROGRESS_BUCKETS];
    atomic_int_least64_t max_ns;
};

// The sum over threads.
struct progress_sum {
    uint64_t buckets[PROGRESS_BUCKETS];
    uint64_t samples;
    int64_t max_ns;
};

// Log-linear, as HdrHistogram: 64 buckets per power of two; bucket 64 + 64 e + m begins at (64 + m) << e.
static inline size_t progress_bucket(int64_t latency_ns)
{
    uint64_t value = latency_ns < 0 ? 0 : (uint64_t)latency_ns;
    unsigned int shift;

    if (value < 64)
        return (size_t)value;
    shift = 57 - (unsigned int)__builtin_clzll(value);
    return (size_t)(64 * (uint64_t)shift + (value >> shift));
}

static inline void progress_add(struct progress *progress, int64_t latency_ns)
{
    atomic_uint *bucket = &progress->buckets[progress_bucket(latency_ns)];

    atomic_store_explicit(bucket, atomic_load_explicit(bucket, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (latency_ns > atomic_load_explicit(&progress->max_ns, memory_order_relaxed))
        atomic_store_explicit(&progress->max_ns, latency_ns, memory_order_relaxed);
}

void progress_sum_add(struct progress_sum *sum, const struct progress *part);
// The smallest value that a share of the samples does not exceed, to the resolution of the buckets.
int64_t progress_quantile(const struct progress_sum *sum, double share);
// A line of JSON on standard output.
void progress_print(const struct progress_sum *sum, uint64_t wanted);
