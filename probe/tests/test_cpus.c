// SPDX-License-Identifier: Apache-2.0
#include "cpus.h"

#include <string.h>

#include "check.h"

static void lists_hold_numbers_and_ranges(void)
{
    cpu_set_t cpus;

    CHECK(cpus_parse("0,2-3,1023", &cpus) == 0);
    CHECK(CPU_COUNT(&cpus) == 4);
    CHECK(cpus_next(&cpus, -1) == 0);
    CHECK(cpus_next(&cpus, 0) == 2);
    CHECK(cpus_next(&cpus, 3) == 1023);
    CHECK(cpus_next(&cpus, 1023) == -1);
}

static void other_lists_are_refused(void)
{
    static const char *const bad[] = {"",    ",",    "0,",     ",0", "1-", "-1",
                                      "3-2", "1024", "0-1024", "a",  "0 ", "99999999999999999999"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cpu_set_t cpus;

        CHECK(cpus_parse(bad[i], &cpus) < 0);
    }
}

static void json_is_an_array(void)
{
    struct text text = {0};
    cpu_set_t cpus;

    CHECK(cpus_parse("7,1-2", &cpus) == 0);
    cpus_add_json(&text, "cpus", &cpus);
    CHECK(strcmp(text.data, "\"cpus\":[1,2,7]") == 0);
    text_free(&text);
}

int main(void)
{
    lists_hold_numbers_and_ranges();
    other_lists_are_refused();
    json_is_an_array();
    return 0;
}
