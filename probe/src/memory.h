// SPDX-License-Identifier: Apache-2.0
// Memory whose pages are all there before it is used.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Zeroed, page-aligned, every page touched; NULL (errno is set) if there is not enough.
void *memory_map(size_t bytes);
void memory_unmap(void *memory, size_t bytes);
// Bytes the kernel believes can be used without swapping; UINT64_MAX if it does not say.
uint64_t memory_available(void);
