// SPDX-License-Identifier: Apache-2.0
// A text that grows, and JSON written into it. An allocation that fails is remembered and told by text_error.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A JSON string with its quotes; bytes that are not printable ASCII are escaped.
void text_add_string(struct text *text, const char *string);
// `"name":`, with a comma in front where one is due inside an object.
void text_add_key(struct text *text, const char *name);
void text_add_int(struct text *text, const char *name, int64_t value);
// To a thousandth; null where there is no number, or one of more than 15 digits.
void text_add_number(struct text *text, const char *name, double value);
void text_add_field(struct text *text, const char *name, const char *string);
// 0, or -ENOMEM if something that was added is missing.
int text_error(const struct text *text);
void text_free(struct text *text);
