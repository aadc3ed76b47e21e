// SPDX-License-Identifier: Apache-2.0
#include "guard_record.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/run/jitterlab"
#define HEADER "jitterlab-guard 1"

static int take_lock(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int error = -errno;
    close(fd);
    return error;
}

// The lock belongs to the machine, wherever the record is; who may not write there locks the record instead.
static int lock_machine(struct record *record, const char *record_path)
{
    char folder[GUARD_PATH], path[GUARD_PATH + 8];
    int error = tree_path(record->tree, FOLDER, folder);
    if (error)
        return error;
    char *slash = strrchr(folder, '/');
    *slash = '\0';
    mkdir(folder, 0755);
    *slash = '/';
    mkdir(folder, 0755);
    snprintf(path, sizeof path, "%s/lock", folder);
    int fd = take_lock(path);
    if (fd >= 0 || fd == -EWOULDBLOCK || !record_path)
        return fd;
    snprintf(path, sizeof path, "%s.lock", record_path);
    return take_lock(path);
}

static int name_record(struct record *record, const struct tree *tree, const char *path)
{
    *record = (struct record){.tree = tree, .lock = -1, .fd = -1};
    if (tree_read(tree, "/proc/sys/kernel/random/boot_id", record->boot, sizeof record->boot))
        snprintf(record->boot, sizeof record->boot, "-");
    if (!path)
        return tree_path(tree, FOLDER "/guard.record", record->path);
    int length = snprintf(record->path, sizeof record->path, "%s", path);
    return (size_t)length < sizeof record->path ? 0 : -ENAMETOOLONG;
}

int record_open(struct record *record, const struct tree *tree, const char *path)
{
    int error = name_record(record, tree, path);
    if (error)
        return error;
    int lock = lock_machine(record, path);
    if (lock == -EWOULDBLOCK)
        return lock;
    record->usable = lock >= 0;
    record->lock = lock;
    return 0;
}

int record_look(struct record *record, const struct tree *tree, const char *path)
{
    static const char *const folders[] = {FOLDER, "/run", "/"};
    int error = name_record(record, tree, path);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !error; i++) {
        if (!tree_has(tree, folders[i]))
            continue;
        record->usable = tree_may_write(tree, folders[i]) == 0;
        break;
    }
    return error;
}

static int sync_folder(const struct record *record)
{
    char path[GUARD_PATH];
    snprintf(path, sizeof path, "%s", record->path);
    int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = fsync(fd) ? -errno : 0;
    close(fd);
    return error;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

static int begin_file(struct record *record, const char *path)
{
    char header[128];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int length = snprintf(header, sizeof header, HEADER " %s\n", record->boot);
    int error = write_all(fd, header, (size_t)length);
    if (!error)
        return fd;
    close(fd);
    return error;
}

static int append_line(int fd, const char *name, const char *original)
{
    char line[KNOB_NAME + KNOB_VALUE + 2];
    int length = snprintf(line, sizeof line, "%s %s\n", name, original);
    return write_all(fd, line, (size_t)length);
}

int record_append(struct record *record, const char *name, const char *original)
{
    if (!record->usable)
        return -EACCES;
    if (record->fd < 0)
        record->fd = begin_file(record, record->path);
    if (record->fd < 0)
        return record->fd;
    off_t end = lseek(record->fd, 0, SEEK_CUR);
    int error = append_line(record->fd, name, original);
    record->unflushed = true;
    if (error && (ftruncate(record->fd, end) || lseek(record->fd, end, SEEK_SET) < 0))
        error = -EIO;
    return error;
}

int record_flush(struct record *record)
{
    if (!record->unflushed)
        return 0;
    int error = fsync(record->fd) ? -errno : sync_folder(record);
    record->unflushed = error != 0;
    return error;
}

// A line without its end was cut by death: what it announces was never done.
static int parse_record(const struct record *record, char *text, struct held_list *list)
{
    char header[128];
    snprintf(header, sizeof header, HEADER " %s", record->boot);
    char *line = text, *end = strchr(text, '\n');
    if (!end)
        return 0;
    *end = '\0';
    if (strncmp(line, HEADER " ", strlen(HEADER " ")) != 0)
        return -EILSEQ;
    if (strcmp(line, header) != 0)
        return 0; // written before the last boot, which has undone everything
    for (line = end + 1; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char *blank = strchr(line, ' ');
        if (!blank || blank == line || blank - line >= KNOB_NAME || strlen(blank + 1) >= KNOB_VALUE)
            return -EILSEQ;
        *blank = '\0';
        int error = held_find(list, line) ? 0 : held_add(list, line, blank + 1);
        if (error)
            return error;
        list->items[list->count - 1].recorded = true;
    }
    return 0;
}

static int read_whole(int fd, char **text)
{
    struct stat status;
    if (fstat(fd, &status))
        return -errno;
    if (status.st_uid != geteuid() || !S_ISREG(status.st_mode))
        return -EPERM;
    size_t size = (size_t)status.st_size, length = 0;
    *text = calloc(size + 1, 1);
    if (!*text)
        return -ENOMEM;
    ssize_t got = 0;
    while (length < size && (got = read(fd, *text + length, size - length)) > 0)
        length += (size_t)got;
    return got < 0 ? -errno : memchr(*text, '\0', length) ? -EILSEQ : 0;
}

int record_load(struct record *record, struct held_list *list)
{
    int fd = open(record->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    char *text = NULL;
    int error = read_whole(fd, &text);
    if (!error && text)
        error = parse_record(record, text, list);
    free(text);
    close(fd);
    return error;
}

int record_replace(struct record *record, const struct held_list *list)
{
    char next[GUARD_PATH + 8];
    size_t recorded = 0;
    for (size_t i = 0; i < list->count; i++)
        recorded += list->items[i].recorded;
    if (record->fd >= 0)
        close(record->fd);
    record->fd = -1;
    if (!recorded)
        return unlink(record->path) && errno != ENOENT ? -errno : 0;
    snprintf(next, sizeof next, "%s.new", record->path);
    int fd = begin_file(record, next), error = fd < 0 ? fd : 0;
    for (size_t i = 0; i < list->count && !error; i++)
        if (list->items[i].recorded)
            error = append_line(fd, list->items[i].name, list->items[i].original);
    if (!error && (fsync(fd) || rename(next, record->path)))
        error = -errno;
    if (!error)
        record->fd = fd;
    else if (fd >= 0)
        close(fd);
    return error ? error : sync_folder(record);
}

void record_close(struct record *record)
{
    if (record->fd >= 0)
        close(record->fd);
    if (record->lock >= 0)
        close(record->lock);
    record->fd = record->lock = -1;
}
