// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "usage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int64_t usage_parse_migrations(const char *sched)
{
    const char *at = strstr(sched, "nr_migrations");

    if (!at)
        return -1;
    at += strcspn(at, ":\n");
    return *at == ':' ? strtoll(at + 1, NULL, 10) : -1;
}

static int64_t read_migrations(void)
{
    char text[8192];
    ssize_t length;
    int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length < 0)
        return -1;
    text[length] = '\0';
    return usage_parse_migrations(text);
}

static int64_t timeval_ns(struct timeval value)
{
    return (int64_t)value.tv_sec * 1000000000 + (int64_t)value.tv_usec * 1000;
}

static void read_rusage(struct usage *usage)
{
    struct rusage used;

    getrusage(RUSAGE_THREAD, &used);
    usage->minor_faults = used.ru_minflt;
    usage->major_faults = used.ru_majflt;
    usage->voluntary_switches = used.ru_nvcsw;
    usage->involuntary_switches = used.ru_nivcsw;
    usage->user_ns = timeval_ns(used.ru_utime);
    usage->system_ns = timeval_ns(used.ru_stime);
}

void usage_begin(struct usage *usage, const struct counters *counters)
{
    usage->migrations = read_migrations();
    read_rusage(usage);
    counters_read(counters, usage->counters);
}

void usage_end(struct usage *usage, const struct counters *counters)
{
    counters_read(counters, usage->counters);
    read_rusage(usage);
    usage->migrations = read_migrations();
}

static int64_t between(int64_t begin, int64_t end)
{
    return begin < 0 || end < 0 ? -1 : end - begin;
}

struct usage usage_between(const struct usage *begin, const struct usage *end)
{
    struct usage usage = {
        .minor_faults = end->minor_faults - begin->minor_faults,
        .major_faults = end->major_faults - begin->major_faults,
        .voluntary_switches = end->voluntary_switches - begin->voluntary_switches,
        .involuntary_switches = end->involuntary_switches - begin->involuntary_switches,
        .migrations = between(begin->migrations, end->migrations),
        .user_ns = end->user_ns - begin->user_ns,
        .system_ns = end->system_ns - begin->system_ns,
    };

    for (int i = 0; i < N_COUNTERS; i++)
        usage.counters[i] = between(begin->counters[i], end->counters[i]);
    return usage;
}

static void add_optional(struct text *text, const char *name, int64_t value)
{
    if (value < 0)
        text_add_field(text, name, NULL);
    else
        text_add_int(text, name, value);
}

void usage_add_json(const struct usage *usage, struct text *text)
{
    text_add_int(text, "minor_faults", usage->minor_faults);
    text_add_int(text, "major_faults", usage->major_faults);
    text_add_int(text, "voluntary_switches", usage->voluntary_switches);
    text_add_int(text, "involuntary_switches", usage->involuntary_switches);
    add_optional(text, "migrations", usage->migrations);
    text_add_int(text, "user_ns", usage->user_ns);
    text_add_int(text, "system_ns", usage->system_ns);
    for (int i = 0; i < N_COUNTERS; i++)
        add_optional(text, counter_names[i], usage->counters[i]);
}
