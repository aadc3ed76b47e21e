// SPDX-License-Identifier: Apache-2.0
#include "worst.h"

#include "check.h"

// Latencies 0 to N - 1 in an order that a multiplier without common divisor gives.
static void the_largest_stay_in_order_of_time(void)
{
    enum { N = 1009, KEPT = 50 };
    struct worst worst;

    CHECK(worst_init(&worst, KEPT) == 0);
    for (uint32_t i = 0; i < N; i++)
        worst_add(&worst, (struct sample){.period = i, .latency = i * 400 % N});
    worst_sort(&worst);
    CHECK(worst.used == KEPT);
    for (size_t i = 0; i < KEPT; i++) {
        CHECK(worst.rows[i].latency >= N - KEPT);
        CHECK(worst.rows[i].latency == worst.rows[i].period * 400 % N);
        CHECK(i == 0 || worst.rows[i].period > worst.rows[i - 1].period);
    }
    worst_free(&worst);
}

static void fewer_samples_than_room(void)
{
    struct worst worst;

    CHECK(worst_init(&worst, 10) == 0);
    worst_add(&worst, (struct sample){.period = 1, .latency = 5});
    worst_add(&worst, (struct sample){.period = 2, .latency = 7});
    worst_sort(&worst);
    CHECK(worst.used == 2 && worst.rows[0].period == 1 && worst.rows[1].latency == 7);
    worst_free(&worst);
}

int main(void)
{
    the_largest_stay_in_order_of_time();
    fewer_samples_than_room();
    return 0;
}
