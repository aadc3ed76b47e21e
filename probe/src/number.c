// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int number_parse(const char *text, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return -EINVAL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno || *end ? -EINVAL : 0;
}

int number_parse_signed(const char *text, int64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)text[*text == '-']))
        return -EINVAL;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno || *end ? -EINVAL : 0;
}

static int unit_ns(const char *unit, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) {
            *ns = units[i].ns;
            return 0;
        }
    return -EINVAL;
}

int number_parse_duration(const char *text, uint64_t *ns)
{
    const char *point = NULL;
    uint64_t value = 0;
    uint64_t scale;
    uint64_t factor = 1;

    if (!isdigit((unsigned char)*text))
        return -EINVAL;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = text;
            continue;
        }
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return -EINVAL;
        if (point && __builtin_mul_overflow(factor, 10, &factor))
            return -EINVAL;
    }
    if (text[-1] == '.' || unit_ns(text, &scale) < 0)
        return -EINVAL;
    if (__builtin_mul_overflow(value, scale, &value) || value % factor || value / factor > INT64_MAX)
        return -EINVAL;
    *ns = value / factor;
    return 0;
}
