// SPDX-License-Identifier: Apache-2.0
// Hardware performance counters of the calling thread, where the machine has them and permits them.
#pragma once

#include <stdint.h>

enum counter { COUNTER_CYCLES, COUNTER_INSTRUCTIONS, COUNTER_CACHE_MISSES, N_COUNTERS };

struct counters {
    int fds[N_COUNTERS];
    int errors[N_COUNTERS]; // errno of those that could not be opened, else 0
};

extern const char *const counter_names[N_COUNTERS];

void counters_open(struct counters *counters);
// Values so far; -1 for a counter that is not there.
void counters_read(const struct counters *counters, int64_t values[N_COUNTERS]);
// What an error of opening means, in brackets; empty if it speaks for itself.
const char *counters_hint(int error);
void counters_close(struct counters *counters);
