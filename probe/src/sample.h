// SPDX-License-Identifier: Apache-2.0
// One wakeup: a row of the table `samples`, as it is in memory and in the stream.
#pragma once

#include <stdint.h>

#include "jitterstream.h"

struct sample {
    uint32_t period;
    uint16_t cpu;
    uint16_t flags;
    int64_t latency;
};

_Static_assert(sizeof(struct sample) == 16, "rows are 16 bytes");
