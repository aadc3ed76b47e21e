// SPDX-License-Identifier: Apache-2.0
#include "ending.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

// How often sleeping threads are woken again: a signal may come just before a thread begins to sleep.
#define NUDGE_MS 50
// How often to look whether another thread stopped the run.
#define LOOK_MS 1000
// A signal this soon after the end of the measuring is the same one again: `timeout` sends it to the program
// and to its group, and keys bounce.
#define ECHO_NS 1000000000

static int64_t released_ns;

// SIGUSR1 ends the sleep of a measuring thread, and does nothing else.
static void no_operation(int number)
{
    (void)number;
}

static void end_program(int number)
{
    if (jitterstream_now_ns() - released_ns < ECHO_NS)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

static sigset_t ending_signals(void)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    return ends;
}

int ending_catch(void)
{
    struct sigaction nudge = {.sa_handler = no_operation};
    sigset_t ends = ending_signals();
    sigset_t blocked = ends;
    int descriptor;

    sigaction(SIGUSR1, &nudge, NULL);
    // Writing tells what these would: EPIPE, EFBIG.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    descriptor = signalfd(-1, &ends, SFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

bool ending_wait(struct run *run, struct measure *const *measures, size_t n, int signals)
{
    struct pollfd fds[2] = {{.fd = run->finished, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    bool signalled = false;
    uint64_t done = 0;

    while (done < n) {
        uint64_t more;

        poll(fds, 2, atomic_load(&run->stop) ? NUDGE_MS : LOOK_MS);
        if (fds[0].revents && read(run->finished, &more, sizeof more) == sizeof more)
            done += more;
        if (fds[1].revents) {
            struct signalfd_siginfo signal;

            (void)!read(signals, &signal, sizeof signal);
            signalled = true;
            atomic_store(&run->stop, true);
        }
        for (size_t i = 0; atomic_load(&run->stop) && i < n; i++)
            pthread_kill(measures[i]->thread, SIGUSR1);
    }
    return signalled;
}

void ending_release(void)
{
    struct sigaction end = {.sa_handler = end_program, .sa_flags = SA_RESTART};
    sigset_t ends = ending_signals();

    released_ns = jitterstream_now_ns();
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
}
