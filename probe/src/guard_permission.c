// SPDX-License-Identifier: Apache-2.0
#include "guard_permission.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void name_program(char program[GUARD_PATH])
{
    ssize_t length = readlink("/proc/self/exe", program, GUARD_PATH - 1);
    if (length < 0)
        length = snprintf(program, GUARD_PATH, "jitter-probe");
    program[length] = '\0';
}

static void say_privilege(const struct tree *tree, struct answer *answer)
{
    char program[GUARD_PATH];
    name_program(program);
    if (*tree->root)
        answer_remedy(answer, "make the files under %s writable", tree->root);
    else
        answer_remedy(
            answer,
            "run the laboratory with sudo, or install the probe where only root can write and allow "
            "it in sudoers: USER ALL=(root) NOPASSWD: %s guard, %s guard --list, %s guard --restore",
            program, program, program);
}

void permission_explain_absence(const struct tree *tree, const char *name, int error, struct answer *answer)
{
    struct knob knob;
    if (error == -ENODEV && knob_find(tree, name, &knob) == -ENODEV) {
        answer_error(answer, "%s is not available here: there is no %s%s", knob.name, tree->root, knob.path);
        answer_remedy(answer, "%s", knob.kind->absent);
        return;
    }
    answer_error(answer, "there is no knob '%.100s'", name);
    answer_remedy(answer, "ask with 'list' for the knobs of this machine");
}

// A switch that stands on neither of its positions ("notsupported") cannot be moved.
static bool stands_still(const struct tree *tree, const struct knob *knob, struct answer *answer)
{
    char value[KNOB_VALUE], canonical[KNOB_VALUE], allowed[1024];
    if (!knob->kind->words || knob->kind->values != KNOB_WORD)
        return false;
    if (knob_read(tree, knob, value) || !knob_check(tree, knob, value, canonical, allowed, sizeof allowed))
        return false;
    answer_error(answer, "%s cannot be switched here: it is '%.40s'", knob->name, value);
    answer_remedy(answer, "%s", knob->kind->absent);
    return true;
}

static bool is_writable(const struct tree *tree, const struct knob *knob, struct answer *answer)
{
    const char *path = knob->kind->guarded_by ? knob->kind->guarded_by : knob->path;
    int error = tree_may_write(tree, path);
    if (!error)
        return true;
    if (error == -EROFS) {
        answer_error(answer, "%s cannot be changed here: %s%s is on a read-only file system", knob->name,
                     tree->root, path);
        answer_remedy(answer, "run on the machine itself: containers see such files read-only");
    } else if (geteuid() == 0) {
        answer_error(answer, "%s cannot be changed here: %s%s is read-only", knob->name, tree->root, path);
        answer_remedy(answer, "%s", knob->kind->absent);
    } else {
        answer_error(answer, "%s is not permitted: %s%s is not writable for this user", knob->name,
                     tree->root, path);
        say_privilege(tree, answer);
    }
    return false;
}

bool permission_to_set(const struct record *record, const struct knob *knob, struct answer *answer)
{
    const struct tree *tree = record->tree;
    const char *value = NULL;
    if (knob->kind->precondition && !knob->kind->precondition(tree, &value)) {
        answer_error(answer, "%s is not available here", knob->name);
        answer_remedy(answer, "%s", knob->kind->absent);
        return false;
    }
    if (stands_still(tree, knob, answer) || !is_writable(tree, knob, answer))
        return false;
    if (record->usable || knob->kind->until_closed)
        return true;
    answer_error(answer, "%s is not permitted: the record %s cannot be written", knob->name, record->path);
    say_privilege(tree, answer);
    return false;
}
