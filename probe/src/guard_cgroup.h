// SPDX-License-Identifier: Apache-2.0
// Control groups: making and removing one, and moving tasks between them.
#pragma once

#include "guard_files.h"

#include <sched.h>

// All of these return 0 or a negative errno. `files` are those that the kernel puts into a new group.
int cgroup_make(const struct tree *tree, const char *base, const char *group, const char *const files[],
                int count);
// Moves the tasks of a group to its parent and removes it; it need not be there.
int cgroup_remove(const struct tree *tree, const char *base, const char *group, const char *tasks);
// Moves the tasks that may run on some of these CPUs and on others too, but for the guard and its ancestors
// (the laboratory). Who is bound to CPUs already is not disturbed by the move, and need not go.
int cgroup_move_others(const struct tree *tree, const char *from, const char *to, const cpu_set_t *cpus);
// Changes the list of controllers of a tree of plain files as the kernel would.
int cgroup_list_controller(const struct tree *tree, const char *path, const char *name, bool on);
