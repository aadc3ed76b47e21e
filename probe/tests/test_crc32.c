// SPDX-License-Identifier: Apache-2.0
#include "crc32.h"

#include <string.h>

#include "check.h"

// Bit by bit, as the polynomial is defined.
static uint32_t slow(const unsigned char *data, size_t length)
{
    uint32_t crc = ~0U;

    while (length--) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320U : 0);
    }
    return ~crc;
}

int main(void)
{
    unsigned char data[300];

    CHECK(crc32_of("", 0) == 0);
    CHECK(crc32_of("123456789", 9) == 0xCBF43926);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i * 31 + 7);
    for (size_t length = 0; length <= sizeof data - 3; length++)
        CHECK(crc32_of(data + length % 4, length) == slow(data + length % 4, length));
    return 0;
}
