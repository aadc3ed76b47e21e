// SPDX-License-Identifier: Apache-2.0
// CRC-32 as in zlib (IEEE 802.3, reflected polynomial 0xEDB88320), under a name that links beside zlib.
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *data, size_t length);
