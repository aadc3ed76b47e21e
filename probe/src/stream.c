// SPDX-License-Identifier: Apache-2.0
#include "jitterstream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "crc32.h"
#include "text.h"

// A frame may hold 16 MiB; smaller ones lose less of their protection when a stream is cut.
#define FRAME_BYTES ((size_t)1 << 20)

struct frame {
    char kind[4];
    uint32_t length;
    uint32_t crc;
    uint16_t table;
    uint16_t source;
};

_Static_assert(sizeof(struct frame) == 16, "frame headers are 16 bytes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "streams are written as the machine holds them");

static int write_all(int fd, struct iovec *parts, int n)
{
    while (n > 0) {
        ssize_t written = writev(fd, parts, n);

        if (written < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        while (n > 0 && (size_t)written >= parts->iov_len) {
            written -= (ssize_t)parts->iov_len;
            parts++;
            n--;
        }
        if (n > 0) {
            parts->iov_base = (char *)parts->iov_base + written;
            parts->iov_len -= (size_t)written;
        }
    }
    return 0;
}

static int write_frame(int fd, const char *kind, uint16_t table, uint16_t source, const void *payload,
                       size_t length)
{
    struct frame frame = {
        .length = (uint32_t)length,
        .crc = crc32_of(payload, length),
        .table = table,
        .source = source,
    };
    struct iovec parts[2] = {{&frame, sizeof frame}, {(void *)payload, length}};

    memcpy(frame.kind, kind, sizeof frame.kind);
    return write_all(fd, parts, 2);
}

static int write_text(int fd, const char *kind, struct text *text)
{
    int error = text_error(text);

    if (!error)
        error = write_frame(fd, kind, 0, 0, text->data, text->length);
    text_free(text);
    return error;
}

int jitterstream_open(struct jitterstream *stream, const char *path)
{
    if (strcmp(path, "-") == 0) {
        stream->fd = STDOUT_FILENO;
        return 0;
    }
    stream->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return stream->fd < 0 ? -errno : 0;
}

static void add_table(struct text *text, const struct jitterstream_table *table)
{
    text_add(text, "{");
    text_add_field(text, "name", table->name);
    text_add_key(text, "columns");
    text_add(text, "[");
    for (size_t i = 0; i < table->n_columns; i++) {
        text_add(text, i ? ",{" : "{");
        text_add_field(text, "name", table->columns[i].name);
        text_add_field(text, "type", table->columns[i].type);
        text_add_field(text, "unit", table->columns[i].unit);
        text_add(text, "}");
    }
    text_add(text, "]}");
}

static void add_source(struct text *text, const struct jitterstream_source *source)
{
    text_add(text, "{");
    text_add_field(text, "name", source->name);
    text_add_int(text, "start_ns", source->start_ns);
    if (source->interval_ns)
        text_add_int(text, "interval_ns", source->interval_ns);
    text_add_key(text, "effective");
    text_add(text, "%s}", source->effective ? source->effective : "{}");
}

static int64_t realtime_offset_ns(void)
{
    struct timespec realtime;

    clock_gettime(CLOCK_REALTIME, &realtime);
    return (int64_t)realtime.tv_sec * 1000000000 + realtime.tv_nsec - jitterstream_now_ns();
}

int jitterstream_write_head(struct jitterstream *stream, const struct jitterstream_head *head)
{
    struct text text = {0};

    text_add(&text, "{");
    text_add_field(&text, "format", "jitterlab-stream");
    text_add_int(&text, "version", 1);
    text_add_field(&text, "producer", head->producer);
    text_add_field(&text, "workload", head->workload);
    text_add_key(&text, "clock");
    text_add(&text, "{");
    text_add_field(&text, "name", head->clock.name);
    text_add_int(&text, "tick_hz", head->clock.tick_hz);
    text_add_number(&text, "resolution_ns", head->clock.resolution_ns);
    text_add_number(&text, "overhead_ns", head->clock.overhead_ns);
    text_add(&text, "}");
    text_add_int(&text, "realtime_offset_ns", realtime_offset_ns());
    text_add_key(&text, "tables");
    text_add(&text, "[");
    for (size_t i = 0; i < head->n_tables; i++) {
        text_add(&text, i ? "," : "");
        add_table(&text, &head->tables[i]);
    }
    text_add(&text, "]");
    text_add_key(&text, "sources");
    text_add(&text, "[");
    for (size_t i = 0; i < head->n_sources; i++) {
        text_add(&text, i ? "," : "");
        add_source(&text, &head->sources[i]);
    }
    text_add(&text, "]");
    text_add_key(&text, "settings");
    text_add(&text, "%s}", head->settings ? head->settings : "{}");
    return write_text(stream->fd, "HEAD", &text);
}

int jitterstream_write_rows(struct jitterstream *stream, uint16_t table, uint16_t source, const void *rows,
                            size_t width, size_t n)
{
    const unsigned char *at = rows;
    size_t per_frame = width ? FRAME_BYTES / width : 0;

    if (!per_frame)
        return -EINVAL;
    while (n > 0) {
        size_t count = n < per_frame ? n : per_frame;
        int error = write_frame(stream->fd, "ROWS", table, source, at, count * width);

        if (error)
            return error;
        at += count * width;
        n -= count;
    }
    return 0;
}

int jitterstream_write_tail(struct jitterstream *stream, const struct jitterstream_tail *tail)
{
    struct text text = {0};

    text_add(&text, "{");
    text_add_field(&text, "end", tail->end);
    if (tail->error)
        text_add_field(&text, "error", tail->error);
    text_add_int(&text, "clock_drift_ns", tail->clock_drift_ns);
    text_add_int(&text, "duration_ns", tail->duration_ns);
    text_add_key(&text, "sources");
    text_add(&text, "[");
    for (size_t i = 0; i < tail->n_sources; i++)
        text_add(&text, "%s%s", i ? "," : "", tail->sources[i]);
    text_add(&text, "]");
    text_add_key(&text, "not_available");
    text_add(&text, "%s}", tail->not_available ? tail->not_available : "{}");
    return write_text(stream->fd, "TAIL", &text);
}

int jitterstream_close(struct jitterstream *stream)
{
    int fd = stream->fd;

    stream->fd = -1;
    return fd >= 0 && close(fd) < 0 ? -errno : 0;
}
