// SPDX-License-Identifier: Apache-2.0
// A bounded queue of samples from one measuring thread to one writing thread, without locks. When it is full
// the sample is refused; the measuring thread never waits.
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "sample.h"

struct ring {
    struct sample *rows;
    size_t capacity; // a power of two
    alignas(64) atomic_size_t written;
    size_t read_seen; // the writer's last look at `read`: it looks again only when the ring seems full
    alignas(64) atomic_size_t read;
};

int ring_init(struct ring *ring, size_t capacity);
void ring_free(struct ring *ring);

static inline bool ring_push(struct ring *ring, struct sample sample)
{
    size_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);

    if (written - ring->read_seen == ring->capacity) {
        ring->read_seen = atomic_load_explicit(&ring->read, memory_order_acquire);
        if (written - ring->read_seen == ring->capacity)
            return false;
    }
    ring->rows[written & (ring->capacity - 1)] = sample;
    atomic_store_explicit(&ring->written, written + 1, memory_order_release);
    return true;
}

// How many samples lie one after the other at `*first`, and may be read until they are released.
size_t ring_peek(struct ring *ring, const struct sample **first);
void ring_release(struct ring *ring, size_t n);
