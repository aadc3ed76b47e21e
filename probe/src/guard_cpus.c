// SPDX-License-Identifier: Apache-2.0
#include "guard_cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int parse_digit(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, tolower((unsigned char)digit)) : NULL;
    return at ? (int)(at - digits) : -EINVAL;
}

static int add_digit(int digit, size_t first, cpu_set_t *cpus)
{
    for (size_t bit = 0; bit < 4; bit++) {
        if (!(digit >> bit & 1))
            continue;
        if (first + bit >= CPU_SETSIZE)
            return -ERANGE;
        CPU_SET(first + bit, cpus);
    }
    return 0;
}

int cpus_parse_mask(const char *text, cpu_set_t *cpus)
{
    size_t cpu = 0;
    CPU_ZERO(cpus);
    for (size_t i = strlen(text); i > 0; i--) {
        if (text[i - 1] == ',')
            continue;
        int digit = parse_digit(text[i - 1]);
        int error = digit < 0 ? digit : add_digit(digit, cpu, cpus);
        if (error)
            return error;
        cpu += 4;
    }
    return cpu ? 0 : -EINVAL;
}

int cpus_format_list(const cpu_set_t *cpus, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, cpus))
            continue;
        size_t last = cpu;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
            last++;
        const char *comma = length ? "," : "";
        int more = last > cpu ? snprintf(text + length, size - length, "%s%zu-%zu", comma, cpu, last)
                              : snprintf(text + length, size - length, "%s%zu", comma, cpu);
        if (more < 0 || (size_t)more >= size - length)
            return -E2BIG;
        length += (size_t)more;
        cpu = last;
    }
    return 0;
}

int cpus_format_mask(const cpu_set_t *cpus, const char *like, char *text, size_t size)
{
    size_t length = strlen(like), cpu = 0;
    if (length >= size)
        return -E2BIG;
    text[length] = '\0';
    for (size_t i = length; i > 0; i--) {
        if (like[i - 1] == ',') {
            text[i - 1] = ',';
            continue;
        }
        unsigned value = 0;
        for (unsigned bit = 0; bit < 4; bit++, cpu++)
            if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, cpus))
                value |= 1U << bit;
        text[i - 1] = "0123456789abcdef"[value];
    }
    for (; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, cpus))
            return -ERANGE;
    return 0;
}

bool cpus_within(const cpu_set_t *inner, const cpu_set_t *outer)
{
    cpu_set_t both;
    CPU_AND(&both, inner, outer);
    return CPU_EQUAL(&both, inner);
}
