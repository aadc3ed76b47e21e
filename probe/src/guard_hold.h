// SPDX-License-Identifier: Apache-2.0
// Setting, reading back, resetting and restoring knobs.
#pragma once

#include "guard_answer.h"
#include "guard_record.h"

struct hold {
    const struct tree *tree;
    struct record record;
    struct held_list held; // in the order of their first change
    size_t put_back;       // how many knobs had to be written to restore them
};

// These return 0 if the answer has a value, otherwise a negative errno and an error in the answer.
int hold_get(struct hold *hold, const char *name, struct answer *answer);
int hold_set(struct hold *hold, const char *name, const char *value, struct answer *answer);
int hold_reset(struct hold *hold, const char *name, struct answer *answer);

// Puts everything back, last change first, and calls `failed` for what cannot be; returns how many those are.
size_t hold_restore(struct hold *hold, void (*failed)(const struct answer *answer));
