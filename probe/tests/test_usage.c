// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <string.h>
#include <sys/mman.h>

#include "check.h"

static void migrations_are_found(void)
{
    CHECK(usage_parse_migrations(
              "x (1, #threads: 1)\n---\nse.nr_migrations      :                    7\nnr_switches : 3\n") ==
          7);
    CHECK(usage_parse_migrations("nr_switches : 3\n") == -1);
    CHECK(usage_parse_migrations("nr_migrations\nother : 3\n") == -1);
    CHECK(usage_parse_migrations("") == -1);
}

static void faults_between_are_counted(void)
{
    enum { PAGES = 64, PAGE = 65536 };
    const struct counters counters = {.fds = {-1, -1, -1}};
    struct usage begin;
    struct usage end;
    struct usage between;
    volatile char *memory =
        mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    usage_begin(&begin, &counters);
    usage_end(&end, &counters);
    usage_begin(&begin, &counters);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    usage_end(&end, &counters);
    between = usage_between(&begin, &end);
    CHECK(between.minor_faults > 0);
    CHECK(between.counters[COUNTER_CYCLES] == -1);
    munmap((void *)memory, (size_t)PAGES * PAGE);
}

static void what_is_not_there_is_null(void)
{
    struct usage usage = {.migrations = -1, .counters = {5, -1, -1}};
    struct text text = {0};

    text_add(&text, "{");
    usage_add_json(&usage, &text);
    CHECK(strstr(text.data, "\"migrations\":null,"));
    CHECK(strstr(text.data, "\"cycles\":5,\"instructions\":null,"));
    text_free(&text);
}

int main(void)
{
    migrations_are_found();
    faults_between_are_counted();
    what_is_not_there_is_null();
    return 0;
}
