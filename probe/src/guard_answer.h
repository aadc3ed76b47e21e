// SPDX-License-Identifier: Apache-2.0
// What a request came to: a value, or an error with what can be done about it.
#pragma once

#include "guard_knobs.h"

struct answer {
    char knob[KNOB_NAME];
    char value[KNOB_VALUE];
    char original[KNOB_VALUE]; // empty if the knob is as found
    char error[1024];
    char remedy[1024];
};

void answer_error(struct answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void answer_remedy(struct answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));
