// SPDX-License-Identifier: Apache-2.0
// What the machine as a whole allows for a run.
#pragma once

#include "failure.h"
#include "options.h"

// The number in a file of /proc/sys/kernel; false if there is none.
bool machine_setting(const char *name, int64_t *value);
struct machine {
    uint64_t memory; // bytes that can be used
    long cpus;       // that are online
    bool rt_unlimited;
};

struct machine machine_read(void);
// Refuse what would use up all memory, or would stop the machine.
int machine_check(const struct machine *machine, const struct options *options, struct failure *failure);
// Move this thread, and those it starts, away from the measured CPUs where there are others; where it is now.
cpu_set_t machine_leave_cpus(const cpu_set_t *measured);
