// SPDX-License-Identifier: Apache-2.0
#include "description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct jitterstream_column sample_columns[] = {
    {"period", "u32", "1"}, {"cpu", "u16", "1"}, {"flags", "u16", "1"}, {"latency", "i64", "tick"}};
static const struct jitterstream_column count_columns[] = {{"latency", "i64", "tick"}, {"count", "u64", "1"}};
static const struct jitterstream_table sample_tables[] = {
    {"samples", sample_columns, ARRAY_SIZE(sample_columns)}};
static const struct jitterstream_table count_tables[] = {
    {"counts", count_columns, ARRAY_SIZE(count_columns)},
    {"worst", sample_columns, ARRAY_SIZE(sample_columns)},
};

static void add_kernel_setting(struct text *text, const char *name)
{
    int64_t value;

    if (machine_setting(name, &value))
        text_add_int(text, name, value);
    else
        text_add_field(text, name, NULL);
}

static void add_settings(const struct description *description, struct text *text)
{
    text_add(text, "{");
    options_add_json(description->run->options, text);
    cpus_add_json(text, "main_cpus", description->main_cpus);
    add_kernel_setting(text, "sched_rt_period_us");
    add_kernel_setting(text, "sched_rt_runtime_us");
    text_add(text, "}");
}

int description_write_head(const struct description *description, struct jitterstream *stream)
{
    bool counts = description->run->options->record == RECORD_COUNTS;
    struct jitterstream_source *sources = calloc(description->n, sizeof *sources);
    char(*names)[16] = calloc(description->n, sizeof *names);
    struct text settings = {0};
    int error = -ENOMEM;

    if (sources && names) {
        for (size_t i = 0; i < description->n; i++) {
            struct measure *measure = description->measures[i];

            snprintf(names[i], sizeof names[i], "cpu%d", measure->cpu);
            sources[i] = (struct jitterstream_source){
                .name = names[i],
                .start_ns = measure->pace.start_ns,
                .interval_ns = measure->pace.interval_ns,
                .effective = measure->effective.data,
            };
        }
        add_settings(description, &settings);
        error = text_error(&settings);
    }
    if (!error)
        error = jitterstream_write_head(
            stream, &(struct jitterstream_head){
                        .producer = "jitter-probe " VERSION,
                        .workload = "wakeup",
                        .clock = description->clock->facts,
                        .tables = counts ? count_tables : sample_tables,
                        .n_tables = counts ? ARRAY_SIZE(count_tables) : ARRAY_SIZE(sample_tables),
                        .sources = sources,
                        .n_sources = description->n,
                        .settings = settings.data,
                    });
    text_free(&settings);
    free(names);
    free(sources);
    return error;
}

static int write_counts(struct jitterstream *stream, uint16_t source, struct recorder *recorder)
{
    size_t n;
    struct counts_row *rows = counts_rows(&recorder->counts, &n);
    int error;

    if (!rows)
        return -ENOMEM;
    error = jitterstream_write_rows(stream, 0, source, rows, sizeof *rows, n);
    free(rows);
    worst_sort(&recorder->worst);
    if (!error)
        error = jitterstream_write_rows(stream, 1, source, recorder->worst.rows, sizeof(struct sample),
                                        recorder->worst.used);
    return error;
}

int description_write_rows(const struct description *description, struct jitterstream *stream)
{
    int error = 0;

    for (size_t i = 0; i < description->n && !error; i++) {
        struct recorder *recorder = &description->measures[i]->recorder;

        if (recorder->kind == RECORD_RAW)
            error = jitterstream_write_rows(stream, 0, (uint16_t)i, recorder->rows, sizeof(struct sample),
                                            atomic_load(&recorder->used));
        else if (recorder->kind == RECORD_COUNTS)
            error = write_counts(stream, (uint16_t)i, recorder);
    }
    return error;
}

static void add_source(struct text *text, const struct measure *measure)
{
    char name[16];

    snprintf(name, sizeof name, "cpu%d", measure->cpu);
    text_add(text, "{");
    text_add_field(text, "name", name);
    text_add_int(text, "samples", (int64_t)(measure->taken - measure->recorder.lost));
    text_add_int(text, "warmup", (int64_t)measure->warmup);
    text_add_int(text, "missed", (int64_t)measure->missed);
    text_add_int(text, "lost", (int64_t)measure->recorder.lost);
    usage_add_json(&measure->usage, text);
    text_add(text, "}");
}

static void add_not_available(const struct description *description, struct text *text)
{
    const struct measure *measure = description->measures[0];
    char reason[192];

    text_add(text, "{");
    if (description->not_locked)
        text_add_field(text, "locked", description->not_locked);
    if (measure->usage.migrations < 0)
        text_add_field(text, "migrations",
                       "/proc/thread-self/sched: not in this kernel (CONFIG_SCHED_DEBUG)");
    for (int i = 0; i < N_COUNTERS; i++)
        if (measure->usage.counters[i] < 0) {
            snprintf(reason, sizeof reason, "perf_event_open: %s%s", strerror(measure->counters.errors[i]),
                     counters_hint(measure->counters.errors[i]));
            text_add_field(text, counter_names[i], reason);
        }
    text_add(text, "}");
}

static int64_t duration_ns(const struct description *description)
{
    int64_t begin = INT64_MAX;
    int64_t end = 0;

    for (size_t i = 0; i < description->n; i++) {
        const struct measure *measure = description->measures[i];

        if (measure->begin_ns && measure->begin_ns < begin)
            begin = measure->begin_ns;
        if (measure->end_ns > end)
            end = measure->end_ns;
    }
    return end > begin ? end - begin : 0;
}

int description_write_tail(const struct description *description, struct jitterstream *stream,
                           const char *end, const char *error)
{
    const char **sources = calloc(description->n, sizeof *sources);
    struct text *texts = calloc(description->n, sizeof *texts);
    struct text not_available = {0};
    int result = -ENOMEM;

    if (sources && texts) {
        for (size_t i = 0; i < description->n; i++) {
            add_source(&texts[i], description->measures[i]);
            sources[i] = texts[i].data;
        }
        add_not_available(description, &not_available);
        result = jitterstream_write_tail(stream, &(struct jitterstream_tail){
                                                     .end = end,
                                                     .error = error,
                                                     .clock_drift_ns = clock_drift_ns(description->clock),
                                                     .duration_ns = duration_ns(description),
                                                     .sources = sources,
                                                     .n_sources = description->n,
                                                     .not_available = not_available.data,
                                                 });
    }
    for (size_t i = 0; texts && i < description->n; i++)
        text_free(&texts[i]);
    text_free(&not_available);
    free(texts);
    free(sources);
    return result;
}
