// SPDX-License-Identifier: Apache-2.0
#include "autogroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

#define FILE_NAME "/proc/self/autogroup"
// Who is not root may write ten times a second, all processes together.
#define ATTEMPTS 20
#define PAUSE_NS 100000000

bool autogroup_nice(int64_t *nice)
{
    FILE *file;
    int64_t enabled;
    bool known;

    if (!machine_setting("sched_autogroup_enabled", &enabled) || !enabled)
        return false;
    file = fopen(FILE_NAME, "re");
    if (!file)
        return false;
    known = fscanf(file, "/autogroup-%*d nice %" SCNd64, nice) == 1;
    fclose(file);
    return known;
}

static int write_nice(int64_t nice)
{
    FILE *file = fopen(FILE_NAME, "we");
    int error = 0;

    if (!file)
        return -errno;
    fprintf(file, "%" PRId64, nice);
    if (fclose(file) != 0)
        error = -errno;
    return error;
}

void autogroup_set_nice(int64_t nice)
{
    int64_t before;

    if (getsid(0) != getpid())
        return;
    for (int i = 0; i < ATTEMPTS && autogroup_nice(&before) && before != nice; i++)
        if (write_nice(nice) == -EAGAIN)
            clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}
