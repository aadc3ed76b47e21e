// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t bucket_top(size_t bucket)
{
    unsigned int shift;

    if (bucket < 64)
        return (int64_t)bucket;
    shift = (unsigned int)(bucket / 64) - 1;
    return (int64_t)(((uint64_t)(64 + bucket % 64 + 1) << shift) - 1);
}

void progress_sum_add(struct progress_sum *sum, const struct progress *part)
{
    int64_t max_ns = atomic_load_explicit(&part->max_ns, memory_order_relaxed);

    for (size_t i = 0; i < PROGRESS_BUCKETS; i++) {
        unsigned int count = atomic_load_explicit(&part->buckets[i], memory_order_relaxed);

        sum->buckets[i] += count;
        sum->samples += count;
    }
    if (max_ns > sum->max_ns)
        sum->max_ns = max_ns;
}

int64_t progress_quantile(const struct progress_sum *sum, double share)
{
    double wanted = share * (double)sum->samples;
    uint64_t seen = 0;

    for (size_t i = 0; i < PROGRESS_BUCKETS; i++) {
        seen += sum->buckets[i];
        if (seen && (double)seen >= wanted)
            return bucket_top(i) < sum->max_ns ? bucket_top(i) : sum->max_ns;
    }
    return sum->max_ns;
}

void progress_print(const struct progress_sum *sum, uint64_t wanted)
{
    printf("{\"samples\":%" PRIu64 ",\"wanted\":%" PRIu64, sum->samples, wanted);
    if (sum->samples)
        printf(",\"p50_ns\":%" PRId64 ",\"p99_ns\":%" PRId64 ",\"max_ns\":%" PRId64 "}\n",
               progress_quantile(sum, 0.5), progress_quantile(sum, 0.99), sum->max_ns);
    else
        printf(",\"p50_ns\":null,\"p99_ns\":null,\"max_ns\":null}\n");
    fflush(stdout);
}
