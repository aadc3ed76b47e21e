// SPDX-License-Identifier: Apache-2.0
// The largest samples seen: a heap with the smallest of them on top.
#pragma once

#include <stddef.h>

#include "sample.h"

struct worst {
    struct sample *rows;
    size_t capacity;
    size_t used;
};

int worst_init(struct worst *worst, size_t capacity);
void worst_free(struct worst *worst);
void worst_insert(struct worst *worst, struct sample sample);
// In order of time; nothing may be added afterwards.
void worst_sort(struct worst *worst);

static inline void worst_add(struct worst *worst, struct sample sample)
{
    if (worst->used < worst->capacity || sample.latency > worst->rows[0].latency)
        worst_insert(worst, sample);
}
