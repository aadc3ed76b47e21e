// SPDX-License-Identifier: Apache-2.0
// Setting, reading back, resetting and restoring knobs.
#pragma once

#include "guard_record.h"

struct hold {
    const struct machine *machine;
    struct record record;
    struct held_list held; // in the order of their first change
};

// What a request came to: a value, or an error with what can be done about it.
struct answer {
    char knob[KNOB_NAME];
    char value[KNOB_VALUE];
    char original[KNOB_VALUE]; // empty if the knob is as found
    char error[1024];
    char remedy[1024];
};

// These return 0 if the answer has a value, otherwise a negative errno and an error in the answer.
int hold_get(struct hold *hold, const char *name, struct answer *answer);
int hold_set(struct hold *hold, const char *name, const char *value, struct answer *answer);
int hold_reset(struct hold *hold, const char *name, struct answer *answer);

// Puts everything back, last change first, and calls `failed` for what cannot be; returns how many those are.
size_t hold_restore(struct hold *hold, void (*failed)(const struct answer *answer));

// Why a knob that is there cannot be changed, with the remedy; returns whether it can be.
bool hold_may_set(const struct hold *hold, const struct knob *knob, struct answer *answer);
void hold_explain_absence(const struct hold *hold, const char *name, int error, struct answer *answer);
