// SPDX-License-Identifier: Apache-2.0
#include "autogroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "number.h"

#define FILE_NAME "/proc/self/autogroup"
// Who is not root may write ten times a second, all processes together.
#define ATTEMPTS 20
#define PAUSE_NS 100000000

// The file says "/autogroup-25 nice 0".
bool autogroup_nice(int64_t *nice)
{
    char text[128] = "";
    const char *number;
    FILE *file;
    int64_t enabled;

    if (!machine_setting("sched_autogroup_enabled", &enabled) || !enabled)
        return false;
    file = fopen(FILE_NAME, "re");
    if (!file)
        return false;
    if (!fgets(text, sizeof text, file))
        text[0] = '\0';
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    number = strrchr(text, ' ');
    return number && number_parse_signed(number + 1, nice) == 0;
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
