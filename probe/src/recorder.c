// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include <errno.h>

#include "memory.h"

uint64_t recorder_bytes(const struct options *options)
{
    switch (options->record) {
    case RECORD_RAW:
        return options_periods(options) * sizeof(struct sample);
    case RECORD_RING:
        return options->ring * sizeof(struct sample);
    default:
        return COUNTS_DENSE * sizeof(atomic_uint) + COUNTS_SLOTS * sizeof(struct counts_slot) +
               options->worst * sizeof(struct sample);
    }
}

int recorder_init(struct recorder *recorder, const struct options *options)
{
    int error;

    recorder->kind = (enum record_kind)options->record;
    recorder->lost = 0;
    switch (recorder->kind) {
    case RECORD_RAW:
        recorder->capacity = (size_t)options_periods(options);
        atomic_init(&recorder->used, 0);
        recorder->rows = memory_map(recorder->capacity * sizeof *recorder->rows);
        return recorder->rows ? 0 : -errno;
    case RECORD_RING:
        return ring_init(&recorder->ring, (size_t)options->ring);
    case RECORD_COUNTS:
        error = counts_init(&recorder->counts);
        return error ? error : worst_init(&recorder->worst, (size_t)options->worst);
    }
    return -EINVAL;
}

void recorder_free(struct recorder *recorder)
{
    switch (recorder->kind) {
    case RECORD_RAW:
        memory_unmap(recorder->rows, recorder->capacity * sizeof *recorder->rows);
        break;
    case RECORD_RING:
        ring_free(&recorder->ring);
        break;
    case RECORD_COUNTS:
        counts_free(&recorder->counts);
        worst_free(&recorder->worst);
        break;
    }
}
