// SPDX-License-Identifier: Apache-2.0
#include "guard_knobs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_LIMIT 100000
#define INDICES 4096

void knob_path(const struct knob *knob, const char *pattern, char path[GUARD_PATH])
{
    size_t length = 0;
    int next = 0;
    for (const char *at = pattern; *at && length < GUARD_PATH - 12; at++) {
        if (at[0] == '%' && at[1] == 'd') {
            length += (size_t)snprintf(path + length, GUARD_PATH - length, "%d", knob->index[next++]);
            at++;
        } else {
            path[length++] = *at;
        }
    }
    path[length] = '\0';
}

// One decimal number without leading zeros, so that every knob has one name.
static int parse_index(const char **text)
{
    const char *at = *text;
    int number = 0;
    if (!isdigit((unsigned char)*at) || (at[0] == '0' && isdigit((unsigned char)at[1])))
        return -EINVAL;
    for (; isdigit((unsigned char)*at); at++) {
        number = number * 10 + (*at - '0');
        if (number >= INDEX_LIMIT)
            return -ERANGE;
    }
    *text = at;
    return number;
}

static bool parse_name(const struct knob_kind *kind, const char *name, struct knob *knob)
{
    size_t length = strlen(kind->name);
    if (strncmp(name, kind->name, length) != 0)
        return false;
    name += length;
    for (int i = 0; i < kind->indices; i++) {
        if (*name++ != '/')
            return false;
        knob->index[i] = parse_index(&name);
        if (knob->index[i] < 0)
            return false;
    }
    return *name == '\0';
}

static void settle(const struct knob_kind *kind, struct knob *knob)
{
    knob->kind = kind;
    int length = snprintf(knob->name, sizeof knob->name, "%s", kind->name);
    for (int i = 0; i < kind->indices; i++)
        length += snprintf(knob->name + length, sizeof knob->name - (size_t)length, "/%d", knob->index[i]);
    knob_path(knob, kind->path, knob->path);
}

static int each_number(const struct tree *tree, const char *folder, const char *prefix, int numbers[],
                       int limit);

// The policy that a CPU belongs to is named after its first CPU.
static int policy_of(const struct tree *tree, int cpu)
{
    static int policies[INDICES];
    int count = each_number(tree, "/sys/devices/system/cpu/cpufreq", "policy", policies, INDICES);
    for (int i = 0; i < count; i++) {
        char path[GUARD_PATH], text[GUARD_TEXT], *rest = NULL;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpufreq/policy%d/related_cpus", policies[i]);
        if (tree_read(tree, path, text, sizeof text))
            continue;
        for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            if (strtol(word, NULL, 10) == cpu)
                return policies[i];
    }
    return cpu;
}

int knob_find(const struct tree *tree, const char *name, struct knob *knob)
{
    int error = -ENOENT;
    for (size_t i = 0; i < knob_kind_count; i++) {
        if (!parse_name(&knob_kinds[i], name, knob))
            continue;
        if (knob_kinds[i].by_policy)
            knob->index[0] = policy_of(tree, knob->index[0]);
        settle(&knob_kinds[i], knob);
        if (tree_has(tree, knob->path))
            return 0;
        error = -ENODEV;
    }
    return error;
}

int knob_read(const struct tree *tree, const struct knob *knob, char value[KNOB_VALUE])
{
    int error = knob->kind->operations->read(tree, knob, value, KNOB_VALUE);
    if (error)
        return error;
    for (const char *at = value; *at; at++)
        if (!isprint((unsigned char)*at))
            return -EILSEQ;
    return 0;
}

int knob_write(const struct tree *tree, const struct knob *knob, const char *value)
{
    return knob->kind->operations->write(tree, knob, value);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int each_number(const struct tree *tree, const char *folder, const char *prefix, int numbers[],
                       int limit)
{
    char full[GUARD_PATH];
    DIR *entries = tree_path(tree, folder, full) ? NULL : opendir(full);
    int count = 0;
    size_t length = strlen(prefix);
    for (struct dirent *entry; entries && count < limit && (entry = readdir(entries));) {
        const char *digits = entry->d_name + length;
        if (strncmp(entry->d_name, prefix, length) != 0)
            continue;
        int number = parse_index(&digits);
        if (number >= 0 && !*digits)
            numbers[count++] = number;
    }
    if (entries)
        closedir(entries);
    qsort(numbers, (size_t)count, sizeof numbers[0], ascending);
    return count;
}

// Splits ".../cpu%d/..." into the folder ".../" and the prefix "cpu" of the entries to look for.
static void split_pattern(const char *pattern, char folder[GUARD_PATH], char prefix[GUARD_PATH])
{
    size_t length = (size_t)(strstr(pattern, "%d") - pattern);
    snprintf(folder, GUARD_PATH, "%.*s", (int)length, pattern);
    char *slash = strrchr(folder, '/');
    snprintf(prefix, GUARD_PATH, "%s", slash + 1);
    *slash = '\0';
}

static int each_index(const struct tree *tree, const struct knob_kind *kind, struct knob *knob, int depth,
                      void (*visit)(const struct knob *knob, void *context), void *context)
{
    if (depth == kind->indices || (size_t)depth == sizeof knob->index / sizeof knob->index[0]) {
        settle(kind, knob);
        if (!tree_has(tree, knob->path))
            return 0;
        visit(knob, context);
        return 1;
    }
    char pattern[GUARD_PATH], folder[GUARD_PATH], prefix[GUARD_PATH];
    snprintf(pattern, sizeof pattern, "%s", kind->path);
    for (int i = 0; i < depth; i++) {
        char *at = strstr(pattern, "%d");
        char rest[GUARD_PATH];
        snprintf(rest, sizeof rest, "%s", at + 2);
        snprintf(at, sizeof pattern - (size_t)(at - pattern), "%d%s", knob->index[i], rest);
    }
    split_pattern(pattern, folder, prefix);
    int *numbers = calloc(INDICES, sizeof *numbers), found = 0;
    int count = numbers ? each_number(tree, folder, prefix, numbers, INDICES) : 0;
    for (int i = 0; i < count; i++) {
        knob->index[depth] = numbers[i];
        found += each_index(tree, kind, knob, depth + 1, visit, context);
    }
    free(numbers);
    return found;
}

int knob_each(const struct tree *tree, const struct knob_kind *kind,
              void (*visit)(const struct knob *knob, void *context), void *context)
{
    struct knob knob = {0};
    return each_index(tree, kind, &knob, 0, visit, context);
}
