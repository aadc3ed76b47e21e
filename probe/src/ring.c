// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <errno.h>

#include "memory.h"

int ring_init(struct ring *ring, size_t capacity)
{
    ring->capacity = capacity;
    ring->read_seen = 0;
    atomic_init(&ring->written, 0);
    atomic_init(&ring->read, 0);
    ring->rows = memory_map(capacity * sizeof *ring->rows);
    return ring->rows ? 0 : -errno;
}

void ring_free(struct ring *ring)
{
    memory_unmap(ring->rows, ring->capacity * sizeof *ring->rows);
    ring->rows = NULL;
}

size_t ring_peek(struct ring *ring, const struct sample **first)
{
    size_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    size_t waiting = atomic_load_explicit(&ring->written, memory_order_acquire) - read;
    size_t at = read & (ring->capacity - 1);

    *first = &ring->rows[at];
    return waiting < ring->capacity - at ? waiting : ring->capacity - at;
}

void ring_release(struct ring *ring, size_t n)
{
    atomic_fetch_add_explicit(&ring->read, n, memory_order_release);
}
