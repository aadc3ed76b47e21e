// SPDX-License-Identifier: Apache-2.0
// The fixed list of settings that the guard may change, each with its file, its values and its limits.
#pragma once

#include "guard_files.h"

#include <stdbool.h>
#include <stdio.h>

#define KNOB_NAME 64
#define KNOB_VALUE 4096

struct knob;

// How a kind of knob is read and written; values are canonical texts. Return 0 or a negative errno.
struct knob_operations {
    int (*read)(const struct tree *tree, const struct knob *knob, char *value, size_t size);
    int (*write)(const struct tree *tree, const struct knob *knob, const char *value);
};

// Changes that have effects on other knobs: of frequency scaling, and of the CPUs that are on line.
enum { SCALING = 1, CPUS_ONLINE = 2 };

enum knob_values { KNOB_WORD, KNOB_NUMBER, KNOB_CPUS };

struct knob_kind {
    const char *name;
    const char *summary;
    const struct knob_operations *operations;
    const char *path; // with one %d per index
    const char *unit;
    const char *absent;     // what it means that the file is not there, with the remedy
    const char *words;      // allowed words; NULL if words_path or numbers or CPUs say what is allowed
    const char *words_path; // a file that lists the allowed words
    const char *lowest_path, *highest_path;
    long long lowest, highest;
    const char *guarded_by; // what has to be writable, if it is not the path itself
    // The knob that has to be set before this one and its value; NULL if this machine cannot do it.
    const char *(*precondition)(const struct tree *tree, const char **value);
    enum knob_values values;
    int indices;       // how many numbers follow the name: governor/0, idle_disable/0/2
    bool by_policy;    // the first index is a CPU; its cpufreq policy stands for it
    bool some_stay;    // not all CPUs that are on line can be in the list
    bool internal;     // part of another knob: not to be set from outside
    bool until_closed; // the kernel itself undoes it when the guard ends
    bool passing;      // what is gone needs no restoring: it will be another one when it is back
    // Which knobs setting this one may change behind our back, and by which kind of change it may be changed
    // itself.
    unsigned disturbs, disturbed_by;
};

struct knob {
    const struct knob_kind *kind;
    int index[2];
    char name[KNOB_NAME];
    char path[GUARD_PATH];
};

extern const struct knob_kind knob_kinds[];
extern const size_t knob_kind_count;

// Finds a knob by the name that a user wrote; -ENOENT if there is no such kind, -ENODEV if its file is not
// there.
int knob_find(const struct tree *tree, const char *name, struct knob *knob);
// Puts the knob's indices into a pattern with one %d for each.
void knob_path(const struct knob *knob, const char *pattern, char path[GUARD_PATH]);
int knob_read(const struct tree *tree, const struct knob *knob, char value[KNOB_VALUE]);
int knob_write(const struct tree *tree, const struct knob *knob, const char *value);
// Brings a value into its canonical form; otherwise says what is allowed and returns -EINVAL.
int knob_check(const struct tree *tree, const struct knob *knob, const char *value,
               char canonical[KNOB_VALUE], char *allowed, size_t size);
// Whether a value may have been read from this knob once: the test for what a record says. Limits that move
// with other knobs are left to the kernel.
bool knob_may_have_been(const struct tree *tree, const struct knob *knob, const char *value);
// The allowed words, separated by blanks; empty if the values are not words.
void knob_words(const struct tree *tree, const struct knob *knob, char words[KNOB_VALUE]);
// The limits of a number now.
void knob_limits(const struct tree *tree, const struct knob *knob, long long *lowest, long long *highest);

// Calls `visit` for each knob of a kind that this machine has; returns how many there were.
int knob_each(const struct tree *tree, const struct knob_kind *kind,
              void (*visit)(const struct knob *knob, void *context), void *context);
