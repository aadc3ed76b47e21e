// SPDX-License-Identifier: Apache-2.0
// CRC-32 as in zlib (IEEE 802.3, reflected polynomial 0xEDB88320).
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const void *data, size_t length);
