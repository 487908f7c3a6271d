/* SPDX-License-Identifier: MIT */
/* misbind.c - an image whose bindings lie in one field, checksums and all: misbind IMAGE FIELD
 *
 * 'target' moves every binding of every plan by one byte; the others change what objects are. */
#include <stdio.h>
#include <string.h>

#include "image/bindings.h"
#include "image/image.h"
#include "image/write.h"

static void lie_about_object(struct lc_bind_object *o, const char *field)
{
    o->content[0] ^= strcmp(field, "content") == 0;
    o->dynamic ^= strcmp(field, "dynamic") == 0;
    o->build ^= strcmp(field, "build") == 0 && o->build;
    o->content[0] ^= strcmp(field, "build") == 0 && !o->build;
    o->rows += strcmp(field, "rows") == 0;
    o->extent += strcmp(field, "extent") == 0;
    if (strcmp(field, "relative") == 0)
        o->relative = o->relative ? o->relative - 1 : o->rows;
}

static void lie_about_targets(const struct lc_bindings *b)
{
    for (uint32_t i = 0; i < b->head->plans; i++) {
        struct lc_bind_parts w;
        if (!lc_bindings_parts(b, &b->plan[i], &w))
            continue;
        for (uint32_t k = 0; k < b->plan[i].bindings; k++)
            if (w.binding[2 * k + 1] > 0)
                ((uint32_t *)(uintptr_t)w.binding)[2 * k + 1]--;
    }
}

/* What hangs on the fields is made anew: the identity, and the places in the slots. */
static void sign(const struct lc_bindings *b)
{
    uint32_t *slot = (uint32_t *)(uintptr_t)b->slot, mask = b->head->slots - 1;

    memset(slot, 0, b->head->slots * sizeof(*slot));
    for (uint32_t i = 0; i < b->head->objects; i++) {
        struct lc_bind_object *o = (struct lc_bind_object *)(uintptr_t)&b->object[i];
        uint64_t key[2] = {lc_bindings_content_key(o->content),
                           lc_bindings_build_key(o->dynamic, o->build)};
        o->identity = lc_bindings_identity(o);
        for (int k = 0; k < (o->build ? 2 : 1); k++) {
            uint32_t at = (uint32_t)key[k] & mask;
            while (slot[at])
                at = (at + 1) & mask;
            slot[at] = i + 1;
        }
    }
}

int main(int argc, char **argv)
{
    struct lc_tree tree = {0};
    struct lc_error err = {""};
    struct lc_written did;
    struct lc_bindings b;
    struct lc_image *image = argc == 3 ? lc_image_open(argv[1], &err) : NULL;
    struct lc_write how = {.file = argc == 3 ? argv[1] : "", .provenance = "{}"};

    if (!image || lc_tree_load(&tree, image, &err) < 0 ||
        !lc_bindings_open(&b, tree.bindings.data, tree.bindings.len)) {
        fprintf(stderr, "misbind: %s\n", err.text);
        return 1;
    }
    for (uint32_t i = 0; i < b.head->objects; i++)
        lie_about_object((struct lc_bind_object *)(uintptr_t)&b.object[i], argv[2]);
    if (strcmp(argv[2], "target") == 0)
        lie_about_targets(&b);
    sign(&b);
    int rc = lc_image_write(&tree, &how, &did, &err);
    if (rc < 0)
        fprintf(stderr, "misbind: %s\n", err.text);
    lc_tree_free(&tree);
    lc_image_close(image);
    return rc < 0;
}
