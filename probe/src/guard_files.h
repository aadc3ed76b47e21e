// SPDX-License-Identifier: Apache-2.0
// The files through which a machine is changed: those of this machine, or a tree of plain files.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define GUARD_PATH 512
#define GUARD_TEXT 8192

struct tree {
    const char *root; // put in front of every path; "" for this machine
    bool plain;       // a tree of plain files: nothing happens behind them
};

// All of these return 0 or a negative errno.
int tree_path(const struct tree *tree, const char *path, char full[GUARD_PATH]);
int tree_read(const struct tree *tree, const char *path, char *text, size_t size);
int tree_write(const struct tree *tree, const char *path, const char *text);
bool tree_has(const struct tree *tree, const char *path);
int tree_may_write(const struct tree *tree, const char *path);
