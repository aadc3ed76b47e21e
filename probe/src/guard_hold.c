// SPDX-License-Identifier: Apache-2.0
#include "guard_hold.h"

#include "guard_permission.h"

#include <errno.h>
#include <string.h>

static int find(const struct hold *hold, const char *name, struct knob *knob, struct answer *answer)
{
    int error = knob_find(hold->tree, name, knob);
    snprintf(answer->knob, sizeof answer->knob, "%s", error == -ENOENT ? name : knob->name);
    if (error)
        permission_explain_absence(hold->tree, name, error, answer);
    return error;
}

static int read_value(const struct hold *hold, const struct knob *knob, struct answer *answer)
{
    const struct held *held = held_find(&hold->held, knob->name);
    int error = knob_read(hold->tree, knob, answer->value);
    snprintf(answer->original, sizeof answer->original, "%s", held ? held->original : "");
    if (error)
        answer_error(answer, "%s cannot be read from %s%s: %s", knob->name, hold->tree->root, knob->path,
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
    const struct knob *disturber;
    int error;
};

static void remember_one(const struct knob *knob, void *context)
{
    struct surroundings *surroundings = context;
    const struct knob *disturber = surroundings->disturber;
    char value[KNOB_VALUE];
    if (knob->kind->by_policy && disturber->kind->by_policy && knob->index[0] != disturber->index[0])
        return;
    if (!surroundings->error && knob_read(surroundings->hold->tree, knob, value) == 0)
        surroundings->error = remember(surroundings->hold, knob, value);
}

// Boost clips frequency limits, governors change what the hardware prefers, and CPUs that go off line lose
// their settings and their interrupts: those come first into the record, and so are put back after what
// disturbs them.
static int remember_surroundings(struct hold *hold, const struct knob *knob)
{
    struct surroundings surroundings = {.hold = hold, .disturber = knob};
    for (size_t i = 0; i < knob_kind_count; i++)
        if (knob_kinds[i].disturbed_by & knob->kind->disturbs)
            knob_each(hold->tree, &knob_kinds[i], remember_one, &surroundings);
    return surroundings.error;
}

static int write_and_read_back(const struct hold *hold, const struct knob *knob, const char *value,
                               struct answer *answer)
{
    int error = knob_write(hold->tree, knob, value);
    int unread = knob_read(hold->tree, knob, answer->value);
    if (error)
        answer_error(answer, "%s cannot be set to %.200s: %s", knob->name, value, strerror(-error));
    else if (unread)
        answer_error(answer, "%s cannot be read back: %s", knob->name, strerror(-unread));
    else if (strcmp(answer->value, value) != 0)
        answer_error(answer, "%s was set to %.200s but reads back as %.200s", knob->name, value,
                     answer->value);
    else
        return 0;
    answer_remedy(answer, "the kernel, a driver or another program decides otherwise; choose another value");
    return error ? error : unread ? unread : -EIO;
}

static int find_precondition(const struct hold *hold, const struct knob *knob, struct knob *before,
                             const char **value)
{
    const char *name = knob->kind->precondition ? knob->kind->precondition(hold->tree, value) : NULL;
    return name ? knob_find(hold->tree, name, before) : -ENOENT;
}

static int remember_all(struct hold *hold, const struct knob *knob, const char *original)
{
    struct knob before;
    const char *unused = NULL;
    struct surroundings surroundings = {.hold = hold, .disturber = knob};
    surroundings.error = remember_surroundings(hold, knob);
    if (find_precondition(hold, knob, &before, &unused) == 0)
        remember_one(&before, &surroundings);
    if (!surroundings.error)
        surroundings.error = remember(hold, knob, original);
    return surroundings.error ? surroundings.error : record_flush(&hold->record);
}

// A precondition lasts as long as its knob is not as found.
static int settle_precondition(const struct hold *hold, const struct knob *knob, bool as_found,
                               struct answer *answer)
{
    struct knob before;
    const char *value = NULL;
    if (find_precondition(hold, knob, &before, &value))
        return 0;
    const struct held *held = held_find(&hold->held, before.name);
    if (as_found && !held)
        return 0;
    return write_and_read_back(hold, &before, as_found ? held->original : value, answer);
}

static int write_settled(const struct hold *hold, const struct knob *knob, const char *value,
                         struct answer *answer)
{
    const struct held *held = held_find(&hold->held, knob->name);
    bool as_found = strcmp(value, held->original) == 0;
    int error = as_found ? 0 : settle_precondition(hold, knob, false, answer);
    if (!error)
        error = write_and_read_back(hold, knob, value, answer);
    if (!error && as_found) {
        struct answer ignored = {0};
        error = settle_precondition(hold, knob, true, &ignored);
    }
    return error;
}

static int change(struct hold *hold, const struct knob *knob, const char *value, struct answer *answer)
{
    char before[KNOB_VALUE];
    int error = read_value(hold, knob, answer);
    if (error || strcmp(answer->value, value) == 0)
        return error;
    memcpy(before, answer->value, sizeof before);
    if (!knob_may_have_been(hold->tree, knob, before)) {
        answer_error(answer, "%s is '%.100s' now, which could not be put back, so it is not changed",
                     knob->name, before);
        answer_remedy(answer, "bring it into a known state by hand first");
        return -EINVAL;
    }
    error = remember_all(hold, knob, before);
    if (error) {
        answer_error(answer, "nothing was changed: the record %s cannot be written: %s", hold->record.path,
                     strerror(-error));
        answer_remedy(answer, "make room there, or name another file with --record");
        return error;
    }
    error = write_settled(hold, knob, value, answer);
    struct answer ignored = {0};
    if (error)
        write_settled(hold, knob, before, &ignored);
    return error;
}

static int check(const struct hold *hold, const struct knob *knob, const char *value,
                 char canonical[KNOB_VALUE], struct answer *answer)
{
    char allowed[1024] = "";
    if (knob->kind->internal) {
        answer_error(answer, "%s belongs to another knob and is not set by itself", knob->name);
        answer_remedy(answer, "set that knob instead: ask with 'list' for those that can be set");
        return -EPERM;
    }
    if (!permission_to_set(&hold->record, knob, answer))
        return -EACCES;
    if (knob_check(hold->tree, knob, value, canonical, allowed, sizeof allowed) == 0)
        return 0;
    answer_error(answer, "%s cannot be '%.100s'", knob->name, value);
    answer_remedy(answer, "allowed is %s", allowed);
    return -EINVAL;
}

int hold_set(struct hold *hold, const char *name, const char *value, struct answer *answer)
{
    struct knob knob;
    char canonical[KNOB_VALUE];
    int error = find(hold, name, &knob, answer);
    if (!error)
        error = check(hold, &knob, value, canonical, answer);
    if (!error)
        error = change(hold, &knob, canonical, answer);
    const struct held *held = error ? NULL : held_find(&hold->held, knob.name);
    snprintf(answer->original, sizeof answer->original, "%s", held ? held->original : "");
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
    return write_settled(hold, &knob, answer->original, answer);
}

static bool restore_one(struct hold *hold, const struct held *held, struct answer *answer)
{
    struct knob knob;
    *answer = (struct answer){0};
    int error = find(hold, held->name, &knob, answer);
    if (error)
        return error == -ENODEV && knob.kind->passing;
    if (knob_read(hold->tree, &knob, answer->value) == 0 && strcmp(answer->value, held->original) == 0)
        return true;
    if (knob_may_have_been(hold->tree, &knob, held->original)) {
        error = write_and_read_back(hold, &knob, held->original, answer);
        hold->put_back += error == 0;
        return error == 0;
    }
    answer_error(answer, "%s was never '%.100s', as the record %s says", knob.name, held->original,
                 hold->record.path);
    answer_remedy(answer, "the record is damaged: set the knob by hand, and remove the record");
    return false;
}

// Some can only be put back after others (a lowest frequency above the highest), so it goes round until
// nothing moves.
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
    int error = hold->record.usable ? record_replace(&hold->record, &hold->held) : 0;
    if (!error)
        return hold->held.count;
    answer = (struct answer){0};
    answer_error(&answer, "the record %s cannot be rewritten: %s", hold->record.path, strerror(-error));
    answer_remedy(&answer, "make room there, and run the guard with --restore");
    failed(&answer);
    return hold->held.count + 1;
}
