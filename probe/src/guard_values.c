// SPDX-License-Identifier: Apache-2.0
// Which values a knob takes here and now.
#include "guard_cpus.h"
#include "guard_knobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void knob_words(const struct tree *tree, const struct knob *knob, char words[KNOB_VALUE])
{
    char path[GUARD_PATH];
    words[0] = '\0';
    if (knob->kind->words)
        snprintf(words, KNOB_VALUE, "%s", knob->kind->words);
    if (!knob->kind->words_path)
        return;
    knob_path(knob, knob->kind->words_path, path);
    if (tree_read(tree, path, words, KNOB_VALUE))
        words[0] = '\0';
    for (char *at = words; *at; at++)
        if (strchr("[]\n\t", *at))
            *at = ' ';
}

static long long read_limit(const struct tree *tree, const struct knob *knob, const char *pattern,
                            long long other)
{
    char path[GUARD_PATH], text[64], *end = NULL;
    if (!pattern)
        return other;
    knob_path(knob, pattern, path);
    if (tree_read(tree, path, text, sizeof text))
        return other;
    long long limit = strtoll(text, &end, 10);
    return end > text && *end == '\0' ? limit : other;
}

void knob_limits(const struct tree *tree, const struct knob *knob, long long *lowest, long long *highest)
{
    *lowest = read_limit(tree, knob, knob->kind->lowest_path, knob->kind->lowest);
    *highest = read_limit(tree, knob, knob->kind->highest_path, knob->kind->highest);
}

static bool is_word_of(const char *value, const char *words)
{
    size_t length = strlen(value);
    if (!length || strchr(value, ' '))
        return false;
    for (const char *at = words; (at = strstr(at, value)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

static bool parse_number(const char *text, long long *number)
{
    size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
    *number = strtoll(text, NULL, 10);
    return digits > 0 && digits <= 15 && text[sign + digits] == '\0';
}

static int check_number(const struct tree *tree, const struct knob *knob, const char *value,
                        char canonical[KNOB_VALUE], char *allowed, size_t size)
{
    const char *unit = knob->kind->unit;
    long long lowest = 0, highest = 0, number = 0;
    knob_limits(tree, knob, &lowest, &highest);
    snprintf(allowed, size, "a whole number from %lld to %lld%s%s%s", lowest, highest, unit ? " " : "",
             unit ? unit : "", knob->kind->words ? ", or none" : "");
    if (!parse_number(value, &number) || number < lowest || number > highest)
        return -EINVAL;
    snprintf(canonical, KNOB_VALUE, "%lld", number);
    return 0;
}

static int check_cpus(const struct tree *tree, const struct knob *knob, const char *value,
                      char canonical[KNOB_VALUE], char *allowed, size_t size)
{
    char text[GUARD_TEXT] = "";
    cpu_set_t online, cpus;
    int error = tree_read(tree, "/sys/devices/system/cpu/online", text, sizeof text);
    snprintf(allowed, size, "a list of CPUs that are on line (%.200s)%s, such as 0 or 0-1,3", text,
             knob->kind->some_stay ? " but not of all" : "");
    if (error || cpus_parse(text, &online) || cpus_parse(value, &cpus) || CPU_COUNT(&cpus) == 0 ||
        !cpus_within(&cpus, &online) || (knob->kind->some_stay && CPU_EQUAL(&cpus, &online)))
        return -EINVAL;
    return cpus_format_list(&cpus, canonical, KNOB_VALUE);
}

int knob_check(const struct tree *tree, const struct knob *knob, const char *value,
               char canonical[KNOB_VALUE], char *allowed, size_t size)
{
    char words[KNOB_VALUE];
    knob_words(tree, knob, words);
    if (is_word_of(value, words)) {
        snprintf(canonical, KNOB_VALUE, "%s", value);
        return 0;
    }
    if (knob->kind->values == KNOB_NUMBER)
        return check_number(tree, knob, value, canonical, allowed, size);
    if (knob->kind->values == KNOB_CPUS)
        return check_cpus(tree, knob, value, canonical, allowed, size);
    snprintf(allowed, size, "one of: %.400s", words);
    return -EINVAL;
}

bool knob_may_have_been(const struct tree *tree, const struct knob *knob, const char *value)
{
    const struct knob_kind *kind = knob->kind;
    char words[KNOB_VALUE];
    long long number = 0;
    cpu_set_t cpus;
    knob_words(tree, knob, words);
    if (is_word_of(value, words))
        return true;
    if (kind->values == KNOB_CPUS)
        return cpus_parse(value, &cpus) == 0;
    return kind->values == KNOB_NUMBER && parse_number(value, &number) &&
           (kind->lowest_path || number >= kind->lowest) && (kind->highest_path || number <= kind->highest);
}
