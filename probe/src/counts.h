// SPDX-License-Identifier: Apache-2.0
// Exact counts of values in constant memory: an array for 0 to 2^20 - 1, a bounded hash table for the rest.
// One thread adds; others may look meanwhile and see each count as it was a moment ago.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTS_DENSE ((size_t)1 << 20)
#define COUNTS_SLOTS ((size_t)1 << 16)
#define COUNTS_PROBES 256

struct counts_slot {
    int64_t value;
    atomic_uint_least64_t count;
};

struct counts {
    atomic_uint *dense;
    struct counts_slot *slots;
};

// A row of the table `counts`.
struct counts_row {
    int64_t value;
    uint64_t count;
};

int counts_init(struct counts *counts);
void counts_free(struct counts *counts);
// Count a value outside of the array; false if there is no room for one more distinct value.
bool counts_add_sparse(struct counts *counts, int64_t value);

static inline bool counts_add(struct counts *counts, int64_t value)
{
    if ((uint64_t)value < COUNTS_DENSE) {
        unsigned int count = atomic_load_explicit(&counts->dense[value], memory_order_relaxed);

        atomic_store_explicit(&counts->dense[value], count + 1, memory_order_relaxed);
        return true;
    }
    return counts_add_sparse(counts, value);
}

// All rows in ascending order of value, to be freed; NULL if there is no memory for them.
struct counts_row *counts_rows(const struct counts *counts, size_t *n);
