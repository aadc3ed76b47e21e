// SPDX-License-Identifier: Apache-2.0
#include "guard_latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int held = -1;

// The device tells the strictest of all requests: another program's, if that asks for less.
static int read_request(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    (void)tree;
    (void)knob;
    int32_t strictest = 0;
    if (held >= 0 && pread(held, &strictest, sizeof strictest, 0) != (ssize_t)sizeof strictest)
        return -EIO;
    int length = held < 0 ? snprintf(value, size, "none") : snprintf(value, size, "%d", strictest);
    return (size_t)length < size ? 0 : -E2BIG;
}

static int open_device(const struct tree *tree, const char *path)
{
    char full[GUARD_PATH];
    struct stat status;
    int error = tree_path(tree, path, full);
    if (error)
        return error;
    int fd = open(full, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISCHR(status.st_mode))
        return fd;
    close(fd);
    return -ENODEV;
}

static int write_request(const struct tree *tree, const struct knob *knob, const char *value)
{
    if (strcmp(value, "none") == 0) {
        if (held >= 0)
            close(held);
        held = -1;
        return 0;
    }
    int fd = held >= 0 ? held : open_device(tree, knob->path);
    if (fd < 0)
        return fd;
    held = fd;
    int32_t request = (int32_t)strtol(value, NULL, 10);
    return pwrite(fd, &request, sizeof request, 0) == (ssize_t)sizeof request ? 0 : -errno;
}

const struct knob_operations latency_request = {read_request, write_request};
