// SPDX-License-Identifier: Apache-2.0
// Sets of CPUs as the kernel's settings write them: lists ("0-1,4") and hexadecimal masks ("ff,00000003").
#pragma once

#include "cpus.h"

#include <stdbool.h>
#include <stddef.h>

// All of these return 0 or a negative errno.
int cpus_parse_mask(const char *text, cpu_set_t *cpus);
int cpus_format_list(const cpu_set_t *cpus, char *text, size_t size);
// Writes as many digits as `like` has, so that a restored mask equals the first one to the byte.
int cpus_format_mask(const cpu_set_t *cpus, const char *like, char *text, size_t size);
bool cpus_within(const cpu_set_t *inner, const cpu_set_t *outer);
