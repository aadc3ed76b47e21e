// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <string.h>

#include "check.h"

#define ARGUMENTS(...) ((char *[]){__VA_ARGS__})
#define COUNT(...) ((int)(sizeof ARGUMENTS(__VA_ARGS__) / sizeof(char *)))
#define PARSE(options, failure, ...)                                                                         \
    options_parse(options, COUNT(__VA_ARGS__), ARGUMENTS(__VA_ARGS__), failure)

static void values_stand_beside_or_behind_their_names(void)
{
    struct failure failure = {0};
    struct options options;

    CHECK(PARSE(&options, &failure, "--output", "x", "--interval=250us", "--cpus", "1", "--wake=timerfd") ==
          0);
    CHECK(strcmp(options.output, "x") == 0);
    CHECK(options.interval == 250000 && options.wake == WAKE_TIMERFD);
    CHECK(CPU_COUNT(&options.cpus) == 1 && CPU_ISSET(1, &options.cpus));
    CHECK(options.samples == 10000 && options.slack == 1 && options.priority == 0);
    CHECK(options_periods(&options) == 10100);
}

static void realtime_has_a_priority(void)
{
    struct failure failure = {0};
    struct options options;

    CHECK(PARSE(&options, &failure, "--output=x", "--policy=fifo") == 0 && options.priority == 80);
    CHECK(PARSE(&options, &failure, "--output=x", "--policy=rr", "--priority=1") == 0 &&
          options.priority == 1);
}

static void a_duration_bounds_the_periods(void)
{
    struct failure failure = {0};
    struct options options;

    CHECK(PARSE(&options, &failure, "--output=x", "--duration=1s", "--warmup=0") == 0);
    CHECK(options.samples == 0 && options_periods(&options) == 1000);
    CHECK(PARSE(&options, &failure, "--output=x", "--duration=1000001us", "--warmup=0") == 0);
    CHECK(options_periods(&options) == 1001);
    CHECK(PARSE(&options, &failure, "--output=x", "--duration=1s", "--samples=5", "--warmup=2") == 0);
    CHECK(options_periods(&options) == 7);
}

static void what_makes_no_sense_is_refused(void)
{
    static const char *const bad[] = {
        "--interval=0",
        "--interval=999ns",
        "--interval=3601s",
        "--samples=4294967295",
        "--samples=-1",
        "--samples=0",
        "--duration=0s",
        "--break=0",
        "--progress=0",
        "--priority=80",
        "--priority=-1",
        "--slack=0",
        "--policy=idle",
        "--policy=",
        "--wake=spin|",
        "--ring=1000",
        "--ring=0",
        "--worst=0",
        "--break",
        "--nice=20",
        "--distance=4000s",
        "--spin=4000s",
        "--slack=2s",
        "--progress=1000000s",
        "--duration=31536001s",
        "--progress=soon",
        "--cpus=x",
        "--sample=1",
        "positional",
        "--output=",
        "--",
        "--duration=9000000s",
        "--=x",
        "",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct failure failure = {0};
        struct options options;
        char argument[64];

        snprintf(argument, sizeof argument, "%s", bad[i]);
        CHECK(PARSE(&options, &failure, "--output=x", argument) == -1);
        CHECK(failure.status == EXIT_USAGE && failure.message[0] && failure.remedy[0]);
    }
}

static void combinations_are_checked(void)
{
    struct failure failure = {0};
    struct options options;

    CHECK(PARSE(&options, &failure, "--interval=1ms") == -1);
    CHECK(PARSE(&options, &failure, "--output=-", "--progress=1s") == -1);
    CHECK(PARSE(&options, &failure, "--output=x", "--policy=fifo", "--nice=5") == -1);
    CHECK(PARSE(&options, &failure, "--output=x", "--policy=fifo", "--priority=100") == -1);
    CHECK(PARSE(&options, &failure, "--output=x", "--policy=fifo", "--priority=-1") == -1);
    CHECK(PARSE(&options, &failure, "--output=x", "--policy=deadline", "--wake=spin") == -1);
    CHECK(PARSE(&options, &failure, "--nonsense=1", "--help") == -1);
    CHECK(PARSE(&options, &failure, "--help", "--nonsense=1") == 0 && options.help);
}

static void settings_are_json(void)
{
    struct failure failure = {0};
    struct options options;
    struct text text = {0};

    CHECK(PARSE(&options, &failure, "--output=x", "--cpus=0", "--policy=rr", "--wake=sleep-spin") == 0);
    text_add(&text, "{");
    options_add_json(&options, &text);
    CHECK(strstr(text.data, "{\"cpus\":[0],\"interval_ns\":1000000,"));
    CHECK(strstr(text.data, "\"policy\":\"rr\",\"priority\":80,"));
    CHECK(strstr(text.data, "\"wake\":\"sleep-spin\","));
    CHECK(strstr(text.data, "\"break_ns\":null"));
    text_free(&text);
}

int main(void)
{
    values_stand_beside_or_behind_their_names();
    realtime_has_a_priority();
    a_duration_bounds_the_periods();
    what_makes_no_sense_is_refused();
    combinations_are_checked();
    settings_are_json();
    return 0;
}
