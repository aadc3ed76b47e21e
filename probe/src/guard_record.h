// SPDX-License-Identifier: Apache-2.0
// What has been changed, on disk: written before each change, so that death at any moment can be undone.
#pragma once

#include "guard_held.h"

struct record {
    const struct tree *tree;
    char path[GUARD_PATH];
    char boot[64];
    bool usable;    // otherwise nothing that needs the record can be set
    bool unflushed; // something was appended that may not be on disk yet
    int lock;
    int fd;
};

// All of these return 0 or a negative errno. Opening takes the lock: -EWOULDBLOCK if another guard has it.
int record_open(struct record *record, const struct tree *tree, const char *path);
// Only looks whether a record could be written.
int record_look(struct record *record, const struct tree *tree, const char *path);
int record_load(struct record *record, struct held_list *list);
int record_append(struct record *record, const char *name, const char *original);
int record_flush(struct record *record); // to be called before anything that was appended is changed
int record_replace(struct record *record, const struct held_list *list);
void record_close(struct record *record);
