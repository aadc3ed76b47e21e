// SPDX-License-Identifier: Apache-2.0
// Which options make sense, each by itself and together.
#pragma once

#include "failure.h"
#include "options.h"

// Also sets the defaults that depend on other options: samples and priority.
int limits_check(struct options *options, struct failure *failure);
