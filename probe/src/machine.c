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

struct machine machine_read(void)
{
    struct machine machine = {.memory = memory_available(), .cpus = sysconf(_SC_NPROCESSORS_ONLN)};
    int64_t rt_runtime_us;

    machine.rt_unlimited = machine_setting("sched_rt_runtime_us", &rt_runtime_us) && rt_runtime_us < 0;
    return machine;
}

static bool never_sleeps(const struct options *options)
{
    bool realtime = options->policy == POLICY_FIFO || options->policy == POLICY_RR;

    return realtime && (options->wake == WAKE_SPIN ||
                        (options->wake == WAKE_SLEEP_SPIN && options->spin >= options->interval));
}

int machine_check(const struct machine *machine, const struct options *options, struct failure *failure)
{
    uint64_t bytes = recorder_bytes(options) * (uint64_t)CPU_COUNT(&options->cpus);

    if (bytes > machine->memory / 10 * 9 || bytes > SIZE_MAX / 2)
        return failure_set(failure, EXIT_NOT_AVAILABLE,
                           "record fewer samples, or use --record ring or --record counts",
                           "the samples need %" PRIu64 " MiB of memory, and %" PRIu64 " MiB are available",
                           bytes >> 20, machine->memory >> 20);
    if (machine->rt_unlimited && never_sleeps(options) && CPU_COUNT(&options->cpus) >= machine->cpus)
        return failure_set(failure, EXIT_NOT_AVAILABLE,
                           "leave a CPU free with --cpus, or limit /proc/sys/kernel/sched_rt_runtime_us",
                           "spinning with a realtime policy on every CPU would stop this machine");
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
