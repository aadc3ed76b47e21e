// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "schedule.h"

#define STACK_BYTES ((size_t)256 * 1024)
#define STACK_USED ((size_t)64 * 1024)

int64_t measure_interval_ns(const struct options *options, size_t place)
{
	return (int64_t)(options->interval + place * options->distance);
}

int64_t measure_start_ns(const struct run *run, size_t place)
{
	return run->start_ns + (int64_t)(place * run->options->align);
}

static void prefault_stack(void)
{
	unsigned char stack[STACK_USED];

	memset(stack, 0, sizeof stack);
	__asm__ volatile("" ::"r"(stack) : "memory");
}

static bool pinned(const struct measure *measure)
{
	return measure->run->options->policy != POLICY_DEADLINE;
}

/* Take samples until there are enough, it is time, or the run is stopped. Returns how many, the lost ones included. */
static uint64_t take_samples(struct measure *measure, uint64_t wanted, int64_t until_ns, uint16_t flags)
{
	struct run *run = measure->run;
	struct pace *pace = &measure->pace;
	const int64_t limit =
		run->options->break_limit && !flags ? (int64_t)run->options->break_limit : INT64_MAX;
	uint64_t expected = pace->period;
	uint64_t taken = 0;

	while (taken < wanted && pace->due_ns < until_ns) {
		struct sample sample;
		int64_t now;
		int64_t late_ns;
		int error = wake_wait(&measure->wake, pace, &measure->clock, &run->stop, &now);

		if (atomic_load_explicit(&run->stop, memory_order_relaxed))
			break;
		if (error == -EINTR)
			continue;
		sample = (struct sample){
			.period = (uint32_t)pace->period,
			.cpu = (uint16_t)sched_getcpu(),
			.flags = flags,
			.latency = now - clock_ticks_at(&measure->clock, pace->due_ns),
		};
		late_ns = clock_ns(&measure->clock, sample.latency);
		if (late_ns > limit) {
			sample.flags |= JITTERSTREAM_BROKE_LIMIT;
			atomic_store(&run->broke, true);
			atomic_store(&run->stop, true);
		}
		recorder_add(&measure->recorder, sample);
		if (!flags) {
			measure->missed += taken ? pace->period - expected : 0;
			expected = pace->period + 1;
		}
		taken++;
		if (sample.cpu != measure->cpu && pinned(measure)) {
			failure_set(&measure->failure, EXIT_FAILED,
				    "keep the CPU online and its cpuset and affinity unchanged during the run",
				    "the thread of CPU %d found itself on CPU %d: CPU %d went offline, or its affinity was changed",
				    measure->cpu, sample.cpu, measure->cpu);
			atomic_store(&run->stop, true);
		}
		clock_follow(&measure->clock, pace->due_ns + late_ns);
		wake_advance(&measure->wake, pace, pace->due_ns + late_ns);
		if (error || pace->period > UINT32_MAX)
			break;
	}
	return taken;
}

static void measured_part(struct measure *measure)
{
	const struct options *options = measure->run->options;
	uint64_t wanted = options->samples ? options->samples : UINT64_MAX;
	struct usage begin;
	struct usage end;
	int64_t until_ns;

	usage_begin(&begin, &measure->counters);
	wake_catch_up(&measure->wake, &measure->pace);
	measure->begin_ns = measure->pace.due_ns;
	until_ns = options->duration ? measure->begin_ns + (int64_t)options->duration : INT64_MAX;
	measure->taken = take_samples(measure, wanted, until_ns, 0);
	usage_end(&end, &measure->counters);
	measure->end_ns = jitterstream_now_ns();
	measure->usage = usage_between(&begin, &end);
}

static void configure(struct measure *measure)
{
	const struct options *options = measure->run->options;
	struct usage usage;
	int64_t interval_ns = measure->pace.interval_ns;

	prefault_stack();
	if (schedule_apply(options, measure->cpu, (uint64_t)interval_ns, &measure->failure) < 0)
		return;
	text_add(&measure->effective, "{");
	schedule_add_effective(&measure->effective);
	counters_open(&measure->counters);
	/* Once, so that everything on the way has been touched. */
	usage_begin(&usage, &measure->counters);
	usage_end(&usage, &measure->counters);
}

static void *measure_run(void *argument)
{
	struct measure *measure = argument;
	struct run *run = measure->run;
	const uint64_t one = 1;
	sigset_t wakeup;
	int error;

	sigemptyset(&wakeup);
	sigaddset(&wakeup, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &wakeup, NULL);
	configure(measure);
	pthread_barrier_wait(&run->configured);
	pthread_barrier_wait(&run->started);
	if (!atomic_load(&run->stop)) {
		error = wake_init(&measure->wake, run->options, &measure->pace);
		if (error)
			failure_set(&measure->failure, EXIT_NOT_AVAILABLE, "use --wake nanosleep",
				    "cannot use a timerfd: %s", strerror(-error));
		else {
			measure->warmup = take_samples(measure, run->options->warmup, INT64_MAX, JITTERSTREAM_WARMUP);
			measured_part(measure);
		}
		wake_free(&measure->wake);
		counters_close(&measure->counters);
	}
	(void)!write(run->finished, &one, sizeof one);
	return NULL;
}

int measure_start(struct measure *measure)
{
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	error = pthread_create(&measure->thread, &attributes, measure_run, measure);
	pthread_attr_destroy(&attributes);
	return -error;
}
