// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "number.h"
#include "recorder.h"

bool machine_setting(const char *name, int64_t *value)
{
    char text[256];
    FILE *file;
    bool known;

    snprintf(text, sizeof text, "/proc/sys/kernel/%s", name);
    file = fopen(text, "re");
    if (!file)
        return false;
    known = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return known && number_parse_signed(text, value) == 0;
}

static bool rt_is_unlimited(void)
{
    int64_t runtime_us;

    return machine_setting("sched_rt_runtime_us", &runtime_us) && runtime_us < 0;
}

int machine_check(const struct options *options, struct failure *failure)
{
    uint64_t bytes = recorder_bytes(options) * (uint64_t)CPU_COUNT(&options->cpus);
    uint64_t available = memory_available();
    bool realtime = options->policy == POLICY_FIFO || options->policy == POLICY_RR;
    bool spins = options->wake == WAKE_SPIN ||
                 (options->wake == WAKE_SLEEP_SPIN && options->spin >= options->interval);

    if (bytes > available / 10 * 9 || bytes > SIZE_MAX / 2)
        return failure_set(failure, EXIT_NOT_AVAILABLE,
                           "record fewer samples, or use --record ring or --record counts",
                           "the samples need %" PRIu64 " MiB of memory, and %" PRIu64 " MiB are available",
                           bytes >> 20, available >> 20);
    if (realtime && spins && CPU_COUNT(&options->cpus) >= sysconf(_SC_NPROCESSORS_ONLN) && rt_is_unlimited())
        return failure_set(failure, EXIT_NOT_AVAILABLE,
                           "leave a CPU free with --cpus, or limit RT runtime again",
                           "spinning with a realtime policy on every CPU would stop this machine: "
                           "sched_rt_runtime_us is -1");
    return 0;
}

cpu_set_t machine_leave_cpus(const cpu_set_t *measured)
{
    cpu_set_t allowed;
    cpu_set_t both;
    cpu_set_t others;

    sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_AND(&both, &allowed, measured);
    CPU_XOR(&others, &allowed, &both);
    if (CPU_COUNT(&others) && sched_setaffinity(0, sizeof others, &others) == 0)
        return others;
    return allowed;
}
