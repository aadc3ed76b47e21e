// SPDX-License-Identifier: Apache-2.0
// What the kernel has accounted to the calling thread; two snapshots frame the measured part.
#pragma once

#include <stdint.h>

#include "counters.h"
#include "text.h"

struct usage {
    int64_t minor_faults;
    int64_t major_faults;
    int64_t voluntary_switches;
    int64_t involuntary_switches;
    int64_t migrations; // -1: the kernel does not say
    int64_t user_ns;
    int64_t system_ns;
    int64_t counters[N_COUNTERS]; // -1: not there
};

// The order of looking keeps the cost of looking itself out of the frame, as far as that is possible.
void usage_begin(struct usage *usage, const struct counters *counters);
void usage_end(struct usage *usage, const struct counters *counters);
struct usage usage_between(const struct usage *begin, const struct usage *end);
// Members of a JSON object; what is not there is null.
void usage_add_json(const struct usage *usage, struct text *text);
// Find `se.nr_migrations` in the text of /proc/…/sched; -1 if it is not there.
int64_t usage_parse_migrations(const char *sched);
