// SPDX-License-Identifier: Apache-2.0
// How the values of knobs stand in the kernel's files.
#pragma once

#include "guard_knobs.h"

extern const struct knob_operations plain_text; // as it is
extern const struct knob_operations inverted;   // 1 in the file means 0
extern const struct knob_operations bracketed;  // always [madvise] never
extern const struct knob_operations cpu_list;   // 0-1,4
extern const struct knob_operations cpu_mask;   // ff,00000003
