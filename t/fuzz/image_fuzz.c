/* SPDX-License-Identifier: MIT */
/* image_fuzz.c - libFuzzer target: whatever bytes come, an image is refused or safe to use.
 *
 * Half of the mutations change a word in place and then make all checksums right again, so that
 * the checks behind the checksums are reached. */
#include <stdlib.h>
#include <string.h>

#include "bindings_sum.h"
#include "image/image.h"
#include "image_poke.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static volatile size_t sink; /* keeps the compiler from dropping reads */

static void ask(const struct lc_look *look, const char *path, size_t len)
{
    struct lc_walk walk;
    struct lc_found found = lc_look_walk(look, path, len, 0, &walk);

    if (found.answer == LC_ANSWER_FOUND) {
        const struct lc_inode *inode = lc_look_inode(look, found.entry);
        uint32_t count;
        const struct lc_dirent *d = inode ? lc_look_dirents(look, inode, &count) : NULL;
        for (uint32_t i = 0; d && i < count; i++)
            sink += strlen(lc_look_name(look, d[i].name));
    }
    found = lc_look_walk(look, path, len, LC_WALK_NOFOLLOW, &walk);
    sink += found.entry;
}

static const char *const paths[] = {"/",
                                    "/app",
                                    "/app/lib/up/tool",
                                    "/app/bin/tool",
                                    "/app/odd",
                                    "/app/loop/x",
                                    "/app/lib/..",
                                    "/app/none/far",
                                    "/app//./twin/",
                                    "/other",
                                    "/app/lib64/never"};

/* What the replayer follows: whatever it opens may be damaged. */
static void use_bindings(const struct lc_look *look)
{
    const struct lc_section *s = lc_look_section(look, LC_SECTION_BINDINGS);
    static const uint64_t content[2] = {1, 2};
    struct lc_bindings b;

    if (!s || !lc_bindings_open(&b, look->base + s->offset, s->length))
        return;
    sink += lc_bindings_by_content(&b, content, 3, 4) + lc_bindings_by_build(&b, 3, 4);
    sink += lc_bindings_first_group(&b, 1);
    sink += bindings_sum(&b);
}

/* What the user's process does: no verification beyond lc_look_open. */
static void use_unverified(const struct lc_look *look)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        ask(look, paths[i], strlen(paths[i]));
    sink += lc_look_search(look, 0, 0, "/app/bin/tool", "libx.so");
    use_bindings(look);
    for (uint32_t i = 0; i < look->entries && i < 64; i++)
        sink += (size_t)lc_look_inode(look, i);
}

/* What tools do: everything may be followed. */
static void use_verified(const struct lc_look *look)
{
    for (uint32_t i = 0; i < look->entries; i++) {
        const struct lc_entry *e = &look->entry[i];
        if (lc_look_find(look, look->names + e->path, e->path_len) != i)
            abort();
        ask(look, look->names + e->path, e->path_len);
    }
    for (uint32_t i = 0; i < look->searches; i++)
        sink += strlen(look->names + look->search[i].result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lc_look look;
    struct lc_error err;
    uint8_t *copy = NULL; /* a mapping is aligned, libFuzzer's bytes need not be */

    if (posix_memalign((void **)&copy, 16, size ? size : 1))
        return 0;
    memcpy(copy, data, size);
    if (!lc_look_open(&look, copy, size)) {
        use_unverified(&look);
        if (lc_image_verify(&look, &err) == 0)
            use_verified(&look);
    }
    free(copy);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    if (size == 0 || rand_r(&seed) % 4 == 0) {
        size = LLVMFuzzerMutate(data, size, max);
    } else {
        for (int n = 1 + rand_r(&seed) % 3; n > 0; n--)
            poke(data, size, &seed);
    }
    if (rand_r(&seed) % 8)
        sign(data, size);
    return size;
}
