// SPDX-License-Identifier: Apache-2.0
// How the calling thread is scheduled: set what was asked for, read back what is so.
#pragma once

#include "failure.h"
#include "options.h"
#include "text.h"

// Pin the thread to one CPU, set timer slack, nice value and policy. SCHED_DEADLINE gets deadline = period =
// interval and a runtime of a fifth of it (and the time that sleep-spin spins, at most nine tenths), and is
// not pinned: the kernel admits it on whole root domains only.
int schedule_apply(const struct options *options, int cpu, uint64_t interval_ns, struct failure *failure);
// Policy, priority, CPUs, slack as the kernel says, as members of a JSON object.
void schedule_add_effective(struct text *text);
