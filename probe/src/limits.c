// SPDX-License-Identifier: Apache-2.0
#include "limits.h"

#include <string.h>

// One hour, and one year: far from where sums of times would overflow.
#define LONGEST 3600000000000U
#define LONGEST_RUN (UINT64_C(31536000) * 1000000000)

static int usage(struct failure *failure, const char *message)
{
    return failure_set(failure, EXIT_USAGE, "see jitter-probe wakeup --help", "%s", message);
}

static int check_policy(struct options *options, struct failure *failure)
{
    bool realtime = options->policy == POLICY_FIFO || options->policy == POLICY_RR;

    if (options->priority == PRIORITY_NOT_GIVEN)
        options->priority = realtime ? 80 : 0;
    if (realtime && (options->priority < 1 || options->priority > 99))
        return usage(failure, "--priority must be 1 to 99");
    if (!realtime && options->priority)
        return usage(failure, "--priority needs --policy fifo or rr");
    if (options->policy != POLICY_OTHER && options->nice)
        return usage(failure, "--nice needs --policy other");
    if (options->nice < -20 || options->nice > 19)
        return usage(failure, "--nice must be -20 to 19");
    if (options->policy == POLICY_DEADLINE && options->wake == WAKE_SPIN)
        return usage(failure,
                     "--policy deadline cannot be combined with --wake spin: it would use up its runtime");
    return 0;
}

int limits_check(struct options *options, struct failure *failure)
{
    if (!options->output)
        return usage(failure, "--output is missing");
    if (options->progress && strcmp(options->output, "-") == 0)
        return usage(failure, "--progress and --output - both need standard output");
    if (options->interval < 1000 || options->interval > LONGEST)
        return usage(failure, "--interval must be 1us to 3600s");
    if (options->distance > LONGEST || options->align > LONGEST || options->spin > LONGEST ||
        options->progress > LONGEST)
        return usage(failure, "--distance, --align, --spin and --progress must be at most 3600s");
    if (options->duration > LONGEST_RUN)
        return usage(failure, "--duration must be at most 31536000s");
    if (!options->slack || options->slack > 1000000000)
        return usage(failure, "--slack must be 1ns to 1s (0 would mean the kernel's default)");
    if (!options->ring || options->ring & (options->ring - 1) || options->ring > 1U << 26)
        return usage(failure, "--ring must be a power of two of at most 67108864");
    if (!options->worst || options->worst > 1000000)
        return usage(failure, "--worst must be 1 to 1000000");
    if (!options->samples && !options->duration)
        options->samples = 10000;
    if (options->samples > UINT32_MAX || options->warmup > UINT32_MAX ||
        options_periods(options) > UINT32_MAX / 2)
        return usage(
            failure,
            "a run has at most 2147483647 periods: fewer samples, a shorter duration or a longer interval");
    return check_policy(options, failure);
}
