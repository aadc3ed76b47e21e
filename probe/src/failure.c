// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

int failure_set(struct failure *failure, enum exit_status status, const char *remedy, const char *format, ...)
{
    va_list arguments;

    failure->status = status;
    snprintf(failure->remedy, sizeof failure->remedy, "%s", remedy);
    va_start(arguments, format);
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
    va_end(arguments);
    return -1;
}

int failure_report(const struct failure *failure)
{
    fprintf(stderr, "error: %s\n", failure->message);
    if (failure->remedy[0])
        fprintf(stderr, "remedy: %s\n", failure->remedy);
    return (int)failure->status;
}
