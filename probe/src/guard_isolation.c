// SPDX-License-Identifier: Apache-2.0
#include "guard_isolation.h"

#include "guard_cgroup.h"
#include "guard_cpus.h"

#include <errno.h>
#include <string.h>

// cgroup v1 has one group for the isolated CPUs and one for the rest, which the tasks of the root move into.
#define V1 "/sys/fs/cgroup/cpuset"
#define V2 "/sys/fs/cgroup"
#define ISOLATED "/jitterlab.isolated"
#define REST "/jitterlab.rest"

static bool is_v1(const struct tree *tree)
{
    return tree_has(tree, V1 "/cpuset.sched_load_balance");
}

static bool lists_cpuset(const struct tree *tree, const char *path)
{
    char words[GUARD_TEXT], *rest = NULL;
    if (tree_read(tree, path, words, sizeof words))
        return false;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, "cpuset") == 0)
            return true;
    return false;
}

const char *isolation_precondition(const struct tree *tree, const char **value)
{
    if (is_v1(tree)) {
        *value = "0";
        return "cpuset_balance";
    }
    *value = "1";
    return lists_cpuset(tree, V2 "/cgroup.controllers") ? "cpuset_delegation" : NULL;
}

static int read_delegation(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    int length = snprintf(value, size, "%d", lists_cpuset(tree, knob->path));
    return (size_t)length < size ? 0 : -E2BIG;
}

static int write_delegation(const struct tree *tree, const struct knob *knob, const char *value)
{
    bool on = strcmp(value, "1") == 0;
    return tree->plain ? cgroup_list_controller(tree, knob->path, "cpuset", on)
                       : tree_write(tree, knob->path, on ? "+cpuset" : "-cpuset");
}

const struct knob_operations cpuset_delegation = {read_delegation, write_delegation};

// A half-built partition (death between two steps) reads as "incomplete", so that it is taken down.
static int read_isolated(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    (void)knob;
    const char *base = is_v1(tree) ? V1 : V2;
    char path[GUARD_PATH], cpus[KNOB_VALUE] = "";
    snprintf(path, sizeof path, "%s" ISOLATED "/cpuset.cpus", base);
    bool there = tree_read(tree, path, cpus, sizeof cpus) == 0;
    snprintf(path, sizeof path, "%s" REST, base);
    bool rest = tree_has(tree, path);
    snprintf(path, sizeof path, "%s" ISOLATED, base);
    const char *state = !there && !rest && !tree_has(tree, path) ? "none" : *cpus ? cpus : "incomplete";
    int length = snprintf(value, size, "%s", state);
    return (size_t)length < size ? 0 : -E2BIG;
}

static int take_down(const struct tree *tree)
{
    if (!is_v1(tree))
        return cgroup_remove(tree, V2, ISOLATED, "/cgroup.procs");
    int error = cgroup_remove(tree, V1, ISOLATED, "/tasks");
    return error ? error : cgroup_remove(tree, V1, REST, "/tasks");
}

static int fill_v1(const struct tree *tree, const char *group, const char *cpus, const char *balance)
{
    char path[GUARD_PATH], memory[GUARD_TEXT];
    const char *files[] = {"/cpuset.cpus", "/cpuset.mems", "/cpuset.cpu_exclusive",
                           "/cpuset.sched_load_balance"};
    int error = tree_read(tree, V1 "/cpuset.mems", memory, sizeof memory);
    const char *values[] = {cpus, memory, "1", balance};
    if (!error)
        error = cgroup_make(tree, V1, group, files, 4);
    for (int i = 0; i < 4 && !error; i++) {
        snprintf(path, sizeof path, V1 "%s%s", group, files[i]);
        error = tree_write(tree, path, values[i]);
    }
    return error;
}

static int isolate_v1(const struct tree *tree, const char *isolated, const char *rest, const cpu_set_t *cpus)
{
    int error = fill_v1(tree, REST, rest, "1");
    if (!error)
        error = fill_v1(tree, ISOLATED, isolated, "0");
    if (!error && !tree->plain)
        error = cgroup_move_others(tree, V1 "/tasks", V1 REST "/tasks", cpus);
    return error;
}

static int isolate_v2(const struct tree *tree, const char *isolated)
{
    const char *files[] = {"/cpuset.cpus", "/cpuset.cpus.partition"};
    char state[256] = "";
    int error = cgroup_make(tree, V2, ISOLATED, files, 2);
    if (!error)
        error = tree_write(tree, V2 ISOLATED "/cpuset.cpus", isolated);
    if (!error)
        error = tree_write(tree, V2 ISOLATED "/cpuset.cpus.partition", "isolated");
    if (!error)
        error = tree_read(tree, V2 ISOLATED "/cpuset.cpus.partition", state, sizeof state);
    return error ? error : strcmp(state, "isolated") == 0 ? 0 : -EBUSY;
}

static int write_isolated(const struct tree *tree, const struct knob *knob, const char *value)
{
    char online[GUARD_TEXT], rest[KNOB_VALUE];
    cpu_set_t all, isolated, others;
    int error = take_down(tree);
    if (error || strcmp(value, "none") == 0)
        return error;
    error = tree_read(tree, knob->path, online, sizeof online);
    if (!error)
        error = cpus_parse(online, &all);
    if (!error)
        error = cpus_parse(value, &isolated);
    if (error)
        return error;
    CPU_XOR(&others, &all, &isolated);
    if (CPU_COUNT(&others) == 0)
        return -EBUSY;
    error = cpus_format_list(&others, rest, sizeof rest);
    return error ? error : is_v1(tree) ? isolate_v1(tree, value, rest, &isolated) : isolate_v2(tree, value);
}

const struct knob_operations isolated_cpus = {read_isolated, write_isolated};

static bool may_use(const cpu_set_t *cpus)
{
    cpu_set_t before, one;
    bool usable = true;
    if (sched_getaffinity(0, sizeof before, &before))
        return true;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && usable; cpu++) {
        if (!CPU_ISSET(cpu, cpus))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        usable = sched_setaffinity(0, sizeof one, &one) == 0;
    }
    sched_setaffinity(0, sizeof before, &before);
    return usable;
}

void isolation_enter(const cpu_set_t *cpus)
{
    const struct tree tree = {.root = ""};
    const char *base = is_v1(&tree) ? V1 : V2;
    char path[GUARD_PATH], list[KNOB_VALUE];
    cpu_set_t isolated;
    snprintf(path, sizeof path, "%s" ISOLATED "/cpuset.cpus", base);
    if (tree_read(&tree, path, list, sizeof list) || cpus_parse(list, &isolated))
        return;
    if (!cpus_within(cpus, &isolated) || may_use(cpus))
        return;
    snprintf(path, sizeof path, "%s" ISOLATED "/cgroup.procs", base);
    tree_write(&tree, path, "0");
}
