/* SPDX-License-Identifier: MIT */
/* damage.c - a copy of an image with a few words changed and all checksums right: damage IMAGE COPY
 * SEED. Content is left alone: whatever its bytes are, they are good. */
#include <stdio.h>
#include <stdlib.h>

#include "../fuzz/image_poke.h"

int main(int argc, char **argv)
{
    enum { MOST = 8 << 20 };
    unsigned seed = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
    FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
    uint8_t *data = aligned_alloc(16, MOST), *sound = aligned_alloc(16, MOST);
    size_t size = out && data ? fread(data, 1, MOST, in) : 0;

    if (!sound || size < LC_IMAGE_PAGE || size == MOST)
        return 1;
    memcpy(sound, data, size);
    const struct lc_header *h = (const void *)sound;
    const struct lc_root *root = (const void *)(sound + h->root);
    for (int n = 1 + rand_r(&seed) % 3; n > 0; n--) {
        const struct lc_section *s = &root->section[(uint32_t)rand_r(&seed) % root->count];
        if (rand_r(&seed) % 8 == 0 || s->type == LC_SECTION_CONTENT || s->length < 8)
            poke(data + h->root, size - h->root, &seed);
        else
            poke(data + s->offset, s->length, &seed);
    }
    sign(data, size);
    return fwrite(data, 1, size, out) == size && fclose(out) == 0 ? 0 : 1;
}
