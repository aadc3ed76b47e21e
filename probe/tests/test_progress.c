// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include "check.h"

static void quantiles_are_right_to_the_bucket(void)
{
    struct progress *odd = calloc(1, sizeof *odd);
    struct progress *even = calloc(1, sizeof *even);
    struct progress_sum *sum = calloc(1, sizeof *sum);

    CHECK(odd && even && sum);
    for (int64_t value = 1; value <= 100000; value++)
        progress_add(value % 2 ? odd : even, value);
    progress_sum_add(sum, odd);
    progress_sum_add(sum, even);
    for (int percent = 1; percent <= 100; percent++) {
        double exact = 1000.0 * percent;
        double found = (double)progress_quantile(sum, percent / 100.0);

        CHECK(found >= exact && found <= exact * 1.016 + 1);
    }
    CHECK(sum->samples == 100000 && sum->max_ns == 100000);
    free(odd);
    free(even);
    free(sum);
}

static int64_t largest(const struct progress *progress)
{
    struct progress_sum *sum = calloc(1, sizeof *sum);
    int64_t found;

    CHECK(sum);
    progress_sum_add(sum, progress);
    found = progress_quantile(sum, 1);
    free(sum);
    return found;
}

static void any_value_has_a_bucket(void)
{
    struct progress *progress = calloc(1, sizeof *progress);

    CHECK(progress);
    CHECK(largest(progress) == 0);
    progress_add(progress, INT64_MIN);
    CHECK(largest(progress) == 0);
    for (int shift = 0; shift < 63; shift++) {
        progress_add(progress, (int64_t)1 << shift);
        CHECK(largest(progress) == (int64_t)1 << shift);
    }
    progress_add(progress, INT64_MAX);
    CHECK(largest(progress) == INT64_MAX);
    free(progress);
}

int main(void)
{
    quantiles_are_right_to_the_bucket();
    any_value_has_a_bucket();
    return 0;
}
