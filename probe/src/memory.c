// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "jitterstream.h"

void *memory_map(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    // MAP_POPULATE may map what it cannot fill: writing settles it.
    memset(memory, 0, bytes);
    return memory;
}

void memory_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

uint64_t memory_available(void)
{
    static const char key[] = "MemAvailable:";
    FILE *file = fopen("/proc/meminfo", "re");
    uint64_t bytes = UINT64_MAX;
    char line[128];

    if (!file)
        return bytes;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            bytes = strtoull(line + strlen(key), NULL, 10) * 1024;
    fclose(file);
    return bytes;
}

int jitterstream_buffer_init(struct jitterstream_buffer *buffer, size_t width, size_t capacity)
{
    size_t bytes;

    *buffer = (struct jitterstream_buffer){.width = width, .capacity = capacity};
    if (__builtin_mul_overflow(width, capacity, &bytes))
        return -ENOMEM;
    buffer->rows = memory_map(bytes ? bytes : 1);
    return buffer->rows ? 0 : -errno;
}

void jitterstream_buffer_free(struct jitterstream_buffer *buffer)
{
    size_t bytes = buffer->width * buffer->capacity;

    memory_unmap(buffer->rows, bytes ? bytes : 1);
    *buffer = (struct jitterstream_buffer){0};
}
