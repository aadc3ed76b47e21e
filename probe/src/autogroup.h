// SPDX-License-Identifier: Apache-2.0
// The kernel may weigh sessions against each other first (autogroup, on in most distributions): then nice
// values count only inside a session, and the session has one of its own.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The nice value of the session of this process; false if sessions are not weighed here.
bool autogroup_nice(int64_t *nice);
// Give the session that nice value if this process leads it: nobody else is in it then.
void autogroup_set_nice(int64_t nice);
