// SPDX-License-Identifier: Apache-2.0
#include "worst.h"

#include <errno.h>
#include <stdlib.h>

#include "memory.h"

int worst_init(struct worst *worst, size_t capacity)
{
    *worst = (struct worst){.capacity = capacity};
    worst->rows = memory_map(capacity * sizeof *worst->rows);
    return worst->rows ? 0 : -errno;
}

void worst_free(struct worst *worst)
{
    memory_unmap(worst->rows, worst->capacity * sizeof *worst->rows);
    *worst = (struct worst){0};
}

static void rise(struct sample *rows, size_t at, struct sample sample)
{
    while (at > 0 && sample.latency < rows[(at - 1) / 2].latency) {
        rows[at] = rows[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    rows[at] = sample;
}

static void sink(struct sample *rows, size_t n, struct sample sample)
{
    size_t at = 0;
    size_t child;

    for (; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && rows[child + 1].latency < rows[child].latency)
            child++;
        if (sample.latency <= rows[child].latency)
            break;
        rows[at] = rows[child];
    }
    rows[at] = sample;
}

void worst_insert(struct worst *worst, struct sample sample)
{
    if (worst->used < worst->capacity)
        rise(worst->rows, worst->used++, sample);
    else
        sink(worst->rows, worst->used, sample);
}

static int compare_periods(const void *a, const void *b)
{
    uint32_t left = ((const struct sample *)a)->period;
    uint32_t right = ((const struct sample *)b)->period;

    return (left > right) - (left < right);
}

void worst_sort(struct worst *worst)
{
    qsort(worst->rows, worst->used, sizeof *worst->rows, compare_periods);
}
