// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "autogroup.h"

#define DEADLINE 6

// As in linux/sched/types.h, which older C libraries cannot include beside sched.h.
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

static const char *const policy_names[] = {"other", "fifo", "rr", "batch", "iso", "idle", "deadline", "ext"};

static int pin(int cpu, struct failure *failure)
{
    cpu_set_t cpus;
    char online[128];

    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) == 0)
        return 0;
    cpus_online(online, sizeof online);
    return failure_set(failure, EXIT_NOT_AVAILABLE,
                       "choose CPUs that are online and in the cpuset of this process",
                       "cannot run on CPU %d: %s (online: %s)", cpu, strerror(errno), online);
}

// The kernel keeps of these CPUs what the cpuset of the process allows.
static void unpin(void)
{
    cpu_set_t cpus;

    memset(&cpus, 0xFF, sizeof cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

// Set although 0 is what was asked for: the one who started the program may have had another one.
static int set_nice(int64_t nice, struct failure *failure)
{
    id_t self = (id_t)syscall(SYS_gettid);
    int before = getpriority(PRIO_PROCESS, self);

    if (nice == before || setpriority(PRIO_PROCESS, self, (int)nice) == 0)
        return 0;
    return failure_set(failure, EXIT_NOT_AVAILABLE,
                       "run as root, or grant CAP_SYS_NICE, or raise `ulimit -e`",
                       "cannot change the nice value from %d to %d: %s", before, (int)nice, strerror(errno));
}

static int set_other(const struct options *options, struct failure *failure)
{
    const struct sched_param none = {0};

    if (sched_setscheduler(0, SCHED_OTHER, &none) < 0)
        return failure_set(failure, EXIT_NOT_AVAILABLE, "run as root, or grant CAP_SYS_NICE",
                           "cannot use SCHED_OTHER: %s", strerror(errno));
    if (set_nice(options->nice, failure) < 0)
        return -1;
    autogroup_set_nice(options->nice);
    return 0;
}

static int set_realtime(const struct options *options, struct failure *failure)
{
    bool fifo = options->policy == POLICY_FIFO;
    struct sched_param parameters = {.sched_priority = (int)options->priority};

    if (sched_setscheduler(0, fifo ? SCHED_FIFO : SCHED_RR, &parameters) == 0)
        return 0;
    return failure_set(
        failure, EXIT_NOT_AVAILABLE,
        "run as root, or grant it: `setcap cap_sys_nice,cap_ipc_lock+ep jitter-probe`, or raise `ulimit -r`",
        "cannot use SCHED_%s with priority %d: %s", fifo ? "FIFO" : "RR", (int)options->priority,
        strerror(errno));
}

static uint64_t deadline_runtime(const struct options *options, uint64_t interval_ns)
{
    uint64_t runtime = interval_ns / 5 + (options->wake == WAKE_SLEEP_SPIN ? options->spin : 0);

    return runtime < interval_ns / 10 * 9 ? runtime : interval_ns / 10 * 9;
}

static int set_deadline(const struct options *options, uint64_t interval_ns, struct failure *failure)
{
    struct attributes attributes = {
        .size = sizeof attributes,
        .policy = DEADLINE,
        .runtime = deadline_runtime(options, interval_ns),
        .deadline = interval_ns,
        .period = interval_ns,
    };
    const char *remedy;

    if (syscall(SYS_sched_setattr, 0, &attributes, 0) == 0)
        return 0;
    if (errno == EBUSY)
        remedy =
            "all deadline threads together ask for more than the kernel admits: fewer CPUs or less --spin";
    else if (errno == EINVAL)
        remedy = "the interval lies outside of /proc/sys/kernel/sched_deadline_period_{min,max}_us";
    else
        remedy = "run as root (CAP_SYS_NICE), in a cpuset that holds all CPUs of its root domain";
    return failure_set(failure, EXIT_NOT_AVAILABLE, remedy,
                       "cannot use SCHED_DEADLINE with a period of %" PRIu64 " ns and a runtime of %" PRIu64
                       " ns: %s",
                       interval_ns, attributes.runtime, strerror(errno));
}

int schedule_apply(const struct options *options, int cpu, uint64_t interval_ns, struct failure *failure)
{
    if (options->policy == POLICY_DEADLINE)
        unpin();
    else if (pin(cpu, failure) < 0)
        return -1;
    if (prctl(PR_SET_TIMERSLACK, (unsigned long)options->slack, 0, 0, 0) < 0)
        return failure_set(failure, EXIT_NOT_AVAILABLE, "", "cannot set the timer slack: %s",
                           strerror(errno));
    switch (options->policy) {
    case POLICY_FIFO:
    case POLICY_RR:
        return set_realtime(options, failure);
    case POLICY_DEADLINE:
        return set_deadline(options, interval_ns, failure);
    default:
        return set_other(options, failure);
    }
}

void schedule_add_effective(struct text *text)
{
    struct attributes attributes = {.size = sizeof attributes};
    cpu_set_t cpus;
    int64_t session_nice;
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);

    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0) {
        bool known = attributes.policy < sizeof policy_names / sizeof policy_names[0];

        text_add_field(text, "policy", known ? policy_names[attributes.policy] : "unknown");
        text_add_int(text, "priority", attributes.priority);
        text_add_int(text, "nice", attributes.nice);
        if (attributes.policy == DEADLINE) {
            text_add_int(text, "runtime_ns", (int64_t)attributes.runtime);
            text_add_int(text, "deadline_ns", (int64_t)attributes.deadline);
            text_add_int(text, "period_ns", (int64_t)attributes.period);
        }
    }
    if (autogroup_nice(&session_nice))
        text_add_int(text, "autogroup_nice", session_nice);
    else
        text_add_field(text, "autogroup_nice", NULL);
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        cpus_add_json(text, "cpus", &cpus);
    if (slack >= 0)
        text_add_int(text, "slack_ns", slack);
}
