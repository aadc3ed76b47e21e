// SPDX-License-Identifier: Apache-2.0
#include "crc32.h"

#include <pthread.h>
#include <string.h>

#define SLICES 8

static uint32_t table[SLICES][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1U ? 0xEDB88320U : 0);
        table[0][byte] = crc;
    }
    for (int slice = 1; slice < SLICES; slice++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = table[slice - 1][byte];

            table[slice][byte] = (before >> 8) ^ table[0][before & 0xFF];
        }
}

// Slicing by eight (Kounavis and Berry, 2005): eight table look-ups per eight bytes.
uint32_t crc32_of(const void *data, size_t length)
{
    const unsigned char *at = data;
    uint32_t crc = 0xFFFFFFFF;

    pthread_once(&table_once, fill_table);
    for (; length >= 8; length -= 8, at += 8) {
        uint32_t low;
        uint32_t high;

        memcpy(&low, at, 4);
        memcpy(&high, at + 4, 4);
        low ^= crc;
        crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^
              table[4][low >> 24] ^ table[3][high & 0xFF] ^ table[2][(high >> 8) & 0xFF] ^
              table[1][(high >> 16) & 0xFF] ^ table[0][high >> 24];
    }
    while (length--)
        crc = (crc >> 8) ^ table[0][(crc ^ *at++) & 0xFF];
    return ~crc;
}
