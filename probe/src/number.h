// SPDX-License-Identifier: Apache-2.0
// Numbers and durations as people write them. Each parser returns 0, or -EINVAL for anything it does not
// understand whole.
#pragma once

#include <stdint.h>

int number_parse(const char *text, uint64_t *number);
int number_parse_signed(const char *text, int64_t *number);
// "200us", "1.5ms", "2s", "200000" and "200000ns" as nanoseconds.
int number_parse_duration(const char *text, uint64_t *ns);
