// SPDX-License-Identifier: Apache-2.0
// Also the example of how a stack records: describe, fill a buffer, write. `test_stream FILE` leaves the
// stream there.
#include "jitterstream.h"

#include <errno.h>
#include <string.h>

#include "check.h"

struct row {
    uint64_t due;
    int64_t service_time;
};

static const struct jitterstream_column columns[] = {{"due", "u64", "ns"}, {"service_time", "i64", "ns"}};
static const struct jitterstream_table tables[] = {{"samples", columns, 2}};

static void record(const char *path, size_t n)
{
    const struct jitterstream_source source = {.name = "client0", .start_ns = 1000};
    const char *const facts[] = {"{\"name\":\"client0\",\"samples\":3}"};
    struct jitterstream_head head = {
        .producer = "test_stream",
        .workload = "request",
        .tables = tables,
        .n_tables = 1,
        .sources = &source,
        .n_sources = 1,
        .settings = "{\"size\":64}",
    };
    struct jitterstream_buffer buffer;
    struct jitterstream stream;

    CHECK(jitterstream_buffer_init(&buffer, sizeof(struct row), n) == 0);
    for (size_t i = 0; i < n + 2; i++) {
        struct row *row = jitterstream_buffer_next(&buffer);

        if (row)
            *row = (struct row){.due = i * 100, .service_time = -(int64_t)i};
    }
    CHECK(buffer.used == n && buffer.lost == 2);
    jitterstream_clock_monotonic(&head.clock);
    CHECK(head.clock.tick_hz == 1000000000 && head.clock.overhead_ns > 0 && head.clock.resolution_ns > 0);
    CHECK(jitterstream_open(&stream, path) == 0);
    CHECK(jitterstream_write_head(&stream, &head) == 0);
    CHECK(jitterstream_write_rows(&stream, 0, 0, buffer.rows, buffer.width, buffer.used) == 0);
    CHECK(jitterstream_write_tail(&stream, &(struct jitterstream_tail){
                                               .end = "complete", .sources = facts, .n_sources = 1}) == 0);
    CHECK(jitterstream_close(&stream) == 0);
    jitterstream_buffer_free(&buffer);
}

static void errors_are_told(void)
{
    struct jitterstream stream;
    struct jitterstream_buffer buffer;
    const struct jitterstream_tail tail = {.end = "complete"};

    CHECK(jitterstream_open(&stream, "/nowhere/at/all") == -ENOENT);
    CHECK(jitterstream_open(&stream, "/dev/full") == 0);
    CHECK(jitterstream_write_tail(&stream, &tail) == -ENOSPC);
    CHECK(jitterstream_write_rows(&stream, 0, 0, "", 0, 1) == -EINVAL);
    CHECK(jitterstream_write_rows(&stream, 0, 0, "", (size_t)2 << 20, 1) == -EINVAL);
    CHECK(jitterstream_close(&stream) == 0);
    CHECK(jitterstream_write_tail(&stream, &tail) == -EBADF);
    CHECK(jitterstream_buffer_init(&buffer, SIZE_MAX / 2, 3) == -ENOMEM);
}

int main(int argc, char **argv)
{
    record(argc > 1 ? argv[1] : "/dev/null", 3);
    record("/dev/null", 200000);
    errors_are_told();
    return 0;
}
