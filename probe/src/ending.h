// SPDX-License-Identifier: Apache-2.0
// How a run ends: by itself, or by SIGINT, SIGTERM or SIGHUP (the terminal or the link is gone), which come
// through a descriptor.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

// Block the signals in this thread and those it starts; a descriptor to read them from, or a negative errno.
int ending_catch(void);
// Until every thread is done: stop them at a signal, waking those that sleep. True if there was a signal.
bool ending_wait(struct run *run, struct measure *const *measures, size_t n, int signals);
// From a second after this on, a signal ends the program at once: writing may wait for a reader that stands
// still.
void ending_release(void);
