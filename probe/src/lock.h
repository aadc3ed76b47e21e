// SPDX-License-Identifier: Apache-2.0
// Locks all memory of the process, so that none of it is swapped out or reclaimed while threads measure.
#pragma once

#include <stddef.h>

// 0, or -1 with the reason and the remedy in `reason`.
int lock_memory(char *reason, size_t size);
