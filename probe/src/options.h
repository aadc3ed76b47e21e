// SPDX-License-Identifier: Apache-2.0
// What `jitter-probe wakeup` was asked for: parsed once, checked as a whole before anything starts.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "cpus.h"
#include "failure.h"
#include "text.h"

enum policy { POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_DEADLINE };
enum wake_kind { WAKE_NANOSLEEP, WAKE_TIMERFD, WAKE_SLEEP_SPIN, WAKE_SPIN };
enum record_kind { RECORD_RAW, RECORD_RING, RECORD_COUNTS };
enum lock_kind { LOCK_AUTO, LOCK_YES, LOCK_NO };

#define PRIORITY_NOT_GIVEN INT64_MIN

// Times are nanoseconds; 0 means not given where a time or a number is optional.
struct options {
    cpu_set_t cpus;
    uint64_t interval;
    uint64_t distance;
    uint64_t align;
    uint64_t samples;
    uint64_t duration;
    uint64_t warmup;
    int policy;
    int64_t priority;
    int64_t nice;
    uint64_t slack;
    int wake;
    uint64_t spin;
    int clock;
    int record;
    uint64_t ring;
    uint64_t worst;
    int lock;
    uint64_t break_limit;
    uint64_t progress;
    const char *output;
    bool help;
};

int options_parse(struct options *options, int argc, char **argv, struct failure *failure);
void options_help(void);
// Most samples that one thread can take with these options, warm-up included.
uint64_t options_periods(const struct options *options);
// The settings that were asked for, as members of a JSON object.
void options_add_json(const struct options *options, struct text *text);
