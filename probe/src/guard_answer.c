// SPDX-License-Identifier: Apache-2.0
#include "guard_answer.h"

#include <stdarg.h>

void answer_error(struct answer *answer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->error, sizeof answer->error, format, arguments);
    va_end(arguments);
}

void answer_remedy(struct answer *answer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->remedy, sizeof answer->remedy, format, arguments);
    va_end(arguments);
}
