// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include "failure.h"
#include "guard_answers.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE_LIMIT 4096

static const char usage[] =
    "usage: jitter-probe guard [--root DIR] [--record FILE] [--list | --restore]\n"
    "Changes settings of this machine as told on standard input (list, get KNOB, set KNOB VALUE, reset "
    "KNOB),\n"
    "and puts everything back when the input ends. --restore puts back what a killed guard left behind;\n"
    "--list tells all settings, changes nothing and disturbs no other guard.\n";

static volatile sig_atomic_t told_to_end;

static void on_signal(int number)
{
    (void)number;
    told_to_end = 1;
}

// Signals arrive only while waiting for a line, so that no change is left half done.
static sigset_t prepare_signals(void)
{
    const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t ending, before;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sigaction(ends[i], &action, NULL);
        sigaddset(&ending, ends[i]);
    }
    sigprocmask(SIG_BLOCK, &ending, &before);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigdelset(&before, ends[i]);
    return before;
}

// A descriptor that becomes readable when the parent dies, though something else may hold our input open.
static int watch_parent(void)
{
    pid_t parent = getppid();
    return parent > 1 ? (int)syscall(SYS_pidfd_open, parent, 0) : -1;
}

static void report_failure(const struct answer *answer)
{
    struct failure failure;
    answers_write(answer);
    failure_set(&failure, EXIT_FAILED, answer->remedy, "%s", answer->error);
    failure_report(&failure);
}

static void obey(struct hold *hold, char *line)
{
    struct answer answer = {0};
    char *rest = NULL;
    const char *verb = strtok_r(line, " ", &rest);
    const char *knob = strtok_r(NULL, " ", &rest);
    const char *value = strtok_r(NULL, " ", &rest);
    bool more = strtok_r(NULL, " ", &rest) != NULL;
    if (verb && strcmp(verb, "list") == 0 && !knob) {
        answers_list(hold);
        return;
    }
    if (verb && strcmp(verb, "set") == 0 && value && !more)
        hold_set(hold, knob, value, &answer);
    else if (verb && strcmp(verb, "get") == 0 && knob && !value)
        hold_get(hold, knob, &answer);
    else if (verb && strcmp(verb, "reset") == 0 && knob && !value)
        hold_reset(hold, knob, &answer);
    else {
        answers_error("this line is not understood", "say list, get KNOB, set KNOB VALUE or reset KNOB");
        return;
    }
    answers_write(&answer);
}

struct input {
    char line[LINE_LIMIT];
    size_t length;
    bool spoilt; // too long or not text: to be refused at its end
};

static void take(struct hold *hold, struct input *input, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\n') {
            input->spoilt |= input->length == LINE_LIMIT - 1 || text[i] < ' ' || text[i] > '~';
            if (!input->spoilt)
                input->line[input->length++] = text[i];
            continue;
        }
        input->line[input->length] = '\0';
        if (input->spoilt)
            answers_error("this line is too long or not plain text", "say one request per line in ASCII");
        else
            obey(hold, input->line);
        input->length = 0;
        input->spoilt = false;
    }
}

static void serve(struct hold *hold, const sigset_t *waiting)
{
    static struct input input;
    char text[LINE_LIMIT];
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = watch_parent(), .events = POLLIN}};
    while (!told_to_end && !ferror(stdout)) {
        if (ppoll(watched, 2, NULL, waiting) < 0) {
            if (errno != EINTR)
                break;
            continue;
        }
        if (watched[1].revents)
            break;
        if (!watched[0].revents)
            continue;
        ssize_t got = read(STDIN_FILENO, text, sizeof text);
        if (got <= 0)
            break;
        take(hold, &input, text, (size_t)got);
    }
}

static int refuse(const char *remedy, const char *path, const char *reason)
{
    struct failure failure;
    failure_set(&failure, EXIT_NOT_AVAILABLE, remedy, "the guard does not start: %s: %s", path, reason);
    return failure_report(&failure);
}

// Takes the lock, and puts back what a guard that was killed has left behind.
static int open_hold(struct hold *hold, const struct tree *tree, const char *record, bool restore_only)
{
    hold->tree = tree;
    int error = record_open(&hold->record, tree, record);
    if (error == -EWOULDBLOCK)
        return refuse("a `jitterlab run` or `resume` holds it: wait for its end",
                      *tree->root ? tree->root : "this machine", "another guard is at work");
    if (!error)
        error = record_load(&hold->record, &hold->held);
    if (!hold->record.usable && !hold->held.count && (!error || (error == -EACCES && !restore_only)))
        return EXIT_DONE;
    if (!hold->record.usable || error == -EPERM)
        return refuse("run it with sudo", hold->record.path, "it belongs to another user");
    if (error)
        return refuse("put back by hand what it names, and remove it", hold->record.path,
                      error == -EILSEQ ? "it is damaged" : strerror(-error));
    return EXIT_DONE;
}

static int list(const struct tree *tree, const char *record)
{
    struct hold hold = {.tree = tree};
    record_look(&hold.record, tree, record);
    answers_list(&hold);
    return 0;
}

// Whoever fills the memory, the guard is not what the kernel should kill for it. Only root may ask for that.
static void survive_memory_shortage(void)
{
    const struct tree tree = {.root = ""};
    tree_write(&tree, "/proc/self/oom_score_adj", "-1000");
}

static int guard(struct hold *hold, bool restore_only)
{
    survive_memory_shortage();
    sigset_t waiting = prepare_signals();
    size_t failed = hold_restore(hold, report_failure);
    answers_greet(hold, failed);
    if (restore_only)
        return failed ? EXIT_FAILED : EXIT_DONE;
    if (failed > hold->held.count)
        return EXIT_NOT_AVAILABLE; // what is left could not be recorded, so nothing more may be changed
    serve(hold, &waiting);
    return hold_restore(hold, report_failure) ? EXIT_FAILED : EXIT_DONE;
}

static int run(const struct tree *tree, const char *record, bool restore_only)
{
    struct hold hold = {0};
    int status = open_hold(&hold, tree, record, restore_only);
    if (status == EXIT_DONE)
        status = guard(&hold, restore_only);
    held_free(&hold.held);
    record_close(&hold.record);
    return status;
}

int guard_main(int argc, char **argv)
{
    static const struct option options[] = {
        {"root", required_argument, NULL, 'r'}, {"record", required_argument, NULL, 'f'},
        {"restore", no_argument, NULL, 'R'},    {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},       {0}};
    struct tree tree = {.root = ""};
    const char *record = NULL;
    bool restore_only = false, list_only = false;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'r') {
            tree = (struct tree){.root = optarg, .plain = true};
        } else if (option == 'f') {
            record = optarg;
        } else if (option == 'R') {
            restore_only = true;
        } else if (option == 'l') {
            list_only = true;
        } else {
            fputs(usage, option == 'h' ? stdout : stderr);
            return option == 'h' ? EXIT_DONE : EXIT_USAGE;
        }
    }
    if (optind < argc || (list_only && restore_only)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    return list_only ? list(&tree, record) : run(&tree, record, restore_only);
}
