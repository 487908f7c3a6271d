/* SPDX-License-Identifier: MIT */
/* nothing.c - links only where clang has the libraries that a fuzz target needs */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    (void)data;
    (void)len;
    return 0;
}
