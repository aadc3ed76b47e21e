// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const counter_names[N_COUNTERS] = {"cycles", "instructions", "cache_misses"};

static const uint64_t configs[N_COUNTERS] = {
    PERF_COUNT_HW_CPU_CYCLES,
    PERF_COUNT_HW_INSTRUCTIONS,
    PERF_COUNT_HW_CACHE_MISSES,
};

static int open_counter(uint64_t config)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = config,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct counters *counters)
{
    for (int i = 0; i < N_COUNTERS; i++) {
        counters->fds[i] = open_counter(configs[i]);
        counters->errors[i] = counters->fds[i] < 0 ? errno : 0;
    }
}

void counters_read(const struct counters *counters, int64_t values[N_COUNTERS])
{
    for (int i = 0; i < N_COUNTERS; i++)
        if (counters->fds[i] < 0 || read(counters->fds[i], &values[i], sizeof values[i]) != sizeof values[i])
            values[i] = -1;
}

const char *counters_hint(int error)
{
    switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
        return " (no performance counters here)";
    case EACCES:
    case EPERM:
        return " (grant CAP_PERFMON, or set /proc/sys/kernel/perf_event_paranoid to 1 or lower)";
    default:
        return "";
    }
}

void counters_close(struct counters *counters)
{
    for (int i = 0; i < N_COUNTERS; i++)
        if (counters->fds[i] >= 0)
            close(counters->fds[i]);
}
