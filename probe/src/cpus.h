// SPDX-License-Identifier: Apache-2.0
// Sets of CPUs, written as in the kernel: "0,2-3".
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>

#include "text.h"

// 0, or -EINVAL if the text is no list of CPUs.
int cpus_parse(const char *list, cpu_set_t *cpus);
// Next CPU of the set after that one (-1: the first); -1 if there is none.
int cpus_next(const cpu_set_t *cpus, int after);
void cpus_add_json(struct text *text, const char *name, const cpu_set_t *cpus);
// The CPUs that are online, as the kernel writes them; "unknown" if it does not say.
void cpus_online(char *list, size_t size);
