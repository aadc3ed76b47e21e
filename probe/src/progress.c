// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

// Log-linear, as HdrHistogram: 64 buckets per power of two; bucket 64 + 64 e + m begins at (64 + m) << e.
static size_t bucket_of(uint64_t value)
{
    unsigned int shift;

    if (value < 64)
        return (size_t)value;
    shift = 57 - (unsigned int)__builtin_clzll(value);
    return (size_t)(64 * (uint64_t)shift + (value >> shift));
}

static int64_t bucket_top(size_t bucket)
{
    unsigned int shift;

    if (bucket < 64)
        return (int64_t)bucket;
    shift = (unsigned int)(bucket / 64) - 1;
    return (int64_t)(((uint64_t)(64 + bucket % 64 + 1) << shift) - 1);
}

void progress_add(struct progress *progress, int64_t latency_ns, uint64_t count)
{
    progress->buckets[bucket_of(latency_ns < 0 ? 0 : (uint64_t)latency_ns)] += count;
    progress->samples += count;
    if (latency_ns > progress->max_ns)
        progress->max_ns = latency_ns;
}

int64_t progress_quantile(const struct progress *progress, double share)
{
    double wanted = share * (double)progress->samples;
    uint64_t seen = 0;

    for (size_t i = 0; i < PROGRESS_BUCKETS; i++) {
        seen += progress->buckets[i];
        if (seen && (double)seen >= wanted)
            return bucket_top(i) < progress->max_ns ? bucket_top(i) : progress->max_ns;
    }
    return progress->max_ns;
}

void progress_print(const struct progress *progress, uint64_t wanted)
{
    if (progress->samples)
        printf("{\"samples\":%" PRIu64 ",\"wanted\":%" PRIu64 ",\"p50_ns\":%" PRId64 ",\"p99_ns\":%" PRId64
               ",\"max_ns\":%" PRId64 "}\n",
               progress->samples, wanted, progress_quantile(progress, 0.5), progress_quantile(progress, 0.99),
               progress->max_ns);
    else
        printf("{\"samples\":0,\"wanted\":%" PRIu64 ",\"p50_ns\":null,\"p99_ns\":null,\"max_ns\":null}\n",
               wanted);
    fflush(stdout);
}
