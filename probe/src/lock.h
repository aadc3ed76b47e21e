// SPDX-License-Identifier: Apache-2.0
// Locks all memory of the process, so that none of it is swapped out or reclaimed while threads measure.
#pragma once

#include <stddef.h>

// To be called before threads start: each would reserve 64 MiB for its own allocations, and what is reserved
// counts against RLIMIT_MEMLOCK.
void lock_need_little(void);
// 0, or -1 with the reason and the remedy in `reason`.
int lock_memory(char *reason, size_t size);
