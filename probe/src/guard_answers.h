// SPDX-License-Identifier: Apache-2.0
// The guard's answers as JSON, one line each.
#pragma once

#include "guard_hold.h"

void answers_greet(const struct hold *hold, size_t failed);
void answers_write(const struct answer *answer);
void answers_error(const char *error, const char *remedy);
void answers_list(const struct hold *hold);
