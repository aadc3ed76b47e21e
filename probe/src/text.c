// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST 1e15

static bool reserve(struct text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : 256;
    char *data;

    if (text->failed)
        return false;
    while (capacity < text->length + more + 1)
        capacity *= 2;
    if (capacity == text->capacity)
        return true;
    data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void text_add_string(struct text *text, const char *string)
{
    text_add(text, "\"");
    for (; *string; string++) {
        unsigned char byte = (unsigned char)*string;

        if (byte == '"' || byte == '\\')
            text_add(text, "\\%c", byte);
        else if (byte < 0x20 || byte > 0x7E)
            text_add(text, "\\u%04x", byte);
        else
            text_add(text, "%c", byte);
    }
    text_add(text, "\"");
}

void text_add_key(struct text *text, const char *name)
{
    if (text->length && text->data[text->length - 1] != '{' && text->data[text->length - 1] != '[')
        text_add(text, ",");
    text_add_string(text, name);
    text_add(text, ":");
}

void text_add_int(struct text *text, const char *name, int64_t value)
{
    text_add_key(text, name);
    text_add(text, "%" PRId64, value);
}

void text_add_number(struct text *text, const char *name, double value)
{
    int64_t thousandths;

    if (!(fabs(value) < LARGEST)) {
        text_add_field(text, name, NULL);
        return;
    }
    // By whole numbers, because a locale may write another decimal point than JSON.
    thousandths = llabs(llrint(value * 1000));
    text_add_key(text, name);
    text_add(text, "%s%" PRId64 ".%03d", value < 0 ? "-" : "", thousandths / 1000, (int)(thousandths % 1000));
}

void text_add_field(struct text *text, const char *name, const char *string)
{
    text_add_key(text, name);
    if (string)
        text_add_string(text, string);
    else
        text_add(text, "null");
}

int text_error(const struct text *text)
{
    return text->failed ? -ENOMEM : 0;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}
