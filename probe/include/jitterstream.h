// SPDX-License-Identifier: Apache-2.0
// libjitterstream: record samples from a program under test, in the stream format of docs/stream-format.md.
//
// A program describes its tables and sources once, writes the head, fills prefaulted buffers while it
// measures, and writes rows and tail afterwards. Functions return 0 or a negative errno; nothing here prints
// or exits.
#ifndef JITTERSTREAM_H
#define JITTERSTREAM_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bits of the column `flags`.
#define JITTERSTREAM_WARMUP 1U
#define JITTERSTREAM_BROKE_LIMIT 2U

// One column of a table: type is u8…u64, i8…i64, f32 or f64; unit is tick, ns, byte or 1.
struct jitterstream_column {
    const char *name;
    const char *type;
    const char *unit;
};

struct jitterstream_table {
    const char *name;
    const struct jitterstream_column *columns;
    size_t n_columns;
};

// What a column in ticks is counted in, with the measured resolution and median cost of one reading.
struct jitterstream_clock {
    const char *name;
    int64_t tick_hz;
    double resolution_ns;
    double overhead_ns;
};

// Where rows come from: a thread, a connection. `effective` is the text of a JSON object, or NULL.
struct jitterstream_source {
    const char *name;
    int64_t start_ns;
    int64_t interval_ns;
    const char *effective;
};

// `settings` is the text of a JSON object, or NULL.
struct jitterstream_head {
    const char *producer;
    const char *workload;
    struct jitterstream_clock clock;
    const struct jitterstream_table *tables;
    size_t n_tables;
    const struct jitterstream_source *sources;
    size_t n_sources;
    const char *settings;
};

// `sources` are the texts of JSON objects, one per source of the head; `error` and `not_available` may be
// NULL.
struct jitterstream_tail {
    const char *end;
    const char *error;
    int64_t clock_drift_ns;
    int64_t duration_ns;
    const char *const *sources;
    size_t n_sources;
    const char *not_available;
};

struct jitterstream {
    int fd;
};

// Create the file, or take standard output for "-".
int jitterstream_open(struct jitterstream *stream, const char *path);
int jitterstream_write_head(struct jitterstream *stream, const struct jitterstream_head *head);
// Write whole rows of one table from one source, in as many frames as they need; a row has at most 1 MiB.
int jitterstream_write_rows(struct jitterstream *stream, uint16_t table, uint16_t source, const void *rows,
                            size_t width, size_t n);
int jitterstream_write_tail(struct jitterstream *stream, const struct jitterstream_tail *tail);
// Close the file; the error of a write that the system had put off appears here.
int jitterstream_close(struct jitterstream *stream);

// Describe CLOCK_MONOTONIC: measures its resolution and its overhead (takes a few milliseconds).
void jitterstream_clock_monotonic(struct jitterstream_clock *clock);

static inline int64_t jitterstream_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Rows in memory whose pages are all there before the first row is added.
struct jitterstream_buffer {
    unsigned char *rows;
    size_t width;
    size_t capacity;
    size_t used;
    uint64_t lost;
};

int jitterstream_buffer_init(struct jitterstream_buffer *buffer, size_t width, size_t capacity);
void jitterstream_buffer_free(struct jitterstream_buffer *buffer);

// Where the next row goes; NULL if the buffer is full, and then the row counts as lost.
static inline void *jitterstream_buffer_next(struct jitterstream_buffer *buffer)
{
    if (buffer->used == buffer->capacity) {
        buffer->lost++;
        return NULL;
    }
    return buffer->rows + buffer->width * buffer->used++;
}

#ifdef __cplusplus
}
#endif

#endif
