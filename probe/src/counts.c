// SPDX-License-Identifier: Apache-2.0
#include "counts.h"

#include <errno.h>
#include <stdlib.h>

#include "memory.h"

#define DENSE_BYTES (COUNTS_DENSE * sizeof(atomic_uint))
#define SLOTS_BYTES (COUNTS_SLOTS * sizeof(struct counts_slot))

int counts_init(struct counts *counts)
{
    counts->dense = memory_map(DENSE_BYTES);
    if (!counts->dense)
        return -errno;
    counts->slots = memory_map(SLOTS_BYTES);
    if (!counts->slots)
        return -errno;
    return 0;
}

void counts_free(struct counts *counts)
{
    memory_unmap(counts->dense, DENSE_BYTES);
    memory_unmap(counts->slots, SLOTS_BYTES);
    *counts = (struct counts){0};
}

bool counts_add_sparse(struct counts *counts, int64_t value)
{
    // Multiplicative hashing (Knuth, TAOCP 3, 6.4): the upper bits are the well mixed ones.
    size_t at = (size_t)(((uint64_t)value * 0x9E3779B97F4A7C15U) >> 48);

    for (int probe = 0; probe < COUNTS_PROBES; probe++, at = (at + 1) % COUNTS_SLOTS) {
        struct counts_slot *slot = &counts->slots[at];
        uint64_t count = atomic_load_explicit(&slot->count, memory_order_relaxed);

        if (count == 0)
            slot->value = value;
        if (count == 0 || slot->value == value) {
            atomic_store_explicit(&slot->count, count + 1, memory_order_release);
            return true;
        }
    }
    return false;
}

static int compare_rows(const void *a, const void *b)
{
    int64_t left = ((const struct counts_row *)a)->value;
    int64_t right = ((const struct counts_row *)b)->value;

    return (left > right) - (left < right);
}

static size_t distinct(const struct counts *counts)
{
    size_t n = 0;

    for (size_t i = 0; i < COUNTS_DENSE; i++)
        n += atomic_load_explicit(&counts->dense[i], memory_order_relaxed) != 0;
    for (size_t i = 0; i < COUNTS_SLOTS; i++)
        n += atomic_load_explicit(&counts->slots[i].count, memory_order_relaxed) != 0;
    return n;
}

struct counts_row *counts_rows(const struct counts *counts, size_t *n)
{
    size_t capacity = distinct(counts);
    struct counts_row *rows = malloc((capacity ? capacity : 1) * sizeof *rows);

    *n = 0;
    if (!rows)
        return NULL;
    for (size_t i = 0; i < COUNTS_SLOTS && *n < capacity; i++) {
        uint64_t count = atomic_load_explicit(&counts->slots[i].count, memory_order_acquire);

        if (count)
            rows[(*n)++] = (struct counts_row){counts->slots[i].value, count};
    }
    for (size_t i = 0; i < COUNTS_DENSE && *n < capacity; i++) {
        uint64_t count = atomic_load_explicit(&counts->dense[i], memory_order_relaxed);

        if (count)
            rows[(*n)++] = (struct counts_row){(int64_t)i, count};
    }
    qsort(rows, *n, sizeof *rows, compare_rows);
    return rows;
}
