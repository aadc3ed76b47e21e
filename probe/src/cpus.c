// SPDX-License-Identifier: Apache-2.0
#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_number(const char **at, long *number)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return -EINVAL;
    errno = 0;
    *number = strtol(*at, &end, 10);
    *at = end;
    return errno || *number >= CPU_SETSIZE ? -EINVAL : 0;
}

int cpus_parse(const char *list, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    for (;;) {
        long first;
        long last;

        if (parse_number(&list, &first) < 0)
            return -EINVAL;
        last = first;
        if (*list == '-') {
            list++;
            if (parse_number(&list, &last) < 0 || last < first)
                return -EINVAL;
        }
        for (long cpu = first; cpu <= last; cpu++)
            CPU_SET((size_t)cpu, cpus);
        if (*list == '\0')
            return 0;
        if (*list++ != ',')
            return -EINVAL;
    }
}

int cpus_next(const cpu_set_t *cpus, int after)
{
    for (int cpu = after + 1; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, cpus))
            return cpu;
    return -1;
}

void cpus_add_json(struct text *text, const char *name, const cpu_set_t *cpus)
{
    const char *comma = "";

    text_add_key(text, name);
    text_add(text, "[");
    for (int cpu = cpus_next(cpus, -1); cpu >= 0; cpu = cpus_next(cpus, cpu)) {
        text_add(text, "%s%d", comma, cpu);
        comma = ",";
    }
    text_add(text, "]");
}

void cpus_online(char *list, size_t size)
{
    FILE *file = fopen("/sys/devices/system/cpu/online", "re");

    snprintf(list, size, "unknown");
    if (!file)
        return;
    if (fgets(list, (int)size, file))
        list[strcspn(list, "\n")] = '\0';
    fclose(file);
}
