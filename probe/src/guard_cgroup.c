// SPDX-License-Identifier: Apache-2.0
#include "guard_cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ANCESTORS 64
#define REMOVE_TRIES 100

static int create_empty(const char *folder, const char *name)
{
    char full[2 * GUARD_PATH];
    snprintf(full, sizeof full, "%s%s", folder, name);
    int fd = open(full, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return fd < 0 ? -errno : close(fd);
}

int cgroup_make(const struct tree *tree, const char *base, const char *group, const char *const files[],
                int count)
{
    char path[GUARD_PATH], full[GUARD_PATH];
    snprintf(path, sizeof path, "%s%s", base, group);
    int error = tree_path(tree, path, full);
    if (!error && mkdir(full, 0755))
        error = -errno;
    for (int i = 0; i < count && tree->plain && !error; i++)
        error = create_empty(full, files[i]);
    return error;
}

static void remove_plain_files(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
}

static bool move_task(int destination, long task)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", task);
    return write(destination, text, (size_t)length) == length;
}

// The parent's id follows the state, which follows the name in parentheses (man 5 proc, /proc/PID/stat).
static long find_parent(long task)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", task);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return end && strlen(end) > 4 ? strtol(end + 4, NULL, 10) : 0;
}

static int find_ancestors(long ancestors[ANCESTORS])
{
    int count = 0;
    for (long task = getpid(); task > 1 && count < ANCESTORS; task = find_parent(task))
        ancestors[count++] = task;
    return count;
}

struct choice {
    long kept[ANCESTORS];
    int count;
    const cpu_set_t *cpus;
};

static bool is_to_move(long task, const struct choice *choice)
{
    cpu_set_t allowed, inside;
    for (int i = 0; i < choice->count; i++)
        if (choice->kept[i] == task)
            return false;
    if (sched_getaffinity((pid_t)task, sizeof allowed, &allowed))
        return false;
    CPU_AND(&inside, &allowed, choice->cpus);
    return CPU_COUNT(&inside) > 0 && !CPU_EQUAL(&inside, &allowed);
}

// Moves all tasks, or those of a choice. A task that cannot go (bound by the kernel, or just ended) stays.
static int move_tasks(const struct tree *tree, const char *from, const char *to, const struct choice *choice)
{
    char source[GUARD_PATH], destination[GUARD_PATH];
    int error = tree_path(tree, from, source);
    if (!error)
        error = tree_path(tree, to, destination);
    FILE *tasks = error ? NULL : fopen(source, "re");
    int fd = tasks ? open(destination, O_WRONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        error = -errno;
    char line[32];
    while (!error && fgets(line, sizeof line, tasks)) {
        long task = strtol(line, NULL, 10);
        if (!choice || is_to_move(task, choice))
            move_task(fd, task);
    }
    if (fd >= 0)
        close(fd);
    if (tasks)
        fclose(tasks);
    return error;
}

int cgroup_move_others(const struct tree *tree, const char *from, const char *to, const cpu_set_t *cpus)
{
    struct choice choice = {.cpus = cpus};
    choice.count = find_ancestors(choice.kept);
    int error = move_tasks(tree, from, to, &choice);
    return error ? error : move_tasks(tree, from, to, &choice); // those forked meanwhile
}

int cgroup_remove(const struct tree *tree, const char *base, const char *group, const char *tasks)
{
    char path[GUARD_PATH], full[GUARD_PATH], from[GUARD_PATH], to[GUARD_PATH];
    snprintf(path, sizeof path, "%s%s", base, group);
    snprintf(from, sizeof from, "%s%s%s", base, group, tasks);
    snprintf(to, sizeof to, "%s%s", base, tasks);
    int error = tree_path(tree, path, full);
    for (int attempt = 0; !error && attempt < REMOVE_TRIES; attempt++) {
        if (tree->plain)
            remove_plain_files(full);
        else
            move_tasks(tree, from, to, NULL);
        if (rmdir(full) == 0 || errno == ENOENT)
            return 0;
        if (errno != EBUSY)
            return -errno;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); // tasks that are just exiting
    }
    return error ? error : -EBUSY;
}

int cgroup_list_controller(const struct tree *tree, const char *path, const char *name, bool on)
{
    char words[GUARD_TEXT], list[GUARD_TEXT] = "", *rest = NULL;
    int error = tree_read(tree, path, words, sizeof words / 2);
    if (error)
        return error;
    size_t length = 0;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, name) != 0)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? " " : "", word);
    if (on)
        snprintf(list + length, sizeof list - length, "%s%s", length ? " " : "", name);
    return tree_write(tree, path, list);
}
