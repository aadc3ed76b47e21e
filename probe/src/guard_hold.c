// SPDX-License-Identifier: Apache-2.0
#include "guard_hold.h"

#include "guard_isolation.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static void say(char *text, size_t size, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(text, size, form, arguments);
    va_end(arguments);
}

#define ERROR(answer, ...) say((answer)->error, sizeof(answer)->error, __VA_ARGS__)
#define REMEDY(answer, ...) say((answer)->remedy, sizeof(answer)->remedy, __VA_ARGS__)

static void say_privilege(const struct hold *hold, struct answer *answer)
{
    char program[GUARD_PATH] = "jitter-probe";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0)
        program[length] = '\0';
    if (*hold->machine->root)
        REMEDY(answer, "make the files under %s writable", hold->machine->root);
    else
        REMEDY(answer,
               "run the laboratory with sudo, or install the probe where only root can write and allow it in "
               "sudoers: USER ALL=(root) NOPASSWD: %s guard, %s guard --restore",
               program, program);
}

void hold_explain_absence(const struct hold *hold, const char *name, int error, struct answer *answer)
{
    (void)hold;
    if (error == -ENODEV) {
        struct knob knob;
        knob_find(hold->machine, name, &knob);
        ERROR(answer, "%s is not available here: there is no %s%s", knob.name, hold->machine->root,
              knob.path);
        REMEDY(answer, "%s", knob.kind->absent);
        return;
    }
    ERROR(answer, "there is no knob '%.100s'", name);
    REMEDY(answer, "ask with 'list' for the knobs of this machine");
}

bool hold_may_set(const struct hold *hold, const struct knob *knob, struct answer *answer)
{
    const char *value = NULL;
    char words[KNOB_VALUE];
    if (strcmp(knob->kind->name, "isolation") == 0 && !isolation_precondition(hold->machine, &value)) {
        ERROR(answer, "isolation is not available here: there are no cpusets in /sys/fs/cgroup");
        REMEDY(answer,
               "boot a kernel with CONFIG_CPUSETS and mount cgroup2 on /sys/fs/cgroup, or isolate with the "
               "kernel parameter isolcpus=");
        return false;
    }
    if (strcmp(knob->kind->name, "smt") == 0) {
        knob_words(hold->machine, knob, words);
        if (knob_read(hold->machine, knob, answer->value) || !strstr(words, answer->value)) {
            ERROR(answer, "smt cannot be switched here: the kernel says '%.40s'", answer->value);
            REMEDY(answer,
                   "this CPU has one thread per core, or SMT is off for good; switch it in the firmware");
            return false;
        }
    }
    bool isolates = strcmp(knob->kind->name, "isolation") == 0;
    bool permitted =
        isolates ? geteuid() == 0 || hold->machine->plain : machine_may_write(hold->machine, knob->path);
    if (!permitted) {
        ERROR(answer, "%s is not permitted: %s%s is not writable for this user", knob->name,
              hold->machine->root, isolates ? "/sys/fs/cgroup" : knob->path);
        say_privilege(hold, answer);
        return false;
    }
    if (!hold->record.usable && !knob->kind->until_closed) {
        ERROR(answer, "%s is not permitted: the record %s cannot be written", knob->name, hold->record.path);
        say_privilege(hold, answer);
        return false;
    }
    return true;
}

static int find(struct hold *hold, const char *name, struct knob *knob, struct answer *answer)
{
    int error = knob_find(hold->machine, name, knob);
    say(answer->knob, sizeof answer->knob, "%s", error == -ENOENT ? name : knob->name);
    if (error)
        hold_explain_absence(hold, name, error, answer);
    return error;
}

static int read_value(struct hold *hold, const struct knob *knob, struct answer *answer)
{
    int error = knob_read(hold->machine, knob, answer->value);
    const struct held *held = held_find(&hold->held, knob->name);
    say(answer->original, sizeof answer->original, "%s", held ? held->original : "");
    if (error)
        ERROR(answer, "%s cannot be read from %s%s: %s", knob->name, hold->machine->root, knob->path,
              strerror(-error));
    return error;
}

int hold_get(struct hold *hold, const char *name, struct answer *answer)
{
    struct knob knob;
    int error = find(hold, name, &knob, answer);
    return error ? error : read_value(hold, &knob, answer);
}

static int remember(struct hold *hold, const struct knob *knob, const char *original)
{
    if (held_find(&hold->held, knob->name))
        return 0;
    int error = knob->kind->until_closed ? 0 : record_append(&hold->record, knob->name, original);
    if (!error)
        error = held_add(&hold->held, knob->name, original);
    if (!error)
        hold->held.items[hold->held.count - 1].recorded = !knob->kind->until_closed;
    return error;
}

struct surroundings {
    struct hold *hold;
    int error;
};

static void remember_one(const struct knob *knob, void *context)
{
    struct surroundings *surroundings = context;
    char value[KNOB_VALUE];
    if (!surroundings->error && knob_read(surroundings->hold->machine, knob, value) == 0)
        surroundings->error = remember(surroundings->hold, knob, value);
}

// Boost clips frequency limits, and CPUs that go off line lose theirs and their interrupts: those come first
// into the record, and so are put back after the knob that disturbs them.
static int remember_surroundings(struct hold *hold, const struct knob *knob)
{
    struct surroundings surroundings = {.hold = hold};
    for (size_t i = 0; i < knob_kind_count && knob->kind->disturbs; i++)
        if (knob_kinds[i].disturbed)
            knob_each(hold->machine, &knob_kinds[i], remember_one, &surroundings);
    return surroundings.error;
}

static int write_and_read_back(struct hold *hold, const struct knob *knob, const char *value,
                               struct answer *answer)
{
    int error = knob_write(hold->machine, knob, value);
    int unread = knob_read(hold->machine, knob, answer->value);
    if (error)
        ERROR(answer, "%s cannot be set to %.200s: %s", knob->name, value, strerror(-error));
    else if (unread)
        ERROR(answer, "%s cannot be read back: %s", knob->name, strerror(-unread));
    else if (strcmp(answer->value, value) != 0)
        ERROR(answer, "%s was set to %.200s but reads back as %.200s", knob->name, value, answer->value);
    if (*answer->error)
        REMEDY(answer, "the kernel, its driver or another program decides otherwise; choose another value%s",
               error == -EIO ? " (this interrupt may be managed by its driver)" : "");
    return error ? error : unread ? unread : *answer->error ? -EIO : 0;
}

static int prepare(struct hold *hold, const struct knob *knob, const char *value, struct answer *answer)
{
    const char *wanted = NULL;
    if (strcmp(knob->kind->name, "isolation") != 0 || strcmp(value, "none") == 0)
        return 0;
    struct knob before;
    const char *name = isolation_precondition(hold->machine, &wanted);
    char found[KNOB_VALUE];
    int error = name ? knob_find(hold->machine, name, &before) : -ENODEV;
    if (!error)
        error = knob_read(hold->machine, &before, found);
    if (!error)
        error = remember(hold, &before, found);
    if (error) {
        ERROR(answer, "isolation cannot be prepared: %s", strerror(-error));
        return error;
    }
    return write_and_read_back(hold, &before, wanted, answer);
}

static int change(struct hold *hold, const struct knob *knob, const char *value, struct answer *answer)
{
    char before[KNOB_VALUE];
    int error = read_value(hold, knob, answer);
    if (error || strcmp(answer->value, value) == 0)
        return error;
    memcpy(before, answer->value, sizeof before);
    error = remember_surroundings(hold, knob);
    if (!error)
        error = remember(hold, knob, before);
    if (error) {
        ERROR(answer, "nothing was changed: the record %s cannot be written: %s", hold->record.path,
              strerror(-error));
        REMEDY(answer, "make room there, or name another file with --record");
        return error;
    }
    error = prepare(hold, knob, value, answer);
    if (!error)
        error = write_and_read_back(hold, knob, value, answer);
    if (error)
        knob_write(hold->machine, knob, before);
    return error;
}

int hold_set(struct hold *hold, const char *name, const char *value, struct answer *answer)
{
    struct knob knob;
    char canonical[KNOB_VALUE], allowed[1024] = "";
    int error = find(hold, name, &knob, answer);
    if (error)
        return error;
    if (knob.kind->internal) {
        ERROR(answer, "%s belongs to isolation and is not set by itself", knob.name);
        return -EPERM;
    }
    if (!hold_may_set(hold, &knob, answer))
        return -EACCES;
    if (knob_check(hold->machine, &knob, value, canonical, allowed, sizeof allowed)) {
        ERROR(answer, "%s cannot be '%.100s'", knob.name, value);
        REMEDY(answer, "allowed is %s", allowed);
        return -EINVAL;
    }
    error = change(hold, &knob, canonical, answer);
    const struct held *held = held_find(&hold->held, knob.name);
    say(answer->original, sizeof answer->original, "%s", held ? held->original : "");
    return error;
}

int hold_reset(struct hold *hold, const char *name, struct answer *answer)
{
    struct knob knob;
    int error = find(hold, name, &knob, answer);
    if (!error)
        error = read_value(hold, &knob, answer);
    if (error || !held_find(&hold->held, knob.name) || strcmp(answer->value, answer->original) == 0)
        return error;
    return write_and_read_back(hold, &knob, answer->original, answer);
}

static bool restore_one(struct hold *hold, const struct held *held, struct answer *answer)
{
    struct knob knob;
    *answer = (struct answer){0};
    if (find(hold, held->name, &knob, answer) || read_value(hold, &knob, answer))
        return false;
    return strcmp(answer->value, held->original) == 0 ||
           write_and_read_back(hold, &knob, held->original, answer) == 0;
}

// Some can only be put back after others (a lowest frequency above the highest), so it goes round until nothing moves.
size_t hold_restore(struct hold *hold, void (*failed)(const struct answer *answer))
{
    struct answer answer;
    size_t before = 0;
    do {
        before = hold->held.count;
        for (size_t i = before; i > 0; i--)
            if (restore_one(hold, &hold->held.items[i - 1], &answer))
                held_drop(&hold->held, i - 1);
    } while (hold->held.count && hold->held.count < before);
    for (size_t i = 0; i < hold->held.count; i++) {
        restore_one(hold, &hold->held.items[i], &answer);
        failed(&answer);
    }
    if (hold->record.usable)
        record_replace(&hold->record, &hold->held);
    return hold->held.count;
}
