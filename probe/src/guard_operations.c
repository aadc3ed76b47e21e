// SPDX-License-Identifier: Apache-2.0
#include "guard_operations.h"

#include "guard_cpus.h"

#include <errno.h>
#include <string.h>

static int copy(const char *from, size_t length, char *to, size_t size)
{
    if (length >= size)
        return -E2BIG;
    memcpy(to, from, length);
    to[length] = '\0';
    return 0;
}

static int read_text(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    return tree_read(tree, knob->path, value, size);
}

static int write_text(const struct tree *tree, const struct knob *knob, const char *value)
{
    return tree_write(tree, knob->path, value);
}

const struct knob_operations plain_text = {read_text, write_text};

static const char *opposite(const char *value)
{
    return strcmp(value, "0") == 0 ? "1" : "0";
}

static int read_inverted(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    int error = tree_read(tree, knob->path, value, size);
    return error ? error : copy(opposite(value), 1, value, size);
}

static int write_inverted(const struct tree *tree, const struct knob *knob, const char *value)
{
    return tree_write(tree, knob->path, opposite(value));
}

const struct knob_operations inverted = {read_inverted, write_inverted};

static int read_bracketed(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    char text[GUARD_TEXT];
    int error = tree_read(tree, knob->path, text, sizeof text);
    if (error)
        return error;
    const char *open = strchr(text, '['), *end = open ? strchr(open, ']') : NULL;
    return end ? copy(open + 1, (size_t)(end - open - 1), value, size) : -EILSEQ;
}

// What the kernel does behind the file when a word is written to it.
static int move_brackets(const struct tree *tree, const struct knob *knob, const char *chosen)
{
    char text[GUARD_TEXT], moved[GUARD_TEXT] = "", *rest = NULL;
    int error = tree_read(tree, knob->path, text, sizeof text / 2);
    if (error)
        return error;
    size_t length = 0;
    for (char *word = strtok_r(text, " []", &rest); word; word = strtok_r(NULL, " []", &rest)) {
        const char *form = strcmp(word, chosen) == 0 ? "%s[%s]" : "%s%s";
        length += (size_t)snprintf(moved + length, sizeof moved - length, form, length ? " " : "", word);
    }
    return tree_write(tree, knob->path, moved);
}

static int write_bracketed(const struct tree *tree, const struct knob *knob, const char *value)
{
    return tree->plain ? move_brackets(tree, knob, value) : tree_write(tree, knob->path, value);
}

const struct knob_operations bracketed = {read_bracketed, write_bracketed};

static int read_cpus(const struct tree *tree, const struct knob *knob, char *value, size_t size,
                     int (*parse)(const char *text, cpu_set_t *cpus))
{
    char text[GUARD_TEXT];
    cpu_set_t cpus;
    int error = tree_read(tree, knob->path, text, sizeof text);
    if (!error)
        error = parse(text, &cpus);
    return error ? error : cpus_format_list(&cpus, value, size);
}

static int read_list(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    return read_cpus(tree, knob, value, size, cpus_parse);
}

const struct knob_operations cpu_list = {read_list, write_text};

static int read_mask(const struct tree *tree, const struct knob *knob, char *value, size_t size)
{
    return read_cpus(tree, knob, value, size, cpus_parse_mask);
}

static int write_mask(const struct tree *tree, const struct knob *knob, const char *value)
{
    char found[GUARD_TEXT], mask[GUARD_TEXT];
    cpu_set_t cpus;
    int error = tree_read(tree, knob->path, found, sizeof found);
    if (!error)
        error = cpus_parse(value, &cpus);
    if (!error)
        error = cpus_format_mask(&cpus, found, mask, sizeof mask);
    return error ? error : tree_write(tree, knob->path, mask);
}

const struct knob_operations cpu_mask = {read_mask, write_mask};
