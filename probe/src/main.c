// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "clockinfo.h"
#include "failure.h"
#include "guard.h"
#include "wakeup.h"

static int version_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("jitter-probe " VERSION);
    return EXIT_DONE;
}

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"wakeup", wakeup_main, "measure how late sleeping threads wake up"},
    {"guard", guard_main, "change settings of this machine, and put them back"},
    {"clock", clockinfo_main, "describe the clocks of this machine as JSON"},
    {"version", version_main, "print the version"},
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static void help(FILE *file)
{
    fputs("usage: jitter-probe COMMAND [OPTION]...\n\n", file);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("\njitter-probe COMMAND --help tells more.\n", file);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < N_COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--version") == 0)
        return version_main(argc, argv);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        help(stdout);
        return EXIT_DONE;
    }
    if (argc > 1)
        fprintf(stderr, "error: there is no command '%.100s'\nremedy: see jitter-probe --help\n", argv[1]);
    else
        help(stderr);
    return EXIT_USAGE;
}
