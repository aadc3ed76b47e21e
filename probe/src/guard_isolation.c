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

static bool is_v1(const struct machine *machine)
{
    return machine_has(machine, V1 "/cpuset.sched_load_balance");
}

static bool lists_cpuset(const struct machine *machine, const char *path)
{
    char words[GUARD_TEXT], *rest = NULL;
    if (machine_read(machine, path, words, sizeof words))
        return false;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, "cpuset") == 0)
            return true;
    return false;
}

const char *isolation_precondition(const struct machine *machine, const char **value)
{
    if (is_v1(machine)) {
        *value = "0";
        return "cpuset_balance";
    }
    *value = "1";
    return lists_cpuset(machine, V2 "/cgroup.controllers") ? "cpuset_delegation" : NULL;
}

static int read_delegation(const struct machine *machine, const struct knob *knob, char *value, size_t size)
{
    if (size < 2)
        return -E2BIG;
    strcpy(value, lists_cpuset(machine, knob->path) ? "1" : "0");
    return 0;
}

static int write_delegation(const struct machine *machine, const struct knob *knob, const char *value)
{
    bool on = strcmp(value, "1") == 0;
    return machine->plain ? cgroup_list_controller(machine, knob->path, "cpuset", on)
                          : machine_write(machine, knob->path, on ? "+cpuset" : "-cpuset");
}

const struct knob_operations cpuset_delegation = {read_delegation, write_delegation};

// A half-built partition (death between two steps) reads as "incomplete", so that it is taken down.
static int read_isolated(const struct machine *machine, const struct knob *knob, char *value, size_t size)
{
    (void)knob;
    const char *base = is_v1(machine) ? V1 : V2;
    char path[GUARD_PATH], cpus[KNOB_VALUE] = "";
    snprintf(path, sizeof path, "%s" ISOLATED "/cpuset.cpus", base);
    bool there = machine_read(machine, path, cpus, sizeof cpus) == 0;
    snprintf(path, sizeof path, "%s" REST, base);
    bool rest = machine_has(machine, path);
    snprintf(path, sizeof path, "%s" ISOLATED, base);
    const char *state = !there && !rest && !machine_has(machine, path) ? "none" : *cpus ? cpus : "incomplete";
    int length = snprintf(value, size, "%s", state);
    return (size_t)length < size ? 0 : -E2BIG;
}

static int take_down(const struct machine *machine)
{
    if (!is_v1(machine))
        return cgroup_remove(machine, V2, ISOLATED, "/cgroup.procs");
    int error = cgroup_remove(machine, V1, ISOLATED, "/tasks");
    return error ? error : cgroup_remove(machine, V1, REST, "/tasks");
}

static int fill_v1(const struct machine *machine, const char *group, const char *cpus, const char *balance)
{
    char path[GUARD_PATH], memory[GUARD_TEXT];
    const char *files[] = {"/cpuset.cpus", "/cpuset.mems", "/cpuset.cpu_exclusive",
                           "/cpuset.sched_load_balance"};
    int error = machine_read(machine, V1 "/cpuset.mems", memory, sizeof memory);
    const char *values[] = {cpus, memory, "1", balance};
    if (!error)
        error = cgroup_make(machine, V1, group, files, 4);
    for (int i = 0; i < 4 && !error; i++) {
        snprintf(path, sizeof path, V1 "%s%s", group, files[i]);
        error = machine_write(machine, path, values[i]);
    }
    return error;
}

static int isolate_v1(const struct machine *machine, const char *isolated, const char *rest,
                      const cpu_set_t *cpus)
{
    int error = fill_v1(machine, REST, rest, "1");
    if (!error)
        error = fill_v1(machine, ISOLATED, isolated, "0");
    if (!error && !machine->plain)
        error = cgroup_move_others(machine, V1 "/tasks", V1 REST "/tasks", cpus);
    return error;
}

static int isolate_v2(const struct machine *machine, const char *isolated)
{
    const char *files[] = {"/cpuset.cpus", "/cpuset.cpus.partition"};
    char state[256] = "";
    int error = cgroup_make(machine, V2, ISOLATED, files, 2);
    if (!error)
        error = machine_write(machine, V2 ISOLATED "/cpuset.cpus", isolated);
    if (!error)
        error = machine_write(machine, V2 ISOLATED "/cpuset.cpus.partition", "isolated");
    if (!error)
        error = machine_read(machine, V2 ISOLATED "/cpuset.cpus.partition", state, sizeof state);
    return error ? error : strcmp(state, "isolated") == 0 ? 0 : -EBUSY;
}

static int write_isolated(const struct machine *machine, const struct knob *knob, const char *value)
{
    char online[GUARD_TEXT], rest[KNOB_VALUE];
    cpu_set_t all, isolated, others;
    int error = take_down(machine);
    if (error || strcmp(value, "none") == 0)
        return error;
    error = machine_read(machine, knob->path, online, sizeof online);
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
    return error            ? error
           : is_v1(machine) ? isolate_v1(machine, value, rest, &isolated)
                            : isolate_v2(machine, value);
}

const struct knob_operations isolated_cpus = {read_isolated, write_isolated};
