// SPDX-License-Identifier: Apache-2.0
// CPUs kept free of other tasks at run time: a cpuset partition (cgroup v2) or exclusive cpusets (v1).
#pragma once

#include "guard_knobs.h"

extern const struct knob_operations isolated_cpus;
extern const struct knob_operations cpuset_delegation;

// The knob that has to be set before CPUs can be isolated, and its value; NULL if this machine has no
// cpusets.
const char *isolation_precondition(const struct machine *machine, const char **value);
