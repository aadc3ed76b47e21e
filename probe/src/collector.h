// SPDX-License-Identifier: Apache-2.0
// A thread that looks at the recorders while others measure: streams rings out, and reports progress.
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "jitterstream.h"
#include "measure.h"

struct collector {
    struct run *run;
    struct measure *const *measures;
    size_t n;
    struct jitterstream *stream;
    pthread_t thread;
    int ended; // eventfd: the measuring threads are done
    int error; // of writing the stream, a negative errno
};

int collector_start(struct collector *collector);
// Take what is left, and end. Returns the error of writing, if there was one.
int collector_finish(struct collector *collector);
