// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <pthread.h>

#include "check.h"

#define CAPACITY 64
#define SAMPLES 200000

static void a_full_ring_refuses(void)
{
    struct ring ring;
    const struct sample *rows;

    CHECK(ring_init(&ring, 4) == 0);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(ring_push(&ring, (struct sample){.period = i}));
    CHECK(!ring_push(&ring, (struct sample){.period = 4}));
    CHECK(ring_peek(&ring, &rows) == 4 && rows[0].period == 0);
    ring_release(&ring, 3);
    CHECK(ring_push(&ring, (struct sample){.period = 5}));
    CHECK(ring_peek(&ring, &rows) == 1 && rows[0].period == 3);
    ring_release(&ring, 1);
    CHECK(ring_peek(&ring, &rows) == 1 && rows[0].period == 5);
    ring_free(&ring);
}

static void *push_all(void *argument)
{
    struct ring *ring = argument;
    size_t *refused = calloc(1, sizeof *refused);

    CHECK(refused);
    for (uint32_t i = 0; i < SAMPLES; i++)
        if (!ring_push(ring, (struct sample){.period = i, .latency = -(int64_t)i}))
            ++*refused;
    return refused;
}

// What was refused and what came through together are what was pushed, whole and in order.
static void nothing_is_torn_between_threads(void)
{
    struct ring ring;
    pthread_t thread;
    size_t *refused;
    size_t received = 0;
    int64_t last = -1;
    void *result = NULL;
    bool ended = false;

    CHECK(ring_init(&ring, CAPACITY) == 0);
    CHECK(pthread_create(&thread, NULL, push_all, &ring) == 0);
    for (;;) {
        const struct sample *rows;
        size_t n = ring_peek(&ring, &rows);

        for (size_t i = 0; i < n; i++) {
            CHECK((int64_t)rows[i].period > last);
            CHECK(rows[i].latency == -(int64_t)rows[i].period);
            last = rows[i].period;
        }
        ring_release(&ring, n);
        received += n;
        if (n == 0 && ended)
            break;
        ended = ended || pthread_tryjoin_np(thread, &result) == 0;
    }
    refused = result;
    CHECK(received + *refused == SAMPLES);
    free(refused);
    ring_free(&ring);
}

int main(void)
{
    a_full_ring_refuses();
    nothing_is_torn_between_threads();
    return 0;
}
