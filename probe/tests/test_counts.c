// SPDX-License-Identifier: Apache-2.0
#include "counts.h"

#include <string.h>

#include "check.h"

static int64_t random_value(uint64_t *state)
{
    static const int64_t edges[] = {0, -1, COUNTS_DENSE - 1, COUNTS_DENSE, INT64_MAX, INT64_MIN};

    // Knuth's MMIX generator.
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    switch ((*state >> 60) & 3) {
    case 0:
        return edges[(*state >> 40) % 6];
    case 1:
        return (int64_t)(*state >> 40);
    default:
        return (int64_t)((*state >> 40) % 5000);
    }
}

static int compare_values(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static void counts_are_exact(void)
{
    enum { N = 20000 };
    static int64_t values[N];
    struct counts counts;
    struct counts_row *rows;
    uint64_t state = 43434343;
    size_t n;
    size_t at = 0;

    CHECK(counts_init(&counts) == 0);
    for (size_t i = 0; i < N; i++) {
        values[i] = random_value(&state);
        CHECK(counts_add(&counts, values[i]));
    }
    rows = counts_rows(&counts, &n);
    qsort(values, N, sizeof values[0], compare_values);
    for (size_t row = 0; row < n; row++) {
        CHECK(row == 0 || rows[row].value > rows[row - 1].value);
        for (uint64_t i = 0; i < rows[row].count; i++)
            CHECK(values[at++] == rows[row].value);
    }
    CHECK(at == N);
    free(rows);
    counts_free(&counts);
}

static void what_finds_no_room_is_refused(void)
{
    struct counts counts;
    struct counts_row *rows;
    uint64_t kept = 0;
    size_t n;

    CHECK(counts_init(&counts) == 0);
    for (size_t i = 0; i < 2 * COUNTS_SLOTS; i++)
        kept += counts_add(&counts, (int64_t)(COUNTS_DENSE + i));
    CHECK(kept > COUNTS_SLOTS / 2 && kept <= COUNTS_SLOTS);
    rows = counts_rows(&counts, &n);
    CHECK(n == kept);
    free(rows);
    counts_free(&counts);
}

int main(void)
{
    counts_are_exact();
    what_finds_no_room_is_refused();
    return 0;
}
