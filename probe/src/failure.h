// SPDX-License-Identifier: Apache-2.0
// What went wrong, for people: what and where, and what can be done about it.
#pragma once

enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NOT_AVAILABLE = 3 };

struct failure {
    enum exit_status status;
    char message[320];
    char remedy[320];
};

// Fill a failure in; always returns -1, so that `return failure_set(…)` reads well.
int failure_set(struct failure *failure, enum exit_status status, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Say it on standard error; returns the exit status.
int failure_report(const struct failure *failure);
