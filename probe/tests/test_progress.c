// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include "check.h"

static void quantiles_are_right_to_the_bucket(void)
{
    struct progress *progress = calloc(1, sizeof *progress);

    CHECK(progress);
    for (int64_t value = 1; value <= 100000; value++)
        progress_add(progress, value, 1);
    for (int percent = 1; percent <= 100; percent++) {
        double exact = 1000.0 * percent;
        double found = (double)progress_quantile(progress, percent / 100.0);

        CHECK(found >= exact && found <= exact * 1.016 + 1);
    }
    CHECK(progress->samples == 100000 && progress->max_ns == 100000);
    free(progress);
}

static void any_value_has_a_bucket(void)
{
    struct progress *progress = calloc(1, sizeof *progress);

    CHECK(progress);
    CHECK(progress_quantile(progress, 0.5) == 0);
    progress_add(progress, INT64_MIN, 1);
    CHECK(progress_quantile(progress, 1) == 0);
    for (int shift = 0; shift < 63; shift++) {
        progress_add(progress, (int64_t)1 << shift, 1);
        CHECK(progress_quantile(progress, 1) == (int64_t)1 << shift);
    }
    progress_add(progress, INT64_MAX, 1);
    CHECK(progress_quantile(progress, 1) == INT64_MAX);
    free(progress);
}

int main(void)
{
    quantiles_are_right_to_the_bucket();
    any_value_has_a_bucket();
    return 0;
}
