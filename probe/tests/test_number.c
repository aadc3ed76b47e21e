// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include "check.h"

static void durations_have_units(void)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {
        {"0", 0},           {"1", 1},        {"200us", 200000},    {"1.5ms", 1500000},
        {"2s", 2000000000}, {"0.25us", 250}, {"200000ns", 200000}, {"9223372036s", 9223372036000000000}};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t ns;

        CHECK(number_parse_duration(good[i].text, &ns) == 0);
        CHECK(ns == good[i].ns);
    }
}

static void other_durations_are_refused(void)
{
    static const char *const bad[] = {"",
                                      "us",
                                      "-1us",
                                      "+1us",
                                      "1 us",
                                      "1m",
                                      "1us ",
                                      "1.",
                                      "1..5s",
                                      ".5us",
                                      "1.5",
                                      "0.1ns",
                                      "1e3",
                                      "0x10",
                                      "nan",
                                      "9223372037s",
                                      "99999999999999999999",
                                      "1.000000000000000000000s"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t ns;

        CHECK(number_parse_duration(bad[i], &ns) < 0);
    }
}

static void numbers_are_whole(void)
{
    uint64_t number;
    int64_t signed_number;

    CHECK(number_parse("18446744073709551615", &number) == 0 && number == UINT64_MAX);
    CHECK(number_parse("18446744073709551616", &number) < 0);
    CHECK(number_parse("-1", &number) < 0);
    CHECK(number_parse(" 1", &number) < 0);
    CHECK(number_parse("1k", &number) < 0);
    CHECK(number_parse("", &number) < 0);
    CHECK(number_parse_signed("-20", &signed_number) == 0 && signed_number == -20);
    CHECK(number_parse_signed("-", &signed_number) < 0);
    CHECK(number_parse_signed("--1", &signed_number) < 0);
}

int main(void)
{
    durations_have_units();
    other_durations_are_refused();
    numbers_are_whole();
    return 0;
}
