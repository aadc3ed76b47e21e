// SPDX-License-Identifier: Apache-2.0
// CPUs kept free of other tasks at run time: a cpuset partition (cgroup v2) or exclusive cpusets (v1).
#pragma once

#include "guard_knobs.h"

#include <sched.h>

extern const struct knob_operations isolated_cpus;
extern const struct knob_operations cpuset_delegation;

// Moves this process into the partition if it holds all of these CPUs, and this process may not use one of
// them.
void isolation_enter(const cpu_set_t *cpus);

// The knob that has to be set before CPUs can be isolated, and its value; NULL if this machine has no
// cpusets.
const char *isolation_precondition(const struct tree *tree, const char **value);
