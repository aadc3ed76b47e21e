// SPDX-License-Identifier: Apache-2.0
#include "lock.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

void lock_need_little(void)
{
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

int lock_memory(char *reason, size_t size)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &limit);
    }
    if (mlockall(MCL_CURRENT) == 0)
        return 0;
    snprintf(reason, size,
             "mlockall: %s (RLIMIT_MEMLOCK is %llu KiB: grant CAP_IPC_LOCK, raise `ulimit -l`, or record "
             "less in memory)",
             strerror(errno), (unsigned long long)limit.rlim_cur / 1024);
    return -1;
}
