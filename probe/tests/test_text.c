// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <math.h>
#include <string.h>

#include "check.h"

static void members_are_separated(void)
{
    struct text text = {0};

    text_add(&text, "{");
    text_add_int(&text, "a", INT64_MIN);
    text_add_number(&text, "b", 22.5);
    text_add_number(&text, "n", -0.0126);
    text_add_number(&text, "o", NAN);
    text_add_number(&text, "p", -INFINITY);
    text_add_field(&text, "c", NULL);
    text_add_key(&text, "d");
    text_add(&text, "{");
    text_add_field(&text, "e", "");
    text_add(&text, "}}");
    CHECK(text_error(&text) == 0);
    CHECK(strcmp(text.data, "{\"a\":-9223372036854775808,\"b\":22.500,\"n\":-0.013,\"o\":null,\"p\":null,"
                            "\"c\":null,\"d\":{\"e\":\"\"}}") == 0);
    text_free(&text);
}

static void strings_are_escaped(void)
{
    struct text text = {0};

    text_add_string(&text, "a\"b\\c\n\x7f\xff");
    CHECK(strcmp(text.data, "\"a\\\"b\\\\c\\u000a\\u007f\\u00ff\"") == 0);
    text_free(&text);
}

static void it_grows(void)
{
    struct text text = {0};

    for (int i = 0; i < 10000; i++)
        text_add(&text, "%d,", i % 10);
    CHECK(text_error(&text) == 0 && text.length == 20000 && strlen(text.data) == 20000);
    text_free(&text);
}

int main(void)
{
    members_are_separated();
    strings_are_escaped();
    it_grows();
    return 0;
}
