// SPDX-License-Identifier: Apache-2.0
// Whether a knob can be set here, and if not, why and what can be done about it.
#pragma once

#include "guard_answer.h"
#include "guard_record.h"

// Whether a knob that is there can be changed; otherwise says why not.
bool permission_to_set(const struct record *record, const struct knob *knob, struct answer *answer);
// Says why knob_find() returned this error.
void permission_explain_absence(const struct tree *tree, const char *name, int error, struct answer *answer);
