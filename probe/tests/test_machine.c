// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "check.h"

static const struct machine small = {.memory = 1 << 20, .cpus = 2, .rt_unlimited = true};

static int status(const struct machine *machine, const char *cpus, struct options options)
{
    struct failure failure = {0};

    CHECK(cpus_parse(cpus, &options.cpus) == 0);
    options.samples = options.samples ? options.samples : 1;
    options.interval = 1000000;
    if (machine_check(machine, &options, &failure) == 0)
        return 0;
    CHECK(failure.message[0] && failure.remedy[0]);
    return (int)failure.status;
}

static void samples_have_to_fit(void)
{
    CHECK(status(&small, "0", (struct options){.samples = 58000}) == 0);
    CHECK(status(&small, "0", (struct options){.samples = 60000}) == EXIT_NOT_AVAILABLE);
    CHECK(status(&small, "0-1", (struct options){.samples = 58000}) == EXIT_NOT_AVAILABLE);
    CHECK(status(&small, "0", (struct options){.samples = 60000, .record = RECORD_RING, .ring = 64}) == 0);
}

static void a_machine_is_not_stopped(void)
{
    const struct options spin = {.policy = POLICY_FIFO, .wake = WAKE_SPIN};
    const struct options long_spin = {.policy = POLICY_RR, .wake = WAKE_SLEEP_SPIN, .spin = 1000000};
    const struct options short_spin = {.policy = POLICY_RR, .wake = WAKE_SLEEP_SPIN, .spin = 50000};
    const struct options polite = {.policy = POLICY_OTHER, .wake = WAKE_SPIN};
    struct machine limited = small;

    limited.rt_unlimited = false;
    CHECK(status(&small, "0-1", spin) == EXIT_NOT_AVAILABLE);
    CHECK(status(&small, "0-1", long_spin) == EXIT_NOT_AVAILABLE);
    CHECK(status(&small, "0-1", short_spin) == 0);
    CHECK(status(&small, "0-1", polite) == 0);
    CHECK(status(&small, "1", spin) == 0);
    CHECK(status(&limited, "0-1", spin) == 0);
}

static void this_machine_is_known(void)
{
    struct machine machine = machine_read();
    int64_t value;

    CHECK(machine.memory > 0 && machine.cpus > 0);
    CHECK(machine_setting("sched_rt_period_us", &value) && value > 0);
    CHECK(!machine_setting("no_such_setting", &value));
    CHECK(!machine_setting("ostype", &value));
}

int main(void)
{
    samples_have_to_fit();
    a_machine_is_not_stopped();
    this_machine_is_known();
    return 0;
}
