// SPDX-License-Identifier: Apache-2.0
// What the head and the tail of a wakeup stream say.
#pragma once

#include "jitterstream.h"
#include "measure.h"

// Everything about a run that the stream tells.
struct description {
    const struct run *run;
    struct measure *const *measures;
    size_t n;
    const struct clock *clock;
    const cpu_set_t *main_cpus;
    const char *not_locked; // why memory is not locked; NULL if it is
};

int description_write_head(const struct description *description, struct jitterstream *stream);
// Rows that are not in the stream yet (raw, counts).
int description_write_rows(const struct description *description, struct jitterstream *stream);
int description_write_tail(const struct description *description, struct jitterstream *stream,
                           const char *end, const char *error);
