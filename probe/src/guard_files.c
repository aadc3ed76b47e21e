// SPDX-License-Identifier: Apache-2.0
#include "guard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int tree_path(const struct tree *tree, const char *path, char full[GUARD_PATH])
{
    int length = snprintf(full, GUARD_PATH, "%s%s", tree->root, path);
    return length < GUARD_PATH ? 0 : -ENAMETOOLONG;
}

static int tree_open(const struct tree *tree, const char *path, int flags)
{
    char full[GUARD_PATH];
    int error = tree_path(tree, path, full);
    if (error)
        return error;
    int fd = open(full, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd < 0 ? -errno : fd;
}

int tree_read(const struct tree *tree, const char *path, char *text, size_t size)
{
    int fd = tree_open(tree, path, O_RDONLY);
    if (fd < 0)
        return fd;
    size_t length = 0;
    ssize_t got = 0;
    while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    int error = got < 0 ? -errno : 0;
    close(fd);
    if (!error && memchr(text, '\0', length))
        error = -EILSEQ;
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    text[length] = '\0';
    return error;
}

// One write call, because the kernel takes one write to such a file as one setting.
int tree_write(const struct tree *tree, const char *path, const char *text)
{
    char line[GUARD_TEXT];
    int length = snprintf(line, sizeof line, "%s\n", text);
    if (length >= (int)sizeof line)
        return -E2BIG;
    int fd = tree_open(tree, path, O_WRONLY);
    if (fd < 0)
        return fd;
    ssize_t written = write(fd, line, (size_t)length);
    int error = written == length ? 0 : written < 0 ? -errno : -EIO;
    if (tree->plain && !error && ftruncate(fd, length))
        error = -errno;
    if (close(fd) && !error)
        error = -errno;
    return error;
}

bool tree_has(const struct tree *tree, const char *path)
{
    char full[GUARD_PATH];
    return !tree_path(tree, path, full) && access(full, F_OK) == 0;
}

int tree_may_write(const struct tree *tree, const char *path)
{
    char full[GUARD_PATH];
    int error = tree_path(tree, path, full);
    return error ? error : faccessat(AT_FDCWD, full, W_OK, AT_EACCESS) ? -errno : 0;
}
