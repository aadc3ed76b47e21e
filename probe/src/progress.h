// SPDX-License-Identifier: Apache-2.0
// How far a run is and what was seen so far, as lines of JSON; values are exact below 64 ns and to 1.6 %
// above.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PROGRESS_BUCKETS ((size_t)64 * 60)

struct progress {
    uint64_t buckets[PROGRESS_BUCKETS];
    uint64_t samples;
    int64_t max_ns;
};

void progress_add(struct progress *progress, int64_t latency_ns, uint64_t count);
// The smallest value that a share of the samples does not exceed, to the resolution of the buckets.
int64_t progress_quantile(const struct progress *progress, double share);
void progress_print(const struct progress *progress, uint64_t wanted);
