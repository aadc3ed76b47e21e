// SPDX-License-Identifier: Apache-2.0
// The knobs that were changed, in the order of their first change, with what they were before.
#pragma once

#include "guard_knobs.h"

struct held {
    char name[KNOB_NAME];
    char *original;
    bool recorded;
};

struct held_list {
    struct held *items;
    size_t count;
};

// 0, or -ENOMEM.
int held_add(struct held_list *list, const char *name, const char *original);
const struct held *held_find(const struct held_list *list, const char *name);
void held_drop(struct held_list *list, size_t index);
void held_free(struct held_list *list);
