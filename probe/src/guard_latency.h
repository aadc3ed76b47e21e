// SPDX-License-Identifier: Apache-2.0
// PM QoS: the request that stands while /dev/cpu_dma_latency is held open.
#pragma once

#include "guard_knobs.h"

extern const struct knob_operations latency_request;
