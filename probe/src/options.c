// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "number.h"

enum type { TYPE_NUMBER, TYPE_SIGNED, TYPE_DURATION, TYPE_CHOICE, TYPE_CPUS, TYPE_TEXT };

struct option {
    const char *name;
    enum type type;
    const char *allowed; // what stands in the help and in errors; the words of a choice
    size_t offset;
    const char *help;
    bool optional; // 0 means not given
};

#define FIELD(name) offsetof(struct options, name)

static const struct option table[] = {
    {"cpus", TYPE_CPUS, "LIST", FIELD(cpus),
     "measure with one thread on each of these CPUs, as 0,2-3 [all allowed ones]", false},
    {"interval", TYPE_DURATION, "TIME", FIELD(interval), "time from one wakeup to the next [1ms]", false},
    {"distance", TYPE_DURATION, "TIME", FIELD(distance),
     "each thread's interval is this much longer than the one before [0]", false},
    {"align", TYPE_DURATION, "TIME", FIELD(align),
     "each thread first wakes this much later than the one before [0]", false},
    {"samples", TYPE_NUMBER, "N", FIELD(samples),
     "measured samples per thread [10000, or as many as --duration allows]", true},
    {"duration", TYPE_DURATION, "TIME", FIELD(duration), "end the measured part after this time", true},
    {"warmup", TYPE_NUMBER, "N", FIELD(warmup), "samples per thread before the measured part [100]", false},
    {"policy", TYPE_CHOICE, "other|fifo|rr|deadline", FIELD(policy), "scheduling policy [other]", false},
    {"priority", TYPE_SIGNED, "1-99", FIELD(priority), "priority for fifo and rr [80]", false},
    {"nice", TYPE_SIGNED, "-20-19", FIELD(nice), "nice value for other [0]", false},
    {"slack", TYPE_DURATION, "TIME", FIELD(slack), "timer slack; the kernel's own default is 50us [1ns]",
     false},
    {"wake", TYPE_CHOICE, "nanosleep|timerfd|sleep-spin|spin", FIELD(wake), "how a thread waits [nanosleep]",
     false},
    {"spin", TYPE_DURATION, "TIME", FIELD(spin), "how long before it is due sleep-spin starts to spin [50us]",
     false},
    {"clock", TYPE_CHOICE, "monotonic|cycles", FIELD(clock), "what samples are taken with [monotonic]",
     false},
    {"record", TYPE_CHOICE, "raw|ring|counts", FIELD(record),
     "every sample in memory until the end; every sample streamed out meanwhile; exact value counts [raw]",
     false},
    {"ring", TYPE_NUMBER, "N", FIELD(ring), "samples per thread that the ring holds, a power of two [65536]",
     false},
    {"worst", TYPE_NUMBER, "N", FIELD(worst),
     "with counts: largest samples per thread that are kept with their period [1000]", false},
    {"lock", TYPE_CHOICE, "auto|yes|no", FIELD(lock), "lock memory: where permitted; or fail; or not [auto]",
     false},
    {"break", TYPE_DURATION, "TIME", FIELD(break_limit), "end as soon as a measured latency is larger", true},
    {"progress", TYPE_DURATION, "TIME", FIELD(progress), "a line of JSON on standard output this often",
     true},
    {"output", TYPE_TEXT, "FILE", FIELD(output), "where the stream goes; - is standard output (required)",
     false},
};

#define N_OPTIONS (sizeof table / sizeof table[0])

static int parse_choice(const char *value, const char *words, int *choice)
{
    size_t length = strlen(value);

    for (*choice = 0;; ++*choice) {
        size_t word = strcspn(words, "|");

        if (word == length && strncmp(words, value, word) == 0)
            return 0;
        if (!words[word])
            return -EINVAL;
        words += word + 1;
    }
}

static int parse_value(const struct option *option, const char *value, struct options *options)
{
    void *field = (char *)options + option->offset;

    switch (option->type) {
    case TYPE_NUMBER:
        return number_parse(value, field);
    case TYPE_SIGNED:
        return number_parse_signed(value, field);
    case TYPE_DURATION:
        return number_parse_duration(value, field);
    case TYPE_CHOICE:
        return parse_choice(value, option->allowed, field);
    case TYPE_CPUS:
        return cpus_parse(value, field);
    case TYPE_TEXT:
        *(const char **)field = value;
        return *value ? 0 : -EINVAL;
    }
    return -EINVAL;
}

// 0 stands for "not given" inside, so it cannot be given.
static bool is_forbidden_zero(const struct option *option, const struct options *options)
{
    return option->optional && *(const uint64_t *)((const char *)options + option->offset) == 0;
}

static const struct option *find(const char *argument, const char **value)
{
    size_t length = strcspn(argument, "=");

    for (size_t i = 0; i < N_OPTIONS; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, argument, length) == 0) {
            *value = argument[length] ? argument + length + 1 : NULL;
            return &table[i];
        }
    return NULL;
}

int options_parse(struct options *options, int argc, char **argv, struct failure *failure)
{
    *options = (struct options){
        .interval = 1000000,
        .warmup = 100,
        .priority = PRIORITY_NOT_GIVEN,
        .slack = 1,
        .spin = 50000,
        .ring = 65536,
        .worst = 1000,
    };
    sched_getaffinity(0, sizeof options->cpus, &options->cpus);
    for (int i = 0; i < argc; i++) {
        const struct option *option;
        const char *value;

        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options->help = true;
            return 0;
        }
        option = strncmp(argv[i], "--", 2) == 0 ? find(argv[i] + 2, &value) : NULL;
        if (!option)
            return failure_set(failure, EXIT_USAGE, "see jitter-probe wakeup --help",
                               "there is no option '%.100s'", argv[i]);
        if (!value && i + 1 < argc)
            value = argv[++i];
        if (!value || parse_value(option, value, options) < 0 || is_forbidden_zero(option, options))
            return failure_set(failure, EXIT_USAGE, "see jitter-probe wakeup --help",
                               "--%s takes %s, not '%.100s'", option->name, option->allowed,
                               value ? value : "");
    }
    return limits_check(options, failure);
}

uint64_t options_periods(const struct options *options)
{
    uint64_t periods = options->duration ? (options->duration - 1) / options->interval + 1 : UINT64_MAX;

    if (options->samples && options->samples < periods)
        periods = options->samples;
    return periods + options->warmup;
}

void options_help(void)
{
    puts("usage: jitter-probe wakeup --output FILE [--OPTION VALUE]...\n\n"
         "Measure how late threads wake up that sleep until an absolute time.\n"
         "TIME is a number of ns, or has a unit: 50us, 1.5ms, 2s.\n");
    for (size_t i = 0; i < N_OPTIONS; i++)
        printf("  --%s %s\n        %s\n", table[i].name, table[i].allowed, table[i].help);
    puts("\nThe stream is described in docs/stream-format.md. /dev/cpu_dma_latency is left alone: idle "
         "states are a\n"
         "setting of the machine, which `jitter-probe guard` changes where a study says so.\n\n"
         "exit status: 0 done, or ended by SIGINT, SIGTERM, SIGHUP or --break; 1 failed while running; 2 "
         "usage;\n"
         "3 not permitted or not available here");
}

static void add_choice(struct text *text, const char *name, const char *words, int choice)
{
    char word[32];

    while (choice--)
        words += strcspn(words, "|") + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, "|"), words);
    text_add_field(text, name, word);
}

static void add_number(struct text *text, const char *name, uint64_t value, bool optional)
{
    if (optional && !value)
        text_add_field(text, name, NULL);
    else
        text_add_int(text, name, (int64_t)value);
}

void options_add_json(const struct options *options, struct text *text)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const void *field = (const char *)options + table[i].offset;
        char name[32];

        snprintf(name, sizeof name, "%s%s", table[i].name, table[i].type == TYPE_DURATION ? "_ns" : "");
        switch (table[i].type) {
        case TYPE_NUMBER:
        case TYPE_DURATION:
            add_number(text, name, *(const uint64_t *)field, table[i].optional);
            break;
        case TYPE_SIGNED:
            text_add_int(text, name, *(const int64_t *)field);
            break;
        case TYPE_CHOICE:
            add_choice(text, name, table[i].allowed, *(const int *)field);
            break;
        case TYPE_CPUS:
            cpus_add_json(text, name, field);
            break;
        case TYPE_TEXT:
            break;
        }
    }
}
