/* SPDX-License-Identifier: MIT */
/* image_poke.h - change words of an image and make its checksums right again, so that the checks
 * behind the checksums are reached */
#ifndef LC_IMAGE_POKE_H
#define LC_IMAGE_POKE_H

#include <stdlib.h>
#include <string.h>

#include "image/bindings.h"
#include "image/hash.h"
#include "image/image.h"

static void sign(uint8_t *data, size_t size)
{
    struct lc_header *h = (void *)data;

    if (size < sizeof(*h))
        return;
    h->checksum = lc_hash(h, offsetof(struct lc_header, checksum));
    if (h->root % 8 || h->root > size || size - h->root < sizeof(struct lc_root))
        return;
    struct lc_root *root = (void *)(data + h->root);
    if (root->count > (size - h->root - sizeof(*root)) / sizeof(root->section[0]))
        return;
    for (uint32_t i = 0; i < root->count; i++) {
        struct lc_section *s = &root->section[i];
        if (s->type == LC_SECTION_BINDINGS && root->checksum % 2 && /* half of the time */
            s->offset <= size && s->length <= size - s->offset &&
            (uintptr_t)(data + s->offset) % 8 == 0)
            lc_bindings_seal(data + s->offset, s->length);
        if (s->type != LC_SECTION_CONTENT && s->offset <= size && s->length <= size - s->offset)
            s->checksum = lc_hash(data + s->offset, s->length);
    }
    root->checksum = lc_root_checksum(root);
}

/* A word set to something that breaks careless arithmetic. */
static void poke(uint8_t *data, size_t size, unsigned *seed)
{
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     7,
                                     8,
                                     9,
                                     16,
                                     4095,
                                     4096,
                                     0x7fffffff,
                                     0xfffffffe,
                                     0xffffffff,
                                     20,
                                     0x80000000,
                                     UINT64_MAX,
                                     1ull << 63,
                                     UINT64_MAX - 4095};
    size_t width = 1u << (rand_r(seed) % 4);
    size_t at = (size_t)rand_r(seed) % size / width * width;
    uint64_t value = 0;

    if (at + width > size)
        return;
    memcpy(&value, data + at, width);
    switch (rand_r(seed) % 3) {
    case 0:
        value = words[(size_t)rand_r(seed) % (sizeof(words) / sizeof(*words))];
        break;
    case 1:
        value += (uint64_t)(rand_r(seed) % 33) - 16;
        break;
    default:
        value ^= 1ull << (rand_r(seed) % (8 * width));
    }
    memcpy(data + at, &value, width);
}

#endif
